"""interrupt_text.py COMMAND...: interrupts a command that writes a long text into a full pipe. After one interrupt it must end its
text and exit with 130, after two it must exit with 130 at once."""
import fcntl
import signal
import struct
import subprocess
import sys
import termios

import process_state


def waits(child):
    """True if the command sleeps and has written text that nobody reads."""
    held = fcntl.ioctl(child.stdout, termios.FIONREAD, bytes(4))
    return struct.unpack("i", held)[0] > 0 and process_state.rests(child.pid)


def interrupted(times):
    """The command after so many interrupts; each has been taken, and the text
    cannot go on."""
    child = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)
    fcntl.fcntl(child.stdout, fcntl.F_SETPIPE_SZ, 4096)
    process_state.wait_until(child, lambda _: waits(child))
    for number in range(times):
        if number:
            process_state.wait_until(child, process_state.rests)
        child.send_signal(signal.SIGINT)
    return child


def ended(child):
    try:
        return child.wait(timeout=process_state.LIMIT)
    finally:
        child.kill()


whole = subprocess.run(sys.argv[1:], check=True, capture_output=True).stdout
child = interrupted(1)
process_state.wait_until(child, process_state.rests)
text = child.stdout.read()
status = ended(child)
if status != 130 or not text.endswith(b"\n") or len(text) >= len(whole) or \
        not whole.startswith(text[:-1]):
    sys.exit(f"after one interrupt: status {status}, {len(text)} bytes")
text.decode()
child = interrupted(2)
if ended(child) != 130:
    sys.exit(f"after two interrupts: status {child.returncode}")
