#!/usr/bin/python3
"""Writes a SavedModel's folder from protobuf text and variables' values.

    saved_model.py MODEL.txt -o DIR [--objects=FILE.txt] [KEY=f32:2x3:1,2,3,4,5,6]...
                                  [KEY=f32:2x3:1..6]...

The text is a tenon.tf.proto.SavedModel. Variables go into a bundle: an index in
LevelDB's table format with one uncompressed block, and one shard. The objects
are a TrackableObjectGraph, which checkpoints hold as a string.
"""
import os
import struct
import subprocess
import sys

import numpy as np

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
PROTO = "compiler/import/tensorflow/reader/tensorflow.proto"
TYPES = {"f32": (1, np.float32), "f64": (2, np.float64), "i32": (3, np.int32),
         "i64": (9, np.int64)}


def encode(message, text):
    return subprocess.run(
        ["/usr/bin/protoc", f"--encode=tenon.tf.proto.{message}", PROTO],
        input=text.encode(), stdout=subprocess.PIPE, check=True,
        cwd=SOURCE).stdout


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


def masked(crc):
    return ((crc >> 15 | crc << 17) + 0xa282ead8) & 0xffffffff


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def block(entries):
    """Entries without shared prefixes, each a restart point."""
    body, restarts = b"", []
    for key, value in entries:
        restarts.append(len(body))
        body += varint(0) + varint(len(key)) + varint(len(value)) + key + value
    restarts = restarts or [0]
    return body + b"".join(struct.pack("<I", r) for r in restarts) + \
        struct.pack("<I", len(restarts))


def table(entries):
    out = b""

    def add(payload):
        nonlocal out
        handle = varint(len(out)) + varint(len(payload))
        out += payload + b"\0" + struct.pack("<I", masked(crc32c(payload + b"\0")))
        return handle

    data = add(block(entries))
    meta = add(block([]))
    index = add(block([(entries[-1][0] + b"\xff", data)]))
    footer = meta + index
    return out + footer.ljust(40, b"\0") + struct.pack("<Q", 0xdb4775248b80fb57)


def main():
    at = sys.argv.index("-o")
    text, folder, variables = sys.argv[1], sys.argv[at + 1], sys.argv[at + 2:]
    objects = [v.split("=", 1)[1] for v in variables if v.startswith("--objects=")]
    variables = [v for v in variables if not v.startswith("--objects=")]
    os.makedirs(folder, exist_ok=True)
    with open(text) as source, \
            open(os.path.join(folder, "saved_model.pb"), "wb") as model:
        model.write(encode("SavedModel", source.read()))
    if not variables:
        return
    shard, entries = b"", [(b"", encode("BundleHeader", "num_shards: 1"))]
    for variable in sorted(variables):
        key, spec = variable.split("=", 1)
        dtype, shape, values = spec.split(":")
        number, numpy_type = TYPES[dtype]
        dims = [int(d) for d in shape.split("x")] if shape else []
        if ".." in values:
            low, high = (int(v) for v in values.split(".."))
            numbers = range(low, high + 1)
        else:
            numbers = [float(v) for v in values.split(",")]
        data = np.array(numbers, numpy_type).reshape(dims).tobytes()
        dim_text = " ".join(f"dim {{ size: {d} }}" for d in dims)
        entries.append((key.encode(), encode(
            "BundleEntry",
            f"dtype: {number} shape {{ {dim_text} }} offset: {len(shard)} "
            f"size: {len(data)} crc32c: {masked(crc32c(data))}")))
        shard += data
    for path in objects:
        with open(path) as source:
            graph = encode("TrackableObjectGraph", source.read())
        size = struct.pack("<I", masked(crc32c(struct.pack("<I", len(graph)))))
        data = varint(len(graph)) + size + graph
        entries.append((b"_CHECKPOINTABLE_OBJECT_GRAPH", encode(
            "BundleEntry", f"dtype: 7 shape {{ }} offset: {len(shard)} "
                           f"size: {len(data)} crc32c: 0")))
        shard += data
    entries.sort()
    base = os.path.join(folder, "variables", "variables")
    os.makedirs(os.path.dirname(base), exist_ok=True)
    with open(base + ".index", "wb") as index:
        index.write(table(entries))
    with open(base + ".data-00000-of-00001", "wb") as data:
        data.write(shard)


main()
