#!/usr/bin/python3
"""check_library.py LIBRARY MAP BYTES [NEEDED...]: a shared library must export
exactly what its version script lists, need only libc and the libraries NEEDED,
and be smaller than BYTES stripped."""
import os
import re
import subprocess
import sys
import tempfile

library, script, limit, *others = sys.argv[1:]


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
if not set(needed) <= {"libc.so.6", "ld-linux-x86-64.so.2", *others}:
    wrong.append(f"needs {needed}")
soname = re.sub(r"\.so.*", ".so.1", os.path.basename(library))
if f"soname: [{soname}]" not in said("readelf", "-d", library):
    wrong.append(f"its soname is not {soname}")
with tempfile.TemporaryDirectory() as folder:
    stripped = os.path.join(folder, "stripped")
    said("strip", "-o", stripped, library)
    size = os.path.getsize(stripped)
print(f"{size} bytes stripped, {len(exported)} symbols, needs {needed}")
if size >= int(limit):
    wrong.append(f"{limit} bytes is the limit")
print("\n".join(wrong))
sys.exit(bool(wrong))
