"""TensorFlow graphs as protobuf text, node by node, and as files."""
import os
import subprocess

import numpy as np

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
PROTO = "compiler/import/tensorflow/reader/tensorflow.proto"
TYPES = {"float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int16": 5,
         "int8": 6, "complex64": 8, "int64": 9, "bool": 10, "uint16": 17,
         "complex128": 18, "float16": 19, "uint32": 22, "uint64": 23}


class Type:
    """An element type as an attribute's value."""

    def __init__(self, name):
        self.number = TYPES[np.dtype(name).name]


class Function:
    """A function as an attribute's value."""

    def __init__(self, name):
        self.name = name


def encode(message, text):
    return subprocess.run(
        ["/usr/bin/protoc", f"--encode=tenon.tf.proto.{message}", PROTO],
        input=text.encode(), stdout=subprocess.PIPE, check=True,
        cwd=SOURCE).stdout


def quote(data):
    if isinstance(data, str):
        data = data.encode()
    return '"' + "".join(f"\\{byte:03o}" for byte in data) + '"'


def tensor(array):
    array = np.asarray(array)
    dims = " ".join(f"dim {{ size: {d} }}" for d in array.shape)
    return (f"dtype: {TYPES[array.dtype.name]} tensor_shape {{ {dims} }} "
            f"tensor_content: {quote(np.ascontiguousarray(array).tobytes())}")


def listed(values):
    field = "f" if any(isinstance(v, float) for v in values) else \
        "s" if any(isinstance(v, str) for v in values) else "i"
    return "list { " + " ".join(
        f"{field}: {quote(v) if field == 's' else v}" for v in values) + " }"


def value(given):
    if isinstance(given, bool):
        return f"b: {str(given).lower()}"
    if isinstance(given, int):
        return f"i: {given}"
    if isinstance(given, float):
        return f"f: {given!r}"
    if isinstance(given, str):
        return f"s: {quote(given)}"
    if isinstance(given, Type):
        return f"type: {given.number}"
    if isinstance(given, Function):
        return f"func {{ name: {quote(given.name)} }}"
    if isinstance(given, (list, tuple)):
        return listed(given)
    return f"tensor {{ {tensor(given)} }}"


def attribute(key, text):
    return f'attr {{ key: "{key}" value {{ {text} }} }}'


def node(name, op, inputs=(), **attributes):
    """The fields of a NodeDef."""
    parts = [f"name: {quote(name)} op: {quote(op)}"]
    parts += [f"input: {quote(i)}" for i in inputs]
    parts += [attribute(key, value(given))
              for key, given in attributes.items()]
    return " ".join(parts)


def placeholder(name, dtype, shape):
    dims = " ".join(f"dim {{ size: {d} }}" for d in shape)
    return " ".join([
        f"name: {quote(name)} op: 'Placeholder'",
        attribute("dtype", f"type: {TYPES[np.dtype(dtype).name]}"),
        attribute("shape", f"shape {{ {dims} }}")])


def constant(name, array):
    array = np.asarray(array)
    return node(name, "Const", dtype=Type(array.dtype), value=array)


def graph(nodes, library=""):
    """The fields of a GraphDef."""
    text = "".join(f"node {{ {n} }}\n" for n in nodes)
    return text + (f"library {{ {library} }}\n" if library else "")


def function(name, inputs, outputs, nodes, results):
    """A FunctionDef for a library: outputs by name, each `node:output:0`."""
    args = " ".join(f"input_arg {{ name: {quote(i)} }}" for i in inputs)
    outs = " ".join(f"output_arg {{ name: {quote(o)} }}" for o in outputs)
    body = " ".join(f"node_def {{ {n} }}" for n in nodes)
    ret = " ".join(f"ret {{ key: {quote(o)} value: {quote(r)} }}"
                   for o, r in zip(outputs, results))
    return (f"function {{ signature {{ name: {quote(name)} {args} {outs} }} "
            f"{body} {ret} }}")


def write_graph(path, text):
    with open(path, "wb") as file:
        file.write(encode("GraphDef", text))
