"""interrupt.py SIGNAL CODE COMMAND...: sends SIGNAL after a while; passes when the command ends with CODE and leaves nothing in
its TMPDIR."""
import os
import signal
import subprocess
import sys
import tempfile
import time

number = getattr(signal, sys.argv[1])
with tempfile.TemporaryDirectory() as folder:
    child = subprocess.Popen(sys.argv[3:], stdout=subprocess.DEVNULL,
                             env={**os.environ, "TMPDIR": folder})
    time.sleep(0.5)
    child.send_signal(number)
    status = child.wait(timeout=10)
    if status != int(sys.argv[2]):
        sys.exit(f"interrupt.py: expected {sys.argv[2]}, got {status}")
    if os.listdir(folder):
        sys.exit(f"interrupt.py: left {os.listdir(folder)}")
