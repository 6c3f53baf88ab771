#!/usr/bin/python3
"""Counts what kernels do on the emulated device.

check_counters.py BUILD [--update]

Each row of counters.txt is one kernel. Its counts must be those of the file and
within the limits below; --update writes the file. The bits are compared with
the CPU's too.
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "counters.txt")
SECTOR = 32
MOST_MOVED = 1.03
LEAST_FMA = 85

HEADER = """\
# What kernels do on the emulated device (check_counters.py BUILD --update).
#
# moved      bytes of the 32-byte sectors that instructions touch, over the bytes
#            of the operands that have as many elements as the largest one, and
#            of the results, each byte once; at most 1.03; a tile reads its
#            operands again
# repeated   the same bytes of operands with fewer elements, such as a bias of
#            one row, which each row reads again through the caches; no limit
# conflicts  passes over shared memory due to bank conflicts; 0
# local      instructions that access local memory; 0
# fma        fused multiply-adds among instructions, in percent; at least 85 in
#            the tile
"""


def tensor(dims, element="f32"):
    return "tensor<" + "".join(f"{dim}x" for dim in dims) + element + ">"


def elements(dims):
    count = 1
    for dim in dims:
        count *= dim
    return count


class Model:
    """Inputs, ops, and one result. Inputs are in the order in which ops use
    them, which is that of the kernel's operands."""

    def __init__(self):
        self.inputs, self.ops, self.result = [], [], None

    def input(self, *dims):
        self.inputs.append(dims)
        return f"%x{len(self.inputs) - 1}", dims

    def op(self, text, dims, operands):
        """`text` without operands and types: `tenon.add {} , {}`."""
        name = f"%{len(self.ops)}"
        types = ", ".join(tensor(o[1]) for o in operands)
        self.ops.append(f"{name} = {text.format(*(o[0] for o in operands))} : "
                        f"({types}) -> {tensor(dims)}")
        self.result = name, dims
        return self.result

    def unary(self, op, x):
        return self.op(f"tenon.{op} {{}}", x[1], [x])

    def binary(self, op, x, y):
        return self.op(f"tenon.{op} {{}}, {{}}", x[1], [x, y])

    def broadcast(self, x, dims, to):
        return self.op(f"tenon.broadcast_in_dim {{}} dims {dims} "
                       f"sizes {list(to)}", to, [x])

    def reduce(self, kind, x):
        return self.op(f"tenon.reduce {kind} {{}} over [1]", x[1][:1], [x])

    def composite(self, text, x):
        """An op that names one type, that of its operand and its result."""
        name = f"%{len(self.ops)}"
        self.ops.append(f"{name} = {text.format(x[0])} : {tensor(x[1])}")
        self.result = name, x[1]

    def text(self):
        arguments = ", ".join(
            f'%x{i}: {tensor(dims)} {{tenon.name = "x{i}"}}'
            for i, dims in enumerate(self.inputs))
        body = "\n  ".join(self.ops)
        name, dims = self.result
        return (f"func.func @main({arguments}) -> ({tensor(dims)} "
                f'{{tenon.name = "y"}}) {{\n  {body}\n  return {name} : '
                f"{tensor(dims)}\n}}\n")


def elementwise(m, rows, width):
    x, y = m.input(rows, width), m.input(rows, width)
    m.unary("exponential", m.binary("multiply", x, y))


def row_bias(m, rows, width):
    bias, x = m.input(width), m.input(rows, width)
    m.binary("add", x, m.broadcast(bias, [1], x[1]))


def channel_bias(m, rows, width):
    bias, x = m.input(rows), m.input(2, rows, width)
    m.binary("add", x, m.broadcast(bias, [1], x[1]))


def gelu(m, rows, width):
    m.composite("tenon.gelu {}", m.input(rows, width))


def residual(m, rows, width):
    x, y, bias = m.input(rows, width), m.input(rows, width), m.input(width)
    m.binary("add", m.binary("add", x, y), m.broadcast(bias, [1], x[1]))


def softmax(m, rows, width):
    m.composite("tenon.softmax {} over 1", m.input(rows, width))


def layer_norm(m, rows, width):
    x, scale, bias = m.input(rows, width), m.input(width), m.input(width)
    m.op("tenon.layer_norm {}, {}, {} axis 1 epsilon 1.0e-5", x[1],
         [x, scale, bias])


def row_sum(m, rows, width):
    m.reduce("add", m.input(rows, width))


def row_maximum(m, rows, width):
    m.reduce("maximum", m.input(rows, width))


def tile(m, rows, width):
    x, y = m.input(rows, width), m.input(width, width)
    m.op("tenon.dot_general {}, {} batch [] x [] contract [1] x [0]",
         (rows, width), [x, y])


MAPS = [elementwise, row_bias, channel_bias, gelu, residual]
ROWS = [softmax, layer_norm, row_sum, row_maximum]
CASES = [(make, rows, width)
         for rows, width in [(128, 1024), (101, 301)] for make in MAPS + ROWS]
CASES.append((tile, 512, 512))


def launch_of(build, work, text):
    """The report's words about the only launch of a model."""
    model, report = os.path.join(work, "m.mlir"), os.path.join(work, "report")
    with open(model, "w") as file:
        file.write(text)
    open(report, "w").close()
    done = subprocess.run(
        [os.path.join(build, "bin", "compare-device"), model, "sm_80"],
        capture_output=True, text=True,
        env={**os.environ, "TENON_GPU_REPORT": report, "TENON_GPU_SM": "80",
             "LD_LIBRARY_PATH": os.path.join(build, "lib", "gpu")})
    with open(report) as file:
        launches = [line for line in file if line.startswith("launch: ")]
    if done.returncode or len(launches) != 1:
        sys.exit(f"{len(launches)} launches\n{text}{done.stdout}{done.stderr}")
    return launches[0]


def count(launch, model):
    """(moved, repeated, conflicts, local, fma) as texts."""
    numbers = {name: int(value)
               for name, value in re.findall(r"(\w+) (\d+)\b(?!/)", launch)}
    operands = [tuple(map(int, pair))
                for pair in re.findall(r"(\d+)/(\d+)", launch)]
    inputs = [elements(dims) for dims in model.inputs]
    # The memory of faults comes first and the result last.
    reads = [read for read, _ in operands[1:1 + len(inputs)]]
    most = max(inputs)
    moved = numbers["sectors_written"] + sum(
        r for r, n in zip(reads, inputs) if n == most)
    repeated = numbers["sectors_read"] - sum(
        r for r, n in zip(reads, inputs) if n == most)
    needed = 4 * (sum(n for n in inputs if n == most) +
                  elements(model.result[1]))
    return (f"{SECTOR * moved / needed:.3f}",
            f"{SECTOR * repeated / needed:.3f}",
            str(numbers["bank_conflicts"]), str(numbers["local"]),
            f"{100 * numbers['fma'] / numbers['instructions']:.0f}")


def excess(make, counts):
    """What is outside its limit, or nothing."""
    moved, _, conflicts, local, fma = map(float, counts)
    if conflicts or local:
        return "bank conflicts or local memory"
    if make is tile:
        return "too few fused multiply-adds" if fma < LEAST_FMA else ""
    return "too many bytes moved" if moved > MOST_MOVED else ""


def main():
    build, update = os.path.abspath(sys.argv[1]), "--update" in sys.argv
    rows, wrong = [], []
    with tempfile.TemporaryDirectory(prefix="tenon-") as work:
        for make, height, width in CASES:
            model = Model()
            make(model, height, width)
            counts = count(launch_of(build, work, model.text()), model)
            name = f"{make.__name__}-{height}x{width}"
            rows.append((name, *counts))
            if found := excess(make, counts):
                wrong.append(f"{name}: {found}")
    text = HEADER
    for row in [("# kernel", "moved", "repeated", "conflicts", "local", "fma"),
                *rows]:
        text += (f"{row[0]:22}" + "".join(f"{c:>10}" for c in row[1:])).rstrip()
        text += "\n"
    print(text)
    if update:
        with open(TABLE, "w") as file:
            file.write(text)
    with open(TABLE) as file:
        if file.read() != text:
            wrong.append("counters.txt has other counts; --update writes it")
    for line in wrong:
        print(line)
    print(f"{len(rows)} kernels, {len(wrong)} failures")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
