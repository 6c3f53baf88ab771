"""Reads and writes ONNX files without the onnx package, as far as tests need.

`Model` has the graph's inputs, outputs, nodes and initializers; tensors are
converted to and from numpy arrays. This reader shares no code with the
compiler's, so that a common mistake cannot hide.
"""
import numpy as np

DTYPES = {1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16",
          6: "int32", 7: "int64", 8: "object", 9: "bool", 10: "float16",
          11: "float64", 12: "uint32", 13: "uint64"}
CODES = {name: code for code, name in DTYPES.items()}
BFLOAT16 = 16


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def fields(data):
    """Yields (number, value): bytes for length-delimited fields, else an
    integer."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = data[at:at + 8], at + 8
        elif kind == 5:
            value, at = data[at:at + 4], at + 4
        else:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        yield key >> 3, value


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def varints(chunks):
    """The integers of a repeated field, packed or not."""
    for chunk in chunks:
        if isinstance(chunk, int):
            yield signed(chunk)
            continue
        at = 0
        while at < len(chunk):
            value, at = varint(chunk, at)
            yield signed(value)


class Message:
    def __init__(self, data):
        self.fields = {}
        for number, value in fields(data):
            self.fields.setdefault(number, []).append(value)

    def text(self, number):
        return self.fields.get(number, [b""])[-1].decode("utf-8", "replace")

    def integer(self, number, default=0):
        return signed(self.fields.get(number, [default])[-1])

    def all(self, number):
        return self.fields.get(number, [])


class Tensor:
    def __init__(self, data):
        message = Message(data)
        self.message = message
        self.name = message.text(8)
        self.code = message.integer(2)
        self.dims = list(varints(message.all(1)))
        self.external = bool(message.all(13))

    def array(self):
        message, dtype = self.message, DTYPES.get(self.code)
        if self.code == BFLOAT16:
            dtype = "uint16"
        if message.all(9):
            flat = np.frombuffer(message.all(9)[-1], dtype)
        elif self.code == 1 and message.all(4):
            flat = np.frombuffer(b"".join(message.all(4)), "float32")
        elif self.code == 11:
            flat = np.frombuffer(b"".join(message.all(10)), "float64")
        elif self.code == 7:
            flat = np.array(list(varints(message.all(7))), "int64")
        elif self.code in (12, 13):
            flat = np.array([v & (1 << 64) - 1
                             for v in varints(message.all(11))], dtype)
        elif self.code == 8:
            flat = np.array(message.all(6), object)
        else:
            values = list(varints(message.all(5)))
            flat = np.array(values, "int64")
            flat = flat.astype("uint16").view(dtype) if self.code == 10 \
                else flat.astype(dtype)
        return flat.reshape(self.dims)


class Value:
    """A graph input or output: name, kind, element code, dims."""

    def __init__(self, data):
        message = Message(data)
        self.name = message.text(1)
        self.code, self.dims, self.kind = 0, None, "none"
        kinds = {1: "tensor", 4: "sequence", 5: "map", 8: "sparse",
                 9: "optional"}
        for number, value in fields(message.all(2)[-1]
                                    if message.all(2) else b""):
            self.kind = kinds.get(number, self.kind)
            if number == 1:
                tensor = Message(value)
                self.code = tensor.integer(1)
                if tensor.all(2):
                    self.dims = []
                    for dim in Message(tensor.all(2)[-1]).all(1):
                        extent = Message(dim)
                        self.dims.append(extent.integer(1) if extent.all(1)
                                         else extent.text(2) or None)


class Node:
    def __init__(self, data):
        message = Message(data)
        self.inputs = [v.decode() for v in message.all(1)]
        self.outputs = [v.decode() for v in message.all(2)]
        self.name = message.text(3)
        self.op = message.text(4)
        self.domain = message.text(7)
        self.attributes = {}
        self.graphs = []
        for raw in message.all(5):
            attribute = Message(raw)
            self.attributes[attribute.text(1)] = attribute
            self.graphs += [Graph(g) for g in
                            attribute.all(6) + attribute.all(11)]

    def integer(self, name, default):
        held = self.attributes.get(name)
        return held.integer(3) if held else default


class Graph:
    def __init__(self, data):
        message = Message(data)
        self.name = message.text(2)
        self.nodes = [Node(v) for v in message.all(1)]
        self.initializers = [Tensor(v) for v in message.all(5)]
        weights = {t.name for t in self.initializers}
        self.inputs = [v for v in map(Value, message.all(11))
                       if v.name not in weights]
        self.outputs = [Value(v) for v in message.all(12)]

    def walk(self):
        for node in self.nodes:
            yield node
            for graph in node.graphs:
                yield from graph.walk()


class Model:
    def __init__(self, path):
        with open(path, "rb") as file:
            message = Message(file.read())
        self.graph = Graph(message.all(7)[-1])
        self.opsets = {}
        for raw in message.all(8):
            opset = Message(raw)
            self.opsets[opset.text(1)] = opset.integer(2)
        self.functions = message.all(25)


def read_tensor(path):
    with open(path, "rb") as file:
        return Tensor(file.read())


def _varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _bytes(number, data):
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def write_tensor(path, array, name=""):
    array = np.asarray(array, order="C")
    data = b"".join(_varint(1 << 3) + _varint(d) for d in array.shape)
    data += _varint(2 << 3) + _varint(CODES[array.dtype.name])
    data += _bytes(8, name.encode()) + _bytes(9, array.tobytes())
    with open(path, "wb") as file:
        file.write(data)
