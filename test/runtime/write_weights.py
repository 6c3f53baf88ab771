#!/usr/bin/python3
"""write_weights.py FILE: writes the weight file of the hand-written
artifact."""
import json
import struct
import sys

header = json.dumps({
    "__metadata__": {"tenon.hash": "f325f7f2bf945101"},
    "w": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]},
}, separators=(",", ":")).encode()
header = header.ljust(192 - 8)
with open(sys.argv[1], "wb") as out:
    out.write(struct.pack("<Q", len(header)) + header +
              struct.pack("<4f", 0.5, 1, 1.5, 2))
