"""documented.py TENON GUIDE: fails for a flag of `tenon help` that the guide does not name."""
import re
import subprocess
import sys

tool, guide = sys.argv[1:]
with open(guide) as text:
    written = text.read()
missing = []
for verb in re.findall(r"^  (\w+) ", subprocess.run(
        [tool, "help"], capture_output=True, text=True,
        check=True).stdout.split("COMMANDS:")[1], re.M):
    if f"## tenon {verb}" not in written and verb != "help":
        missing.append(f"tenon {verb}")
    page = subprocess.run([tool, "help", verb], capture_output=True,
                          text=True, check=True).stdout
    for flag in re.findall(r"^  (--?[\w-]+)", page, re.M):
        stem = "-O" if flag.startswith("-O") else flag
        if not re.search(re.escape(stem) + r"(?![\w-]*[a-z])", written):
            missing.append(f"tenon {verb}: {flag}")
if missing:
    sys.exit("documented.py: the guide does not name " + ", ".join(missing))
