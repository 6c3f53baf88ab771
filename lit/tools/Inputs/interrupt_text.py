"""interrupt_text.py COMMAND...: interrupts a command that writes a long text into a full pipe. After one interrupt it must end its
text and exit with 130, after two it must exit with 130 at once."""
import fcntl
import signal
import subprocess
import sys
import time


def begin():
    child = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)
    fcntl.fcntl(child.stdout, fcntl.F_SETPIPE_SZ, 4096)
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    time.sleep(0.2)
    return child


whole = subprocess.run(sys.argv[1:], check=True, capture_output=True).stdout
child = begin()
text = child.stdout.read()
status = child.wait(timeout=10)
if status != 130 or not text.endswith(b"\n") or len(text) >= len(whole) or \
        not whole.startswith(text[:-1]):
    sys.exit(f"after one interrupt: status {status}, {len(text)} bytes")
text.decode()
child = begin()
child.send_signal(signal.SIGINT)
if child.wait(timeout=10) != 130:
    sys.exit(f"after two interrupts: status {child.returncode}")
