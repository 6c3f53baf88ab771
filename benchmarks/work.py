#!/usr/bin/python3
"""The least work of a model: operations of its contractions, bytes read.

Counted in the program after all shapes are known. A product and its sum are
two operations; ops other than dot products and convolutions count as free.
Bytes are those of the weights in use, the inputs and the outputs, each counted
once. A table counts with the rows that are read. Usage: TOOL MODEL
[INPUT:1x3x224x224...].
"""
import math
import re
import subprocess
import sys

BITS = {"index": 64}
TENSOR = re.compile(r"tensor<((?:\d+x)*)(\w+)>")


def tensor(text):
    """The extents and bytes of a static tensor type."""
    dims, element = TENSOR.fullmatch(text).groups()
    dims = [int(d) for d in dims.split("x")[:-1]]
    bits = BITS.get(element) or int(re.search(r"\d+", element)[0])
    return dims, math.prod(dims) * math.ceil(bits / 8)


def types(text):
    return [tensor(m[0]) for m in TENSOR.finditer(text)]


def list_after(word, line):
    found = re.search(rf"\b{word} \[([\d, ]*)\]", line)
    return [int(n) for n in found[1].split(",") if n.strip()]


def flops_of(line):
    if " tenon.dot_general " in line:
        signature = types(line[line.rindex(" : ("):])
        (lhs, _), _, (result, _) = signature
        summed = math.prod(lhs[d] for d in list_after("contract", line))
        return 2 * math.prod(result) * summed
    if " tenon.convolution " in line:
        _, (kernel, _), (result, _) = types(line[line.rindex(" : ("):])
        taps = 2 * math.prod(result) * math.prod(kernel[:-1])
        # Taps on the zeros of a transposed convolution are no work.
        return taps // math.prod(list_after("lhs_dilation", line))
    return 0


def weight_bytes(lines):
    """The bytes of every weight, or of the rows read from it."""
    held = {}
    for line in lines:
        found = re.search(r"(%\S+) = tenon\.get_weight @.* : (tensor<.*>)",
                          line)
        if found:
            held[found[1]] = tensor(found[2])[1]
    total = 0
    for name, size in held.items():
        uses = [l for l in lines
                if re.search(re.escape(name) + r"(?!\w)", l) and
                not l.lstrip().startswith(f"{name} =")]
        if uses and all(" tenon.gather " in l for l in uses):
            size = sum(types(l)[-1][1] for l in uses)
        total += size
    return total


def measure(tool, model, shapes):
    """The operations and bytes of one call of `model`. `shapes` has the shapes
    of inputs that the model leaves dynamic."""
    flags = [f"--shape={name}:{'x'.join(map(str, extents))}"
             for name, extents in shapes.items() if extents]
    text = subprocess.run(
        [tool, "compile", "-q", model, *flags, "--stop-after=shaped", "-o",
         "-"], check=True, stdout=subprocess.PIPE, text=True).stdout
    lines = text.splitlines()
    doors = [l for l in lines if l.lstrip().startswith("func.func @")]
    size = weight_bytes(lines) + sum(b for l in doors for _, b in types(l))
    return sum(map(flops_of, lines)), size


def main():
    tool, model, *given = sys.argv[1:]
    shapes = {}
    for item in given:
        name, extents = item.rsplit(":", 1)
        shapes[name] = [int(e) for e in extents.split("x")]
    flops, size = measure(tool, model, shapes)
    print(f"{flops} operations, {size} bytes")


if __name__ == "__main__":
    main()
