"""onnx_node.py OP TYPE... [NAME=VALUE]... -o OUT: a model of one node "n".

TYPE is an input, `f32[2,n,?]` (an extent is a number, a name or open) or `-` (absent).
VALUE is an int, a float, a list `[1,2]` or text. OP may be DOMAIN:OP, and
opset=N says which; both inputs and the output take their names from order.
The output is f32, or of the type y=TYPE, which may have extents.
"""
import json
import re
import subprocess
import sys

TYPES = {"f32": 1, "ui8": 2, "i8": 3, "i32": 6, "i64": 7, "bool": 9,
         "f64": 11, "ui32": 12}


def quoted(text):
    return json.dumps(text)


def attribute(name, text):
    if re.fullmatch(r"-?\d+", text):
        value = f"type: INT i: {text}"
    elif re.fullmatch(r"-?\d+\.\d+", text):
        value = f"type: FLOAT f: {text}"
    elif text.startswith("["):
        items = " ".join(f"ints: {i}" for i in json.loads(text))
        value = f"type: INTS {items}"
    else:
        value = f"type: STRING s: {quoted(text)}"
    return f"attribute {{ name: {quoted(name)} {value} }}"


def value_info(name, text, kind="input"):
    element, extents = re.fullmatch(r"(\w+)\[(.*)\]", text).groups()
    dims = " ".join(
        f"dim {{ dim_value: {d} }}" if d.isdigit()
        else "dim { }" if d == "?" else f"dim {{ dim_param: {quoted(d)} }}"
        for d in extents.split(",") if d)
    return (f"{kind} {{ name: {quoted(name)} type {{ tensor_type {{ elem_type: "
            f"{TYPES[element]} shape {{ {dims} }} }} }} }}")


def main():
    op, *words, _, out = sys.argv[1:]
    domain, _, op = op.rpartition(":")
    inputs, infos, attributes, opset, element = [], [], [], 17, "f32"
    for word in words:
        name, equals, value = word.partition("=")
        if name == "opset":
            opset = int(value)
        elif name == "y":
            element = value
        elif equals:
            attributes.append(attribute(name, value))
        else:
            name = "" if word == "-" else f"x{len(inputs)}"
            inputs.append(f"input: {quoted(name)}")
            if name:
                infos.append(value_info(name, word))
    imports = "" if not domain else (
        f"opset_import {{ domain: {quoted(domain)} version: 1 }}")
    if "[" in element:
        result = value_info("y", element, "output")
    else:
        result = (f"output {{ name: \"y\" type {{ tensor_type {{ elem_type: "
                  f"{TYPES[element]} }} }} }}")
    text = f"""ir_version: 8 opset_import {{ version: {opset} }} {imports}
      graph {{ name: "g" {' '.join(infos)} {result}
        node {{ name: "n" op_type: {quoted(op)} domain: {quoted(domain)}
               {' '.join(inputs)} output: "y" {' '.join(attributes)} }} }}"""
    with open(out, "wb") as binary:
        return subprocess.run(
            ["protoc", "--encode=onnx.ModelProto", "-I/usr/include",
             "/usr/include/onnx/onnx.proto"],
            input=text.encode(), stdout=binary).returncode


sys.exit(main())
