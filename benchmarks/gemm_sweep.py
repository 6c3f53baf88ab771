#!/usr/bin/python3
"""Matrix products with constant weights beside what the machine can do.

Each product x[M,K] * w[K,N] is a model of one node. In each round our run, the
fastest loop of fused multiply-adds, a read of as many bytes as the weights have
and the peers take turns, and each one's shortest time counts; the table has the
medians of the rounds' ratios. `of peak` is our share of the multiply-adds,
`of read` that of the read, either way of what the same threads reach; a product
is at its limit when one of them is near 1. Peers: OpenBLAS where it is
installed, ONNX Runtime with --ort.
"""
import argparse
import ctypes
import os
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(HERE)
sys.path.insert(0, HERE)
import tenon_runtime

ROWS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
WEIGHTS = [(768, 768), (768, 2304), (768, 3072), (3072, 768), (768, 50257),
           (1024, 1024), (4096, 4096)]
OPENBLAS = "libopenblas.so.0"

# Both report seconds inside the call, for the threads start one by one.
LIMITS = r"""
#include <stddef.h>
#include <time.h>
typedef float vector __attribute__((vector_size(64)));
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
#define KEEP __asm__ volatile("" : "+v"(a), "+v"(b), "+v"(c), "+v"(d), \
  "+v"(e), "+v"(f), "+v"(g), "+v"(h), "+v"(i), "+v"(j))
double multiply_add(long steps) {
  vector one = {0}, x = one + 0.999f, y = one + 0.001f;
  vector a = y, b = y, c = y, d = y, e = y, f = y, g = y, h = y, i = y, j = y;
  double start = now();
  for (long n = 0; n < steps; ++n) {
    a = a * x + y; b = b * x + y; c = c * x + y; d = d * x + y; e = e * x + y;
    f = f * x + y; g = g * x + y; h = h * x + y; i = i * x + y; j = j * x + y;
    KEEP;
  }
  return now() - start;
}
double read_all(const vector *p, size_t count) {
  vector a = {0}, b = a, c = a, d = a, e = a, f = a, g = a, h = a, i = a, j = a;
  double start = now();
  for (size_t n = 0; n + 8 <= count; n += 8) {
    a += p[n]; b += p[n + 1]; c += p[n + 2]; d += p[n + 3];
    e += p[n + 4]; f += p[n + 5]; g += p[n + 6]; h += p[n + 7];
  }
  KEEP;
  return now() - start;
}
"""


class Limits:
    """What `threads` threads reach together: multiply-adds and reads."""

    def __init__(self, folder, threads):
        path = os.path.join(folder, "limits.so")
        subprocess.run(["cc", "-O3", "-march=native", "-ffp-contract=fast",
                        "-Wno-psabi", "-shared", "-fPIC", "-x", "c", "-", "-o",
                        path], input=LIMITS, text=True, check=True)
        self.library = ctypes.CDLL(path)
        for function in (self.library.multiply_add, self.library.read_all):
            function.restype = ctypes.c_double
        self.threads = threads

    def together(self, work, call):
        """Work a second of all threads."""
        seconds = [0.0] * self.threads

        def run(number):
            seconds[number] = call(number)

        others = [threading.Thread(target=run, args=(n,))
                  for n in range(1, self.threads)]
        for thread in others:
            thread.start()
        run(0)
        for thread in others:
            thread.join()
        return sum(work / s for s in seconds)

    def flops(self, steps=200000):
        return self.together(
            steps * 10 * 16 * 2,
            lambda _: self.library.multiply_add(ctypes.c_long(steps)))

    def bytes_read(self, buffer):
        share = buffer.nbytes // self.threads // 512 * 512

        def read(number):
            return self.library.read_all(
                ctypes.c_void_p(buffer.ctypes.data + number * share),
                ctypes.c_size_t(share // 64))

        return self.together(share, read)


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


def open_blas(threads):
    try:
        library = ctypes.CDLL(OPENBLAS)
    except OSError:
        return None
    library.openblas_set_num_threads(threads)
    return library


def blas_product(library, x, w, y):
    rows, depth = x.shape
    columns = w.shape[1]
    number, pointer = ctypes.c_int, ctypes.c_void_p
    row_major, as_is = number(101), number(111)
    one, zero = ctypes.c_float(1), ctypes.c_float(0)
    arguments = (row_major, as_is, as_is, number(rows), number(columns),
                 number(depth), one, pointer(x.ctypes.data), number(depth),
                 pointer(w.ctypes.data), number(columns), zero,
                 pointer(y.ctypes.data), number(columns))
    return lambda: library.cblas_sgemm(*arguments)


def shortest(call, runs):
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        for _ in range(runs):
            call()
        best = min(best, (time.perf_counter() - start) / runs)
    return best


def measure(options, folder, limits, rows, depth, columns, threads):
    random = np.random.default_rng(7)
    x = random.standard_normal((rows, depth), np.float32)
    w = random.standard_normal((depth, columns), np.float32)
    y = np.empty((rows, columns), np.float32)
    path = os.path.join(folder, "product.onnx")
    with open(path, "wb") as file:
        file.write(model(w, rows))
    artifact = os.path.join(folder, f"product-{rows}-{depth}-{columns}.so")
    subprocess.run([os.path.join(options.build, "bin", "tenon"), "compile",
                    "-q", path, "-o", artifact], check=True)
    ours = tenon_runtime.Session(
        os.path.join(options.build, "lib", "libtenon_rt.so"), artifact,
        threads, {"x": x}, ["y"])
    peers = {}
    blas = open_blas(threads)
    if blas:
        peers["OpenBLAS"] = blas_product(blas, x, w, y)
    theirs = None
    if options.ort:
        import compare_ort
        theirs = compare_ort.Ort(options.peers, path, threads, {"x": x},
                                 {"y": y}, folder)
    work, read = 2.0 * rows * depth * columns, 4.0 * depth * columns
    runs = max(1, int(options.milliseconds * 1e-3 / (work / 2e11 + read / 5e10)))
    flat = w.reshape(-1)
    samples = []
    for _ in range(options.rounds):
        mine = shortest(ours.run, runs)
        sample = {"ms": mine * 1e3,
                  "peak": work / mine / limits.flops(),
                  "read": read / mine / max(limits.bytes_read(flat)
                                            for _ in range(3))}
        for name, call in peers.items():
            sample[name] = shortest(call, runs) / mine
        if theirs:
            sample["ORT"] = theirs.shortest(runs * 3) * 1e-3 / mine
        samples.append(sample)
    exact = x[:1].astype(np.float64) @ w.astype(np.float64)
    error = np.abs(ours.results()["y"][:1] - exact).max()
    assert error < 1e-4 * depth ** 0.5, f"wrong by {error}"
    ours.close()
    if theirs:
        theirs.close()
    os.remove(artifact)
    return {name: float(np.median([s[name] for s in samples]))
            for name in samples[0]}


def main():
    # Both would bind OpenBLAS to another machine's kernels.
    for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
        os.environ.pop(name, None)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=os.path.join(SOURCE, "build"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--milliseconds", type=float, default=20,
                        help="of one measurement, about")
    parser.add_argument("--rows", type=lambda t: [int(n) for n in t.split(",")],
                        default=ROWS)
    parser.add_argument("--weights", default=WEIGHTS, type=lambda t: [
        tuple(map(int, w.split("x"))) for w in t.split(",")])
    parser.add_argument("--ort", action="store_true")
    options = parser.parse_args()
    options.peers = os.path.join(options.build, "peers")
    if options.ort:
        import compare_ort
        compare_ort.install_peer(options.peers)
    titles = ["ms", "peak", "read", "OpenBLAS", "ORT"]
    print("| K x N | M | ms | of peak | of read | OpenBLAS / ours | ORT / ours |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        limits = Limits(folder, options.threads)
        for depth, columns in options.weights:
            for rows in options.rows:
                found = measure(options, folder, limits, rows, depth, columns,
                                options.threads)
                cells = [f"{found[t]:.3f}" if t == "ms" else f"{found[t]:.2f}"
                         if t in found else "" for t in titles]
                print(f"| {depth} x {columns} | {rows} | "
                      + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
