"""Models for the tests of the package, as protobuf text. They are compiled
once for all tests, into a cache that is removed with the process."""
import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
FOLDER = tempfile.mkdtemp(prefix="tenon-python-")
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
os.environ["TENON_CACHE_DIR"] = os.path.join(FOLDER, "cache")
os.environ["TENON_CACHE_LIMIT"] = "1G"

TYPES = {"f32": 1, "u8": 2, "i8": 3, "u16": 4, "i16": 5, "i32": 6, "i64": 7,
         "bool": 9, "f16": 10, "f64": 11, "u32": 12, "u64": 13, "bf16": 16}


def value(kind, name, dtype, *dims):
    shape = " ".join(f"dim {{ dim_value: {d} }}" if isinstance(d, int) else
                     f"dim {{ dim_param: {json.dumps(d)} }}" for d in dims)
    return (f"{kind} {{ name: {json.dumps(name)} type {{ tensor_type {{ "
            f"elem_type: {TYPES[dtype]} shape {{ {shape} }} }} }} }}")


def node(op, inputs, outputs, more=""):
    names = " ".join([f"input: {json.dumps(i)}" for i in inputs] +
                     [f"output: {json.dumps(o)}" for o in outputs])
    return f'node {{ op_type: "{op}" name: "{op}" {names} {more} }}'


def write(name, *parts):
    """Writes a model of these nodes, inputs and outputs; returns its path."""
    path = os.path.join(FOLDER, name)
    text = ('ir_version: 8 opset_import { version: 16 } graph { name: "g" ' +
            " ".join(parts) + " }")
    with open(path + ".onnxtxt", "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run([sys.executable, os.path.join(SOURCE, "lit/Inputs/onnx_text.py"),
                    path + ".onnxtxt", "-o", path + ".onnx"], check=True)
    return path + ".onnx"


def add():
    """z = relu(x + y), [batch, 3]."""
    return write("add", node("Add", ["x", "y"], ["s"]), node("Relu", ["s"], ["z"]),
                 value("input", "x", "f32", "batch", 3),
                 value("input", "y", "f32", "batch", 3),
                 value("output", "z", "f32", "batch", 3))


def copy(dtype, *dims):
    """y = x, of any element type and shape."""
    name = "copy-" + "-".join([dtype, *map(str, dims)])
    return write(name, node("Identity", ["x"], ["y"]),
                 value("input", "x", dtype, *dims),
                 value("output", "y", dtype, *dims))


def endless():
    """A loop that ends only by a deadline or a cancellation."""
    body = ('attribute { name: "body" type: GRAPH g { name: "b" ' +
            node("Identity", ["c"], ["d"]) +
            node("Add", ["v", "v"], ["w"]) +
            value("input", "i", "i64") + value("input", "c", "bool") +
            value("input", "v", "f32", 4) + value("output", "d", "bool") +
            value("output", "w", "f32", 4) + " } }")
    return write("endless", node("Loop", ["n", "go", "x"], ["y"], body),
                 value("input", "n", "i64"), value("input", "go", "bool"),
                 value("input", "x", "f32", 4), value("output", "y", "f32", 4))


def saved_model():
    """A SavedModel with the signatures "double" and "negate"."""
    signatures = " ".join(
        f'signature_def {{ key: "{name}" value {{ '
        'inputs { key: "x" value { name: "x:0" dtype: 1 tensor_shape { '
        'dim { size: -1 } } } } outputs { key: "y" value { '
        f'name: "{name}:0" dtype: 1 }} }} }} }}'
        for name in ("double", "negate"))
    real = 'attr { key: "T" value { type: 1 } }'
    text = ('meta_graphs { meta_info_def { tags: "serve" } ' + signatures +
            ' graph_def { node { name: "x" op: "Placeholder" '
            'attr { key: "dtype" value { type: 1 } } } '
            'node { name: "double" op: "AddV2" input: "x" input: "x" ' + real +
            ' } node { name: "negate" op: "Neg" input: "x" ' + real + " } } }")
    folder = os.path.join(FOLDER, "saved")
    with open(folder + ".txt", "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run([sys.executable, os.path.join(SOURCE, "lit/Inputs/saved_model.py"),
                    folder + ".txt", "-o", folder], check=True)
    return folder
