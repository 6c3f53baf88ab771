"""exit.py CODE COMMAND...: runs the command; passes when it ends with CODE."""
import subprocess
import sys

wanted = int(sys.argv[1])
found = subprocess.run(sys.argv[2:]).returncode
if found != wanted:
    what = f"signal {-found}" if found < 0 else f"status {found}"
    sys.exit(f"exit.py: expected status {wanted}, got {what}")
