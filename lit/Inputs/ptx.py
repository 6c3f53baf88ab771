#!/usr/bin/python3
"""ptx.py ARTIFACT ARCHITECTURE: prints the PTX that the artifact has for one
architecture, such as sm_80."""
import re
import sys

path, architecture = sys.argv[1:]
with open(path, "rb") as file:
    data = file.read()
# The text starts with its version and ends with a zero byte.
texts = [text.decode("ascii")
         for text in re.findall(rb"(\.version [^\0]*)\0", data)]
found = [text for text in texts if f".target {architecture}\n" in text]
if len(found) != 1:
    sys.exit(f"{path}: {len(found)} texts for {architecture}, of {len(texts)}")
sys.stdout.write(found[0])
