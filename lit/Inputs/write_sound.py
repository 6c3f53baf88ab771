#!/usr/bin/python3
"""write_sound.py FILE SCRIPT [--seconds=S] [--rate=HZ] [--channels=N]
[--kind=pcm|float|flac|ogg] [--language=ID] [--nan=SAMPLE]: writes a sound for
the dictation model. SCRIPT is SEEK:ID,ID,..;SEEK:.. - the window at frame SEEK
says these ids. At another rate than 16 kHz each id is held for its frame, so
that it survives the conversion. Every second channel is louder, the others are
softer by as much."""
import argparse
import ctypes
import struct
import sys

import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("file")
parser.add_argument("script")
parser.add_argument("--seconds", type=float, default=1)
parser.add_argument("--rate", type=int, default=16000)
parser.add_argument("--channels", type=int, default=1)
parser.add_argument("--kind", default="pcm")
parser.add_argument("--language", type=int, default=42)
parser.add_argument("--nan", type=int, default=-1)
options = parser.parse_args()

frame = options.rate // 100
sound = np.zeros(round(options.seconds * options.rate), np.float32)
for window in filter(None, options.script.split(";")):
    seek, ids = window.split(":")
    for i, one in enumerate(filter(None, ids.split(","))):
        at = (int(seek) + 1 + i) * frame
        if options.rate == 16000:
            sound[at:at + 1] = int(one) / 2048
        else:
            sound[at - frame // 2:at + frame // 2] = int(one) / 2048
if options.rate == 16000:
    sound[40:41] = options.language / 2048
if options.nan >= 0:
    sound[options.nan] = np.nan
signs = np.array([1 + 0.5 * (-1) ** c for c in range(options.channels)])
signs = signs / signs.mean()
wide = sound[:, None] * signs[None, :]


class Info(ctypes.Structure):
    _fields_ = [("frames", ctypes.c_int64), ("samplerate", ctypes.c_int),
                ("channels", ctypes.c_int), ("format", ctypes.c_int),
                ("sections", ctypes.c_int), ("seekable", ctypes.c_int)]


if options.kind in ("flac", "ogg"):
    library = ctypes.CDLL("libsndfile.so.1")
    library.sf_open.restype = ctypes.c_void_p
    library.sf_writef_float.argtypes = [ctypes.c_void_p, ctypes.c_void_p,
                                        ctypes.c_int64]
    library.sf_writef_float.restype = ctypes.c_int64
    library.sf_close.argtypes = [ctypes.c_void_p]
    info = Info(0, options.rate, options.channels,
                0x170002 if options.kind == "flac" else 0x200060, 0, 0)
    handle = library.sf_open(options.file.encode(), 0x20, ctypes.byref(info))
    data = np.ascontiguousarray(wide, np.float32)
    done = 0
    # libsndfile's encoder of Ogg overflows its stack on one long block.
    while done < len(data):
        part = data[done:done + 4096]
        done += library.sf_writef_float(handle, part.ctypes.data, len(part))
    sys.exit(library.sf_close(handle))

if options.kind == "float":
    data, tag, bits = wide.astype("<f4").tobytes(), 3, 32
else:
    data, tag, bits = np.round(wide * 32768).astype("<i2").tobytes(), 1, 16
width = options.channels * bits // 8
with open(options.file, "wb") as file:
    file.write(b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt ")
    file.write(struct.pack("<IHHIIHH", 16, tag, options.channels, options.rate,
                           options.rate * width, width, bits))
    file.write(b"data" + struct.pack("<I", len(data)) + data)
