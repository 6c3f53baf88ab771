#!/usr/bin/python3
"""Compiles and runs real models and checks errors, bits, rows, time and
memory.

For the models named, or those of MODELS:
  accuracy  the largest and the rms error against PyTorch in float64 are at
            most twice (--allowed-error; detectors: four times) those of PyTorch
            in float32, or of PyTorch in f16 for a model in f16, over all
            exported sizes; results have PyTorch's shapes; detectors also get
            an image without a hit
  threads   1, 2 and 5 threads give equal bits
  rows      row i of a batch has the bits that it has alone (not tested if AMX
            multiplies many rows in tiles)
  compile   time and resident memory stay below their limits
  same      a second compilation gives equal bytes (small models)
The table of measurements comes last; its last line has the counts.
"""
import argparse
import filecmp
import os
import subprocess
import sys
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = "/usr/bin/python3"
MODELS = ["mlp", "mlp_batch", "resnet50", "resnet50_bn", "mobilenet_v3_large",
          "mobilenet_v3_large_bn", "vit_b_16", "encoder", "encoder_dynamic",
          "gpt2_prefill", "gpt2_decode", "unet", "windows", "points",
          "neighbours", "boxes", "style", "tagger", "squeezenet_open",
          "texts_half", "block_half", "maps_half", "residual_bytes",
          "fasterrcnn"]
DETECTORS = ["fasterrcnn", "maskrcnn", "retinanet", "ssdlite"]
OPEN_DETECTORS = ["fasterrcnn_open", "maskrcnn_open", "retinanet_open",
                  "ssdlite_open"]
# All other models of export_models.py run only if named.
# One image, or inputs that are not rows of a batch.
NO_BATCH = ("mlp", "encoder", "boxes", "style", "block_half",
            "squeezenet_open", "fcn_open", "efficientnet_open", *DETECTORS,
            *OPEN_DETECTORS)
SECONDS = {"resnet50": 15, "resnet50_bn": 15, "gpt2_prefill": 40,
           "gpt2_decode": 40, "maskrcnn_open": 80}
DEFAULT_SECONDS = 40
THREADS = (1, 2, 5)
with open("/proc/cpuinfo") as cpuinfo:
    HAS_TILES = "amx_bf16" in cpuinfo.read()


class Measured:
    def __init__(self, command):
        """Runs `command` and measures it with its children."""
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT)
        self.said = process.stdout.read().decode(errors="replace")
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = self.status = os.waitstatus_to_exitcode(status)
        self.wall = time.monotonic() - start
        self.cpu = usage.ru_utime + usage.ru_stime
        self.megabytes = usage.ru_maxrss / 1024

    def __bool__(self):
        return self.status == 0


class Checks:
    def __init__(self):
        self.passed = self.failed = 0

    def that(self, holds, text):
        if holds:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAIL {text}", flush=True)
        return holds


class Model:
    def __init__(self, options, name, checks):
        self.options, self.name, self.checks = options, name, checks
        self.tool = os.path.join(options.build, "bin", "tenon")
        self.stem = os.path.join(options.models, name)
        self.artifact = f"{self.stem}.so"
        self.row = {"model": name}
        self.errors = {}

    def compile(self):
        compiled = Measured([self.tool, "compile", f"{self.stem}.onnx", "-o",
                             self.artifact, *self.options.flag])
        if not self.checks.that(compiled, f"{self.name}: compile: status "
                                f"{compiled.status}\n{compiled.said}"):
            return False
        limit = SECONDS.get(self.name, DEFAULT_SECONDS)
        self.row["compile s"] = f"{compiled.wall:.1f}"
        self.row["MB"] = f"{compiled.megabytes:.0f}"
        # On a busy machine wall time is too long, so use processor time if it
        # is less.
        taken = min(compiled.wall, compiled.cpu)
        self.checks.that(taken <= limit, f"{self.name}: compiled in "
                         f"{taken:.1f} s, allowed {limit} s")
        weights = os.path.getsize(f"{self.stem}.onnx") / 2 ** 20
        allowed = 600 + 0.5 * weights
        self.checks.that(
            compiled.megabytes <= allowed, f"{self.name}: "
            f"{compiled.megabytes:.0f} MB resident while compiling, allowed "
            f"{allowed:.0f} MB")
        if weights < 50:
            # The file name must be equal, because it is part of the shared
            # object.
            folder = os.path.join(self.options.models, "again")
            os.makedirs(folder, exist_ok=True)
            again = os.path.join(folder, os.path.basename(self.artifact))
            Measured([self.tool, "compile", f"{self.stem}.onnx", "-o", again,
                      *self.options.flag])
            self.checks.that(
                os.path.exists(again) and
                filecmp.cmp(self.artifact, again, shallow=False),
                f"{self.name}: a second compilation gives other bytes")
            if os.path.exists(again):
                os.remove(again)
        return True

    def run(self, inputs, threads):
        """The outputs for the arrays in the file `inputs`, or None."""
        answers = f"{self.stem}.answers.npz"
        if os.path.exists(answers):
            os.remove(answers)
        done = Measured([self.tool, "run", self.artifact,
                         f"--inputs={inputs}", f"--outputs={answers}",
                         f"--threads={threads}"])
        if not self.checks.that(done, f"{self.name}: run: status "
                                f"{done.status}\n{done.said}"):
            return None
        with np.load(answers) as held:
            outputs = {name: held[name] for name in held.files}
        os.remove(answers)
        return outputs

    def accuracy(self, stem, outputs):
        """Adds the errors at one size."""
        with np.load(f"{stem}.reference.npz") as reference:
            names = [n for n in reference.files if not n.endswith(".f64")]
            for name in names:
                exact = reference[f"{name}.f64"]
                if not self.checks.that(
                        name in outputs and outputs[name].shape ==
                        exact.shape, f"{self.name}: output {name} missing or "
                        "of another shape"):
                    continue
                ours = np.abs(outputs[name].astype(np.float64) - exact)
                torch = np.abs(reference[name] - exact)
                if not exact.size:
                    continue
                sums = self.errors.setdefault(name, [0.0, 0.0, 0.0, 0.0, 0])
                sums[0] = max(sums[0], ours.max())
                sums[1] = max(sums[1], torch.max())
                sums[2] += (ours ** 2).sum()
                sums[3] += (torch ** 2).sum()
                sums[4] += exact.size

    def allowed_error(self):
        """The allowed ratio of errors. A detector's error is that of a few boxes
        after a long chain of ops, and PyTorch's own differs by machine."""
        detector = self.name in DETECTORS + OPEN_DETECTORS
        return self.options.allowed_error * (2 if detector else 1)

    def compare_outputs(self):
        """Compares each output's errors over all sizes with PyTorch's."""
        worst = 0.0
        for name, (most, theirs, square, their_square, count) in \
                self.errors.items():
            for kind, mine, other in [
                    ("largest", most, theirs),
                    ("rms", (square / count) ** 0.5,
                     (their_square / count) ** 0.5)]:
                # Copies and gathers are exact, so both errors may be zero.
                ratio = mine / other if other > 0 else \
                    (0.0 if mine == 0 else np.inf)
                worst = max(worst, ratio)
                self.checks.that(
                    ratio <= self.allowed_error(),
                    f"{self.name}: {name}: {kind} error {mine:.3g}, "
                    f"PyTorch's {other:.3g}")
        return worst

    def same(self, a, b, what):
        wrong = [n for n in a if a[n].tobytes() != b[n].tobytes()] \
            if a is not None and b is not None else ["all"]
        self.checks.that(not wrong, f"{self.name}: {what}: other bits in "
                         f"{', '.join(wrong[:3])}")
        return not wrong

    def rows(self, inputs):
        """Compares one row alone with that row in a batch; None without a
        batch axis."""
        with np.load(inputs) as held:
            given = {name: held[name] for name in held.files}
        count = next(iter(given.values())).shape[0]
        if count == 1:
            given = {n: np.concatenate([a, np.flip(a, -1)])
                     for n, a in given.items()}
            count = 2
        picked = f"{self.stem}.rows.npz"
        np.savez(picked, **given)
        whole = self.run(picked, 2)
        alike = whole is not None
        for row in sorted({0, count // 2, count - 1}) if alike else ():
            np.savez(picked, **{n: a[row:row + 1] for n, a in given.items()})
            alone = self.run(picked, 2)
            alike &= self.same({n: a[row:row + 1] for n, a in whole.items()},
                               alone, f"row {row} of {count}")
        os.remove(picked)
        return alike

    def check(self):
        if not self.compile():
            return
        inputs = f"{self.stem}.inputs.npz"
        first = self.run(inputs, THREADS[0])
        if first is None:
            return
        self.accuracy(self.stem, first)
        bits = all([self.same(first, self.run(inputs, n), f"{n} threads")
                    for n in THREADS[1:]])
        number = 1
        while os.path.exists(f"{self.stem}.{number}.inputs.npz"):
            stem = f"{self.stem}.{number}"
            outputs = self.run(f"{stem}.inputs.npz", 2)
            if outputs is not None:
                self.accuracy(stem, outputs)
            number += 1
        worst = self.compare_outputs()
        self.row["error ratio"] = f"{worst:.2f}"
        self.row["sizes"] = str(number)
        self.row["threads"] = "same" if bits else "DIFFER"
        tiles = HAS_TILES and \
            "--matmul-precision=strict" not in self.options.flag
        if self.name not in NO_BATCH and not tiles:
            self.row["rows"] = "same" if self.rows(inputs) else "DIFFER"


def table(rows):
    titles = ["model", "compile s", "MB", "sizes", "error ratio", "threads",
              "rows"]
    lines = [titles] + [[r.get(t, "-") for t in titles] for r in rows]
    widths = [max(len(l[i]) for l in lines) for i in range(len(titles))]
    for line in lines:
        print("| " + " | ".join(c.ljust(w) for c, w in zip(line, widths)) +
              " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("--models", help="default: BUILD/models")
    parser.add_argument("--flag", action="append", default=[],
                        help="a further flag for every compilation")
    parser.add_argument("--allowed-error", type=float, default=2,
                        help="errors may be so many times PyTorch's; default: "
                        "2 (--flag=--matmul-precision=bf16 needs 30000)")
    parser.add_argument("names", nargs="*", help="default: those of MODELS")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    options.models = os.path.abspath(
        options.models or os.path.join(options.build, "models"))
    names = options.names or MODELS
    # A process of its own, so that this one never loads PyTorch.
    made = subprocess.run([PYTHON, os.path.join(HERE, "export_models.py"),
                           options.models, *names])
    checks = Checks()
    if not checks.that(made.returncode == 0, "the models cannot be exported"):
        print("0 passed, 1 failed, 0 skipped")
        return 1
    rows = []
    for name in names:
        model = Model(options, name, checks)
        model.check()
        rows.append(model.row)
        print(f"{name}: done", flush=True)
    table(rows)
    print(f"{checks.passed} passed, {checks.failed} failed, 0 skipped")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
