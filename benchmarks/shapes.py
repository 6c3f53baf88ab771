#!/usr/bin/python3
"""The cost of dynamic sizes: one artifact of a transformer encoder with
dynamic batch and sequence, beside an artifact compiled for each size.

For each size three programs take turns: the artifact's code for all sizes, a
variant for this size (in another artifact), and an artifact compiled for this
size only. All three must give equal bits. Then the first call with each size
is timed beside the second and third.
"""
import ctypes
import json
import os
import sys
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import bench as models
import callers
import rounds

MODEL = "encoder_dynamic"
WIDTH = 768
SIZES = [(1, 8), (1, 17), (1, 64), (1, 100), (1, 128), (1, 200), (2, 33),
         (3, 40), (3, 1), (5, 7), (7, 1), (8, 128)]
# Published figures for text generation that is compiled at the call.
XLA = "XLA's page: 30819.6 ms for a first call, 79.0 ms for later ones"
ANY, VARIANT, STATIC = "any size", "variant", "static"


def inputs_of(batch, seq):
    random = np.random.default_rng(batch * 1000 + seq)
    mask = np.ones((batch, seq), np.int64)
    mask[-1, seq - seq // 4:] = 0
    return {"ids": random.integers(0, 2000, (batch, seq)), "mask": mask}


class Tensor(ctypes.Structure):
    """The struct tenon_tensor of runtime/tenon.h."""
    _fields_ = [("struct_size", ctypes.c_size_t), ("name", ctypes.c_char_p),
                ("dtype", ctypes.c_int32), ("rank", ctypes.c_int32),
                ("dims", ctypes.POINTER(ctypes.c_int64)),
                ("data", ctypes.c_void_p), ("bytes", ctypes.c_size_t)]


class Runtime:
    """One context of an artifact, for calls with different sizes."""

    def __init__(self, library, artifact):
        self.library = ctypes.CDLL(library)
        self.model, self.context = ctypes.c_void_p(), ctypes.c_void_p()
        self.check(self.library.tenon_open(artifact.encode(), None,
                                           ctypes.byref(self.model)))
        self.check(self.library.tenon_context_create(
            self.model, None, ctypes.byref(self.context)))

    @staticmethod
    def check(status):
        if status != 0:
            raise SystemExit(f"bench: the runtime answered {status}")

    def milliseconds(self, inputs):
        given = (Tensor * len(inputs))()
        held = []
        for slot, array in zip(given, inputs.values()):
            dims = (ctypes.c_int64 * array.ndim)(*array.shape)
            held.append(dims)
            slot.struct_size, slot.dtype = ctypes.sizeof(Tensor), 8
            slot.rank, slot.dims = array.ndim, dims
            slot.data, slot.bytes = array.ctypes.data, array.nbytes
        out = Tensor(struct_size=ctypes.sizeof(Tensor))
        start = time.perf_counter()
        status = self.library.tenon_run(
            self.context, None, given, len(inputs), ctypes.byref(out), 1)
        taken = time.perf_counter() - start
        self.check(status)
        return taken * 1e3


class Shapes:
    def __init__(self, options):
        self.options = options
        self.bench = models.Bench(options)
        self.model = os.path.join(options.models, f"{MODEL}.onnx")
        self.folder = os.path.join(options.build, "bench", "shapes")
        os.makedirs(self.folder, exist_ok=True)
        self.artifact = self.compile("any")

    def compile(self, name, *flags):
        """Compiles the artifact if the model or the compiler has changed."""
        return self.bench.compile(
            self.model, os.path.join(self.folder, f"{name}.so"), *flags)

    def measure(self, batch, seq):
        inputs = inputs_of(batch, seq)
        outputs = {"hidden": np.zeros((batch, seq, WIDTH), np.float32)}
        artifacts = {
            ANY: self.artifact,
            VARIANT: self.compile(
                "variant", f"--specialize=batch:{batch},seq:{seq}"),
            STATIC: self.compile("static", f"--dim=batch={batch}",
                                 f"--dim=seq={seq}")}
        threads = self.options.threads[0]
        started, floor = {}, None
        try:
            for who, artifact in artifacts.items():
                started[who] = callers.Caller(
                    [self.bench.caller, artifact, threads], threads,
                    os.path.join(self.folder, "data", who.replace(" ", "-")),
                    inputs, outputs)
            floor = callers.Floor([self.bench.floor, threads], threads)
            results = {who: caller.results()["hidden"].tobytes()
                       for who, caller in started.items()}
            seen = rounds.Rounds(started, floor, 1 << 20, self.options.rounds)
        finally:
            for program in [*started.values(), *filter(None, [floor])]:
                program.close()
            # Each artifact has its own weight file.
            for name in ("variant", "static"):
                for end in ("so", "safetensors"):
                    path = os.path.join(self.folder, f"{name}.{end}")
                    if os.path.exists(path):
                        os.remove(path)
        if not seen.peak:
            raise SystemExit("bench: other machines took more than 2 % of the "
                             "processors' time in every round")
        return {"batch": batch, "seq": seq,
                "ms": {who: seen.milliseconds(who) for who in started},
                ANY: seen.ratio(ANY, STATIC),
                VARIANT: seen.ratio(VARIANT, STATIC),
                "same": len(set(results.values())) == 1}

    def first_calls(self, rows):
        """Calls with each size in a process that has run other sizes before."""
        library = os.path.join(self.options.build, "lib", "libtenon_rt.so.1")
        runtime = Runtime(library, self.artifact)
        sizes = [(row["batch"], row["seq"]) for row in rows]
        largest = max(sizes, key=lambda size: size[0] * size[1])
        # A larger call first, so that weights and memory are loaded.
        more = (largest[0], largest[1] + 1)
        runtime.milliseconds(inputs_of(*more))
        runtime.milliseconds(inputs_of(*more))
        for row in rows:
            inputs = inputs_of(row["batch"], row["seq"])
            row["first"], row["second"], row["third"] = (
                runtime.milliseconds(inputs) for _ in range(3))


def table(rows):
    titles = ["batch", "seq", "static ms", "any size ms", "ratio",
              "variant ms", "ratio", "first call ms", "second ms"]
    lines = [titles, ["---:"] * len(titles)]
    for row in rows:
        ms = row["ms"]
        lines.append([str(row["batch"]), str(row["seq"]), f"{ms[STATIC]:.2f}",
                      f"{ms[ANY]:.2f}", f"{row[ANY][0]:.3f}",
                      f"{ms[VARIANT]:.2f}", f"{row[VARIANT][0]:.3f}",
                      f"{row['first']:.2f}", f"{row['second']:.2f}"])
    return models.markdown(lines)


def parse():
    parser = models.parser_of("bench shapes", __doc__, threads="2", rounds=9)
    parser.add_argument("--sizes", help="BATCHxSEQ,... instead of twelve")
    options = models.parse_with(parser, "shapes")
    if len(options.threads) != 1:
        parser.error("expected one number of threads")
    options.sizes = [tuple(int(n) for n in size.split("x"))
                     for size in options.sizes.split(",")] \
        if options.sizes else SIZES
    return options


def main():
    options = parse()
    models.export(options, MODEL)
    shapes = Shapes(options)
    rows = []
    for batch, seq in options.sizes:
        rows.append(shapes.measure(batch, seq))
        print(f"batch {batch}, seq {seq}: done", flush=True)
    shapes.first_calls(rows)
    medians = {who: float(np.median([row[who][0] for row in rows]))
               for who in (ANY, VARIANT)}
    first = float(np.median([row["first"] / row["second"] for row in rows]))
    models.write(options.json, json.dumps(
        {"schema": 1, "machine": models.machine(), "rows": rows,
         "medians": medians, "first_call": first}, indent=1) + "\n")
    print(table(rows))
    print(f"median over {len(rows)} sizes, beside a static compilation: "
          f"any size {medians[ANY]:.3f}, variant {medians[VARIANT]:.3f}")
    print(f"first call beside the second: {first:.2f} in the median, "
          f"{max(row['first'] for row in rows):.1f} ms at most; {XLA}")
    print(f"results: {options.json}")
    different = [row for row in rows if not row["same"]]
    for row in different:
        print(f"bench: batch {row['batch']}, seq {row['seq']}: other bits",
              file=sys.stderr)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
