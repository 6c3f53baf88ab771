#!/usr/bin/python3
"""Assembles the PTX of conformance cases and models by NVIDIA's ptxas.

check_ptxas.py [--every=N] [CASE|MODEL.onnx ..]

Each case that passes on the CPU, or those whose names have one of the parts, is
compiled for each architecture; --every takes one case of N. A refusal is a
failure. Kernels that spill registers are listed; with --no-spills they are
failures. Without ptxas on PATH nothing is checked, and the status is 77.
"""
import argparse
import concurrent.futures
import hashlib
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "conformance"))
import run_onnx

SKIPPED = 77
KERNEL = re.compile(
    r"Compiling entry function '([^']+)'.*?"
    r"(\d+) bytes spill stores, (\d+) bytes spill loads.*?"
    r"Used (\d+) registers", re.S)


class Assembler:
    def __init__(self, options, path):
        self.options, self.path = options, path
        self.known = {}

    def ptx_of(self, model, architecture):
        """The text, or the compiler's error."""
        done = subprocess.run(
            [os.path.join(self.options.build, "bin", "tenon"), "compile", "-q",
             model, "--emit=ptx", "-o", "-", "--jobs=1",
             "--matmul-precision=strict", f"--device=nvptx:{architecture}",
             *self.options.flag], capture_output=True)
        return done.stdout, done.stderr.decode(errors="replace") \
            if done.returncode else ""

    def assemble(self, text, architecture):
        """ptxas's status and what it says."""
        done = subprocess.run(
            [self.path, f"-arch={architecture}", "-v", "-o", "/dev/null",
             "/dev/stdin"], input=text, capture_output=True)
        return done.returncode, (done.stdout + done.stderr).decode(
            errors="replace")

    def check(self, model, architecture):
        """(error, kernels that spill, number of kernels) of a model."""
        text, wrong = self.ptx_of(model, architecture)
        if wrong:
            return wrong, [], 0
        # Equal texts are assembled once.
        digest = hashlib.sha256(text).digest()
        if digest not in self.known:
            self.known[digest] = self.assemble(text, architecture)
        status, said = self.known[digest]
        if status:
            return said, [], 0
        found = KERNEL.findall(said)
        spills = [f"{name}: {registers} registers, {stores} bytes of spill "
                  f"stores, {loads} of loads"
                  for name, stores, loads, registers in found
                  if int(stores) or int(loads)]
        return "", spills, len(found)


def models_of(options):
    """Yields (name, path)."""
    parts = [c for c in options.cases if not c.endswith(".onnx")]
    for path in options.cases:
        if path.endswith(".onnx"):
            yield os.path.basename(path), path
    if options.cases and not parts:
        return
    cases = [(suite, case) for suite in run_onnx.FLOORS
             for _, case, verdict in run_onnx.read_ledger(suite)
             if verdict == "pass" and
             (not parts or any(p in case for p in parts))]
    for suite, case in cases[::options.every]:
        yield case, os.path.join(run_onnx.DATA, suite, case, "model.onnx")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--architectures",
                        type=lambda text: text.split(","),
                        default=["sm_75", "sm_80"])
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--flag", action="append", default=[],
                        help="for every compilation, e.g. --flag=--dim=batch=1")
    parser.add_argument("--no-spills", action="store_true")
    parser.add_argument("cases", nargs="*", metavar="CASE|MODEL.onnx")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    path = shutil.which("ptxas")
    if not path:
        print("ptxas is not on PATH")
        sys.exit(SKIPPED)
    assembler = Assembler(options, path)
    work = [(name, model, architecture) for name, model in models_of(options)
            for architecture in options.architectures]
    passed = failed = kernels = spilling = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        answers = pool.map(lambda w: assembler.check(w[1], w[2]), work)
        for (name, _, architecture), (wrong, spills, count) in zip(work,
                                                                   answers):
            kernels += count
            spilling += len(spills)
            for spill in spills:
                print(f"{name} ({architecture}): {spill}", flush=True)
            if wrong or (spills and options.no_spills):
                failed += 1
                print(f"FAIL {name} ({architecture}): "
                      f"{wrong or 'it spills'}", flush=True)
            else:
                passed += 1
    print(f"{kernels} kernels, {spilling} with spills, "
          f"{len(assembler.known)} different texts")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
