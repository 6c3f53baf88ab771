#!/usr/bin/python3
"""Writes random checkpoint folders, the same ones each time.

`CASES` has small decoders of every kind that the compiler reads: architectures,
their options, element types, prefixes, shards and the layout of the hub's
cache. `T5` and `WHISPER` have small encoder-decoder models of every kind, `LARGE`
models of full size. `write_checkpoints.py NAME FOLDER` writes one.
"""
import argparse
import json
import os
import struct
import sys
import zlib

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import decoder_checkpoints
import t5_checkpoints
import whisper_checkpoints
from checkpoint_case import Drawn, Lowered, Same

CASES = decoder_checkpoints.CASES
T5 = t5_checkpoints.CASES
WHISPER = whisper_checkpoints.CASES
LARGE = {**decoder_checkpoints.LARGE, **t5_checkpoints.LARGE,
         **whisper_checkpoints.LARGE}


def values(name, shape, kind):
    """Random elements, by the tensor's name."""
    if isinstance(kind, Same):
        return values(kind.name, shape, kind.kind)
    if isinstance(kind, Lowered):
        made = values(name, shape, kind.kind)
        vector = values(kind.name, shape[1:], kind.kind_of_name)
        made[kind.first:] -= vector * (kind.by / (vector @ vector))
        return made
    random = np.random.default_rng(zlib.crc32(name.encode()))
    if kind == "mask":
        return np.tril(np.ones(shape, np.float32))
    drawn = random.standard_normal(shape, np.float32)
    if isinstance(kind, Drawn):
        return np.float32(kind.mean) + np.float32(kind.spread) * drawn
    if kind == "norm":
        return 1 + 0.2 * drawn
    if kind == "bias":
        return 0.2 * drawn
    if kind == "table":
        return drawn
    fan = shape[0] if kind == "columns" else shape[1]
    return drawn * np.float32(1.2 / np.sqrt(fan))


def stored(array, dtype):
    """The little-endian bytes of `array`; bf16 rounds to nearest even."""
    if dtype == "F32":
        return array.astype("<f4").tobytes()
    if dtype == "F16":
        return array.astype("<f2").tobytes()
    assert dtype == "BF16"
    bits = array.astype("<f4").view("<u4")
    rounded = bits + 0x7fff + ((bits >> 16) & 1)
    return (rounded >> 16).astype("<u2").tobytes()


WIDTH = {"F32": 4, "F16": 2, "BF16": 2}


def write_safetensors(path, tensors, dtype):
    """Writes (name, shape, kind) triples."""
    header, offset = {"__metadata__": {"format": "pt"}}, 0
    for name, shape, _ in tensors:
        size = int(np.prod(shape, dtype=np.int64)) * WIDTH[dtype]
        header[name] = {"dtype": dtype, "shape": shape,
                        "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)))
        out.write(text)
        for name, shape, kind in tensors:
            out.write(stored(values(name, shape, kind), dtype))
    return offset


def write(case, folder):
    """Writes `case` and returns the folder to compile."""
    target = folder
    if case.cache:
        target = os.path.join(folder, "snapshots", "0123abcd")
    os.makedirs(target, exist_ok=True)

    def path(name):
        """Where to write a file; in a cache, a link leads there."""
        if not case.cache:
            return os.path.join(target, name)
        blob = f"{zlib.crc32(name.encode()):08x}"
        os.makedirs(os.path.join(folder, "blobs"), exist_ok=True)
        os.symlink(f"../../blobs/{blob}", os.path.join(target, name))
        return os.path.join(folder, "blobs", blob)

    def dump(name, value):
        with open(path(name), "w", encoding="utf-8") as out:
            json.dump(value, out, indent=2)

    dump("config.json", case.config)
    if case.generation is not None:
        dump("generation_config.json", case.generation)
    tensors = list(case.tensors())
    if case.shards == 1:
        write_safetensors(path("model.safetensors"), tensors, case.dtype)
        return target
    placed, total = {}, 0
    for i in range(case.shards):
        name = f"model-{i + 1:05}-of-{case.shards:05}.safetensors"
        part = tensors[i::case.shards]
        total += write_safetensors(path(name), part, case.dtype)
        placed.update({tensor: name for tensor, _, _ in part})
    dump("model.safetensors.index.json",
         {"metadata": {"total_size": total}, "weight_map": placed})
    return target


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    known = {**CASES, **T5, **WHISPER, **LARGE}
    parser.add_argument("name", choices=known)
    parser.add_argument("folder")
    options = parser.parse_args()
    print(write(known[options.name], options.folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
