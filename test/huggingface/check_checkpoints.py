#!/usr/bin/python3
"""Compiles small checkpoints of every kind and compares logits with PyTorch.

For every case of write_checkpoints.py:
  logits   at every token of rows with 0 to 7 pads on the left, and of rows as
           long as the model has positions: the error of every element is at
           most twice the largest that PyTorch has in float32, the rms error at
           most twice PyTorch's; both are judged by PyTorch in float64
  rows     a row has the bits that it has alone without pads, whatever the pads
           are; no result is NaN, also for a row of pads alone
  threads  1, 2 and 5 threads give equal bits
  bytes    weights of 16 bits that are read in panels stay so in the artifact
encoder_checks.py has the checks of models with an encoder. The last line has the
counts.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import reference
import write_checkpoints
from encoder_checks import T5Check, WhisperCheck

MOST_PADS = 7
LENGTH = 13
ALLOWED = 2.0
with open("/proc/cpuinfo") as cpuinfo:
    # Tiles of AMX round batches of many rows differently.
    PRECISION = ["--matmul-precision=strict"] \
        if "amx_bf16" in cpuinfo.read() else []


class Checks:
    def __init__(self):
        self.passed = self.failed = 0

    def that(self, holds, text):
        self.passed += bool(holds)
        self.failed += not holds
        if not holds:
            print(f"FAIL {text}", flush=True)
        return holds


class CaseCheck:
    def __init__(self, name, case, build, folder, checks):
        self.name, self.case, self.checks = name, case, checks
        self.tool = os.path.join(build, "bin", "tenon")
        self.folder = folder
        self.model = write_checkpoints.write(case,
                                             os.path.join(folder, name))
        self.artifact = os.path.join(folder, name + ".so")
        self.positions = case.config.get(
            "n_positions", case.config.get("max_position_embeddings"))
        self.vocabulary = case.config["vocab_size"]
        self.worst = 0.0
        self.report = {}
        self.ours, self.theirs = [], []

    def that(self, holds, text):
        return self.checks.that(holds, f"{self.name}: {text}")

    def compile(self):
        done = subprocess.run(
            [self.tool, "compile", self.model, "-o", self.artifact,
             "--function=logits", "--format=json", "-q", *PRECISION],
            capture_output=True, text=True)
        if not self.that(done.returncode == 0 and not done.stderr,
                         f"compile: {done.returncode}\n{done.stderr}"):
            return False
        self.report = json.loads(done.stdout)
        return True

    def run(self, ids, lengths, threads=1):
        given = os.path.join(self.folder, "inputs.npz")
        got = os.path.join(self.folder, "outputs.npz")
        np.savez(given, ids=ids, lengths=lengths)
        done = subprocess.run(
            [self.tool, "run", self.artifact, f"--inputs={given}",
             f"--outputs={got}", f"--threads={threads}"],
            capture_output=True, text=True)
        if not self.that(done.returncode == 0, f"run: {done.stderr}"):
            return None
        with np.load(got) as held:
            return held["logits"]

    def compare(self, checkpoint, ids, lengths, ours, what):
        """Adds the errors of the logits at tokens; `ids` has valid pads."""
        columns = np.arange(ids.shape[1])[None]
        mask = (columns >= ids.shape[1] - lengths[:, None]).astype(np.int64)
        exact, theirs = (reference.logits(checkpoint, ids, mask, dtype)
                         for dtype in (torch.float64, torch.float32))
        real = mask.astype(bool)
        if not self.that(ours.shape == exact.shape,
                         f"{what}: shape {ours.shape}, not {exact.shape}"):
            return
        for kept, values in ((self.ours, ours), (self.theirs, theirs)):
            kept.append(np.abs(values[real].astype(np.float64) -
                               exact[real]).ravel())

    def judge(self):
        """Compares the errors at all sizes with PyTorch's."""
        if not self.ours:
            return
        mine, other = np.concatenate(self.ours), np.concatenate(self.theirs)
        for kind, a, b in (("largest", mine.max(), other.max()),
                           ("rms", np.sqrt((mine ** 2).mean()),
                            np.sqrt((other ** 2).mean()))):
            self.worst = max(self.worst, a / b)
            self.that(a <= ALLOWED * b, f"{kind} error {a:.3g}, PyTorch's "
                      f"{b:.3g}")

    def check(self):
        if not self.compile():
            return
        checkpoint = reference.Checkpoint(self.model)
        random = np.random.default_rng(7)
        pads = np.arange(MOST_PADS + 1)
        lengths = (LENGTH - pads).astype(np.int64)
        ids = random.integers(0, self.vocabulary, (len(pads), LENGTH))
        # Pads are never read: any number may stand there.
        given = np.where(np.arange(LENGTH)[None] < pads[:, None],
                         self.vocabulary + 3, ids)
        ours = self.run(given, lengths)
        if ours is None:
            return
        self.compare(checkpoint, ids, lengths, ours, "pads")
        for threads in (2, 5):
            again = self.run(given, lengths, threads)
            self.that(again is not None and again.tobytes() == ours.tobytes(),
                      f"other bits with {threads} threads")
        for row in (0, 3, MOST_PADS):
            alone = self.run(ids[row:row + 1, pads[row]:],
                             lengths[row:row + 1])
            self.that(alone is not None and alone[0].tobytes() ==
                      np.ascontiguousarray(ours[row, pads[row]:]).tobytes(),
                      f"row {row} has other bits alone")
        self.check_long(checkpoint, random)
        self.judge()
        self.check_no_tokens(ids)
        self.check_bytes()

    def check_long(self, checkpoint, random):
        ids = random.integers(0, self.vocabulary, (2, self.positions))
        lengths = np.array([self.positions, self.positions - 5])
        ours = self.run(ids, lengths, 2)
        if ours is not None:
            self.compare(checkpoint, ids, lengths, ours, "all positions")

    def check_no_tokens(self, ids):
        lengths = np.array([0, LENGTH, 1])
        some = self.run(ids[:3], lengths)
        self.that(some is not None and np.isfinite(some).all(),
                  "a row of pads gives NaN")

    def check_bytes(self):
        """A weight of 16 bits takes two bytes. The rest is f32 and the
        padding of panels."""
        if self.case.dtype in ("F16", "BF16"):
            elements = sum(int(np.prod(shape)) for _, shape, kind in
                           self.case.tensors() if kind != "mask")
            stored = self.report["weight_bytes"]
            self.that(stored < 3.5 * elements,
                      f"{stored} bytes for {elements} elements of 16 bits")


CASES = {**write_checkpoints.CASES, **write_checkpoints.T5,
         **write_checkpoints.WHISPER}


def check_of(name, build, folder, checks):
    case = CASES[name]
    if name in write_checkpoints.CASES:
        return CaseCheck(name, case, build, folder, checks)
    kind = T5Check if name in write_checkpoints.T5 else WhisperCheck
    return kind(name, case, build, folder, checks, PRECISION)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("case", nargs="*")
    options = parser.parse_args()
    torch.set_num_threads(1)
    checks = Checks()
    for name in options.case or CASES:
        with tempfile.TemporaryDirectory() as folder:
            case = check_of(name, options.build, folder, checks)
            case.check()
            print(f"{name:18} errors at most {case.worst:.2f} x PyTorch's, "
                  f"{case.report.get('weight_bytes')} bytes of weights",
                  flush=True)
    print(f"{checks.passed} passed, {checks.failed} failed, 0 skipped")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
