"""ONNX models of a few nodes, made without the onnx package.

    model([node("Add", ["a", "b"], ["y"])], inputs={"a": "f32[2,n]"}, outputs=["y"])

An input is `TYPE[EXTENT,...]`, an extent a number or a name; a constant is a
numpy array. Attributes follow Python's types: int, float, str, lists of them,
arrays for tensors and `Graph` for bodies.
"""
import struct

import numpy as np

ELEMENTS = {"f32": 1, "ui8": 2, "i8": 3, "ui16": 4, "i16": 5, "i32": 6,
            "i64": 7, "bool": 9, "f16": 10, "f64": 11, "ui32": 12, "ui64": 13,
            "bf16": 16}
NUMPY = {"float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5,
         "int32": 6, "int64": 7, "bool": 9, "float16": 10, "float64": 11,
         "uint32": 12, "uint64": 13}


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def tensor(name, array):
    array = np.asarray(array)
    dims = b"".join(number(1, extent) for extent in array.shape)
    return (dims + number(2, NUMPY[array.dtype.name]) + data(8, name)
            + data(9, np.ascontiguousarray(array).tobytes()))


class Graph(bytes):
    """An encoded graph, as an attribute's value."""


def attribute(name, value):
    head = data(1, name)
    if isinstance(value, Graph):
        return head + data(6, value) + number(20, 5)
    if isinstance(value, np.ndarray):
        return head + data(5, tensor("", value)) + number(20, 4)
    if isinstance(value, (bool, int)):
        return head + number(3, value) + number(20, 2)
    if isinstance(value, float):
        return head + varint(2 << 3 | 5) + struct.pack("<f", value) + number(20, 1)
    if isinstance(value, str):
        return head + data(4, value) + number(20, 3)
    if value and isinstance(value[0], float):
        items = b"".join(varint(7 << 3 | 5) + struct.pack("<f", v) for v in value)
        return head + items + number(20, 6)
    if value and isinstance(value[0], str):
        return head + b"".join(data(9, v) for v in value) + number(20, 8)
    return head + b"".join(number(8, v) for v in value) + number(20, 7)


def node(op, inputs, outputs, name=None, domain="", **attributes):
    encoded = b"".join(data(1, i) for i in inputs)
    encoded += b"".join(data(2, o) for o in outputs)
    encoded += data(3, name or "n") + data(4, op) + data(7, domain)
    return encoded + b"".join(data(5, attribute(key, value))
                              for key, value in attributes.items())


def value_info(name, text):
    if text is None:
        return data(1, name)
    element, _, extents = text.rstrip("]").partition("[")
    dims = b""
    for extent in filter(None, extents.split(",")):
        known = extent.lstrip("-").isdigit()
        dims += data(1, number(1, int(extent)) if known else data(2, extent))
    kind = number(1, ELEMENTS[element]) + data(2, dims)
    return data(1, name) + data(2, data(1, kind))


def graph(nodes, inputs=None, outputs=(), constants=None):
    """A graph; `outputs` is a list of names, or of names with types."""
    outputs = outputs if isinstance(outputs, dict) else dict.fromkeys(outputs)
    encoded = b"".join(data(1, n) for n in nodes) + data(2, "g")
    encoded += b"".join(data(5, tensor(name, array))
                        for name, array in (constants or {}).items())
    encoded += b"".join(data(11, value_info(name, text))
                        for name, text in (inputs or {}).items())
    return Graph(encoded + b"".join(data(12, value_info(name, text))
                                    for name, text in outputs.items()))


def model(nodes, inputs=None, outputs=(), constants=None, opset=18):
    imports = data(8, number(2, opset))
    for domain in ("ai.onnx.ml", "ai.onnx.preview.training", "com.microsoft"):
        imports += data(8, data(1, domain) + number(2, 1))
    return (number(1, 8) + imports
            + data(7, graph(nodes, inputs, outputs, constants)))
