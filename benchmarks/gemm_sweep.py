#!/usr/bin/python3
"""Matrix products with constant weights, beside BLAS libraries and the floor.

Each product x[M,K] * w[K,N] is a model of one node. Tenon and ONNX Runtime get
it as a file. OpenBLAS and oneDNN are called with the same numbers. oneDNN's
weights are converted to its own layout before the measurement; OpenBLAS has no
such call. The method is that for whole models (README.md).
"""
import argparse
import json
import os
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import bench
import callers
import rounds

ROWS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
WEIGHTS = [(768, 768), (768, 2304), (768, 3072), (3072, 768), (768, 50257),
           (1024, 1024), (4096, 4096)]
# M, K and N that are no multiple of any library's tile.
OTHERS = [(1000, 1000, 1000), (1023, 1023, 1023)]
PEERS = {"openblas": "OpenBLAS", "onednn": "oneDNN", "ort": "ONNX Runtime"}
OPENBLAS = "libopenblas.so.0"
# The number of rows compared with a product in float64.
CHECKED = 4


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


def model(weights, rows):
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
    """Everything that is built once for the sweep."""

    def __init__(self, options):
        self.bench = bench.Bench(options)
        self.peers = options.peers
        self.rounds = options.rounds
        programs = os.path.join(options.build, "bench", "callers")
        if "openblas" in options.peers:
            self.blas = callers.build_c(os.path.join(programs, "blas_caller"),
                                        ["blas_caller.c", "caller.c"], "-ldl")
        if "onednn" in options.peers:
            self.dnnl = callers.build_c(os.path.join(programs, "dnnl_caller"),
                                        ["dnnl_caller.c", "caller.c"],
                                        "-ldnnl")

    def command(self, who, model, artifact, threads):
        if who == bench.OURS:
            return [self.bench.caller, artifact, threads]
        if who == "ort":
            return [self.bench.ort, self.bench.library, model, threads]
        if who == "openblas":
            return [self.blas, OPENBLAS, threads]
        return [self.dnnl]

    def measure(self, folder, rows, depth, columns, threads):
        random = np.random.default_rng(7)
        x = random.standard_normal((rows, depth), np.float32)
        w = random.standard_normal((depth, columns), np.float32)
        y = np.empty((rows, columns), np.float32)
        path = os.path.join(folder, "product.onnx")
        with open(path, "wb") as file:
            file.write(model(w, rows))
        artifact = os.path.join(folder, "product.so")
        self.bench.compile(path, artifact)
        exact = x[:CHECKED].astype(np.float64) @ w.astype(np.float64)
        flops, size = 2 * rows * depth * columns, x.nbytes + w.nbytes + y.nbytes
        started, floor = {}, None
        try:
            for who in [bench.OURS, *self.peers]:
                inputs = {"x": x} if who in (bench.OURS, "ort") else \
                    {"x": x, "w": w}
                started[who] = callers.Caller(
                    self.command(who, path, artifact, threads), threads,
                    os.path.join(folder, who), inputs, {"y": y})
            floor = callers.Floor([self.bench.floor, threads], threads)
            errors = {who: float(np.abs(caller.results()["y"][:CHECKED] -
                                        exact).max())
                      for who, caller in started.items()}
            seen = rounds.Rounds(started, floor, size, self.rounds)
        finally:
            for program in [*started.values(), *filter(None, [floor])]:
                program.close()
        os.remove(artifact)
        # The expected error of a plain float32 sum, with some margin.
        allowed = 2e-7 * depth * np.abs(exact).mean()
        if errors[bench.OURS] > allowed:
            raise SystemExit(f"gemm_sweep: {rows} x {depth} x {columns}: an "
                             f"error of {errors[bench.OURS]:.2g}, allowed "
                             f"{allowed:.2g}")
        if not seen.peak:
            raise SystemExit("gemm_sweep: no round was quiet")
        _, bound = seen.floor((flops, size))
        row = {"m": rows, "k": depth, "n": columns, "threads": threads,
               "bound": bound, "ms": seen.milliseconds(bench.OURS),
               "of_floor": seen.of_floor(bench.OURS, (flops, size)),
               "errors": errors, "ratio": {}}
        for peer in self.peers:
            row["ratio"][peer] = seen.ratio(peer, bench.OURS)
        return row


def line(row, peers):
    cells = [f"{row['k']} x {row['n']}", str(row["m"]), str(row["threads"]),
             bench.milliseconds(row["ms"]), f"{row['of_floor']:.0%}",
             row["bound"]]
    cells += [f"{row['ratio'][p][0]:.2f}" for p in peers]
    return "| " + " | ".join(cells) + " |"


def parse():
    parser = argparse.ArgumentParser(
        prog="quickstart bench gemm",
        description="Times matrix products beside their peers.")
    parser.add_argument("--build", default=os.path.join(callers.SOURCE,
                                                        "build"))
    parser.add_argument("--threads", default="1,2", help="default: 1,2")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peers", default=",".join(PEERS),
                        help="of openblas, onednn and ort; none: Tenon alone")
    parser.add_argument("--flag", action="append", default=[],
                        help="a flag for tenon compile, repeatable")
    parser.add_argument("--rows", help="1,16,128: instead of all M")
    parser.add_argument("--weights", help="768x768,768x3072: instead of all "
                        "K x N")
    parser.add_argument("--json", help="default: BUILD/bench/gemm.json")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    options.json = options.json or os.path.join(options.build, "bench",
                                                "gemm.json")
    options.peers = [p for p in options.peers.split(",") if p != "none"]
    for peer in options.peers:
        if peer not in PEERS:
            parser.error(f"--peers={peer}: expected {', '.join(PEERS)} or "
                         "none")
    options.threads = [int(t) for t in options.threads.split(",")]
    rows = [int(m) for m in options.rows.split(",")] if options.rows else ROWS
    weights = [tuple(map(int, w.split("x")))
               for w in options.weights.split(",")] if options.weights \
        else WEIGHTS
    options.products = [(m, k, n) for k, n in weights for m in rows]
    if not options.rows and not options.weights:
        options.products += OTHERS
    return options


def main():
    options = parse()
    sweep = Sweep(options)
    found = []
    titles = ["K x N", "M", "threads", "Tenon ms", "of floor", "limit",
              *(PEERS[p] for p in options.peers)]
    print("| " + " | ".join(titles) + " |\n" + "|---" * len(titles) + "|")
    with tempfile.TemporaryDirectory(dir=sweep.bench.folder) as folder:
        for rows, depth, columns in options.products:
            for threads in options.threads:
                found.append(sweep.measure(folder, rows, depth, columns,
                                           threads))
                print(line(found[-1], options.peers), flush=True)
    bench.write(options.json, json.dumps(
        {"schema": 1, "machine": bench.machine(), "rows": found}, indent=1)
        + "\n")
    print(f"results: {options.json}")


if __name__ == "__main__":
    main()
