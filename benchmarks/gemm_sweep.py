#!/usr/bin/python3
"""Matrix products with constant weights beside what the machine can do.

Each product x[M,K] * w[K,N] is a model of one node, measured in turns with
OpenBLAS, ONNX Runtime, a loop of fused multiply-adds and a read of as many
bytes as the weights have. `of peak` is our share of the multiply-adds, `of
read` that of the read: a product is at its limit when one of them is near 1.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(HERE)
sys.path.insert(0, HERE)
import callers
import rounds

ROWS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
WEIGHTS = [(768, 768), (768, 2304), (768, 3072), (3072, 768), (768, 50257),
           (1024, 1024), (4096, 4096)]
OPENBLAS = "libopenblas.so.0"
PEERS = {"blas": "OpenBLAS", "ort": "ONNX Runtime"}


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number, value):
    """One field of a protocol buffer: a number or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def value_info(name, shape):
    dims = b"".join(field(1, field(1, extent)) for extent in shape)
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, dims)))


def product_model(weights, rows):
    """An ONNX file of one MatMul."""
    depth, columns = weights.shape
    tensor = (field(1, depth) + field(1, columns) + field(2, 1)
              + field(8, "w") + field(9, weights.tobytes()))
    node = (field(1, "x") + field(1, "w") + field(2, "y") + field(3, "product")
            + field(4, "MatMul"))
    graph = (field(1, node) + field(2, "g") + field(5, tensor)
             + field(11, value_info("x", (rows, depth)))
             + field(12, value_info("y", (rows, columns))))
    return field(1, 8) + field(7, graph) + field(8, field(2, 17))


class Sweep:
    def __init__(self, options):
        self.options = options
        programs = os.path.join(options.build, "bench", "callers")
        library = os.path.join(options.build, "lib")
        self.tool = os.path.join(options.build, "bin", "tenon")
        self.ours = callers.build_c(
            os.path.join(programs, "tenon_caller"),
            ["tenon_caller.c", "caller.c"], f"-I{SOURCE}", f"-L{library}",
            f"-Wl,-rpath,{library}", "-ltenon_rt")
        self.floor = callers.build_c(os.path.join(programs, "floor"),
                                     ["floor.c"], "-pthread")
        self.peers = {}
        if "blas" in options.peers:
            self.peers["blas"] = [callers.build_c(
                os.path.join(programs, "blas_caller"),
                ["blas_caller.c", "caller.c"], "-ldl"), OPENBLAS]
        if "ort" in options.peers:
            self.ort = callers.install_ort(os.path.join(options.build, "peers"))
            self.peers["ort"] = [callers.build_c(
                os.path.join(programs, "ort_caller"),
                ["ort_caller.c", "caller.c"], "-ldl"), self.ort]

    def measure(self, folder, rows, depth, columns):
        """One row of the table."""
        random = np.random.default_rng(7)
        x = random.standard_normal((rows, depth), np.float32)
        w = random.standard_normal((depth, columns), np.float32)
        y = np.empty((rows, columns), np.float32)
        model = os.path.join(folder, "product.onnx")
        with open(model, "wb") as file:
            file.write(product_model(w, rows))
        artifact = os.path.join(folder, "product.so")
        subprocess.run([self.tool, "compile", "-q", model, "-o", artifact],
                       check=True)
        threads = self.options.threads
        commands = {"ours": [self.ours, artifact, threads]}
        if "blas" in self.peers:
            commands["blas"] = [*self.peers["blas"], threads]
        if "ort" in self.peers:
            commands["ort"] = [*self.peers["ort"], model, threads]
        started = {}
        floor = callers.Floor([self.floor, threads], threads)
        try:
            for who, command in commands.items():
                inputs = {"x": x, "w": w} if who == "blas" else {"x": x}
                started[who] = callers.Caller(
                    command, threads, os.path.join(folder, who), inputs,
                    {"y": y})
            exact = x[:1].astype(np.float64) @ w.astype(np.float64)
            for who, caller in started.items():
                error = np.abs(caller.results()["y"][:1] - exact).max()
                if not error < 1e-5 * depth:
                    raise SystemExit(f"gemm_sweep: {who} is wrong by {error}")
            seen = rounds.Rounds(started, floor, w.nbytes,
                                 self.options.rounds)
        finally:
            for program in [*started.values(), floor]:
                program.close()
        taken = np.array(seen.times["ours"])
        flops = 2e-6 * rows * depth * columns
        row = [f"{depth} x {columns}", str(rows),
               f"{seen.milliseconds('ours'):.3f}",
               f"{np.median(flops / taken / seen.peak):.2f}",
               f"{np.median(1e-6 * w.nbytes / taken / seen.bandwidth):.2f}"]
        return row + [f"{seen.ratio(who, 'ours')[0]:.2f}" for who in self.peers]


def numbers(text):
    return [int(n) for n in text.split(",")]


def shapes(text):
    return [tuple(int(n) for n in w.split("x")) for w in text.split(",")]


def main():
    parser = argparse.ArgumentParser(
        description="Times matrix products beside the machine and its peers.")
    parser.add_argument("--build", default=os.path.join(SOURCE, "build"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--rows", type=numbers, default=ROWS,
                        help="values of M: 1,128")
    parser.add_argument("--weights", type=shapes, default=WEIGHTS,
                        help="values of KxN: 768x768,768x2304")
    parser.add_argument("--peers", default="blas,ort",
                        help="of blas,ort, or none")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    sweep = Sweep(options)
    titles = ["K x N", "M", "ms", "of peak", "of read",
              *(f"{PEERS[p]} / ours" for p in sweep.peers)]
    print("| " + " | ".join(titles) + " |")
    print("|" + "---|" * len(titles))
    with tempfile.TemporaryDirectory() as folder:
        for depth, columns in options.weights:
            for rows in options.rows:
                print("| " + " | ".join(
                    sweep.measure(folder, rows, depth, columns)) + " |",
                    flush=True)


if __name__ == "__main__":
    main()
