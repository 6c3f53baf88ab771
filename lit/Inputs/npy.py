"""npy.py FILE DTYPE SHAPE [VALUES...]: writes an array; no values mean zeros.

DTYPE is one of f16 f32 f64 i8..i64 u8..u64 bool; SHAPE is 2x3, or `-` for rank 0.
"""
import sys

import numpy as np

path, dtype, shape, *values = sys.argv[1:]
kinds = {"f": "float", "i": "int", "u": "uint"}
kind = "bool" if dtype == "bool" else kinds[dtype[0]] + dtype[1:]
dims = [] if shape == "-" else [int(d) for d in shape.split("x")]
array = np.zeros(dims, kind)
if values:
    array = np.array([float(v) if dtype[0] == "f" else int(v)
                      for v in values], kind).reshape(dims)
np.save(path, array)
