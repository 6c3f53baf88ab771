"""interrupt.py SIGNAL CODE COMMAND...: sends SIGNAL when the command has mapped its artifact and handles signals; passes when it
ends with CODE and leaves nothing in its TMPDIR."""
import os
import signal
import subprocess
import sys
import tempfile

import process_state

number = getattr(signal, sys.argv[1])
artifact = next(word for word in sys.argv[4:] if word.endswith(".so"))
with tempfile.TemporaryDirectory() as folder:
    child = subprocess.Popen(sys.argv[3:], stdout=subprocess.DEVNULL,
                             env={**os.environ, "TMPDIR": folder})
    try:
        process_state.wait_until(
            child, lambda process: process_state.catches(process, number) and
            process_state.maps(process, artifact))
        child.send_signal(number)
        status = child.wait(timeout=process_state.LIMIT)
    finally:
        child.kill()
    if status != int(sys.argv[2]):
        sys.exit(f"interrupt.py: expected {sys.argv[2]}, got {status}")
    if os.listdir(folder):
        sys.exit(f"interrupt.py: left {os.listdir(folder)}")
