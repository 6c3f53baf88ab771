"""exit_codes.py GUIDE: fails if the guide's table of exit codes is not that of
`tenon help exit-codes` on the standard input."""
import re
import sys

with open(sys.argv[1]) as text:
    section = text.read().split("## Exit status")[1].split("## ")[0]
written = re.findall(r"^\| ([\d, ]+) \| (.*) \|$", section, re.M)
shown = re.findall(r"^  ([\d, ]*\d)  +(.*)$", sys.stdin.read(), re.M)
if not shown or written != shown:
    sys.exit(f"exit_codes.py: the guide has {written}, the tool {shown}")
