#!/usr/bin/python3
"""check_library.py LIBRARY MAP: the shared runtime must export exactly what
its version script lists, need only libc, and be under 300 KB stripped."""
import os
import re
import subprocess
import sys
import tempfile

library, script = sys.argv[1:]


def said(*command):
    return subprocess.run(command, check=True, capture_output=True,
                          text=True).stdout


wrong = []
with open(script) as text:
    listed = set(re.findall(r"^\s+(tenon_\w+);", text.read(), re.M))
exported = {line.split()[-1].split("@")[0]
            for line in said("nm", "-D", "--defined-only", library).splitlines()
            if " A " not in line}
if exported != listed:
    wrong.append(f"exported and listed differ: {exported ^ listed}")
needed = re.findall(r"NEEDED.*\[(.*)\]", said("readelf", "-d", library))
if not set(needed) <= {"libc.so.6", "ld-linux-x86-64.so.2"}:
    wrong.append(f"needs {needed}")
if "libtenon_rt.so.1" not in said("readelf", "-d", library):
    wrong.append("its soname is not libtenon_rt.so.1")
with tempfile.TemporaryDirectory() as folder:
    stripped = os.path.join(folder, "stripped")
    said("strip", "-o", stripped, library)
    size = os.path.getsize(stripped)
print(f"{size} bytes stripped, {len(exported)} symbols, needs {needed}")
if size >= 300_000:
    wrong.append("300 KB is the limit")
print("\n".join(wrong))
sys.exit(bool(wrong))
