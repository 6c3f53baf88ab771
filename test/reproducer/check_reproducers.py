#!/usr/bin/python3
"""Reproducers reproduce: what `tenon compile` writes when it fails inside shows
the same failure when it is run by its first line.

The tools in --tools fail where attributes of the model say (FaultyPhase.cpp).

    check_reproducers.py --tools=FOLDER
"""
import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile

PHASES = ["shaped", "fused", "placed", "planned", "tiled", "llvm"]

# Flags of a compilation, and what they must become in the options of a phase or
# in the machine of the module.
FLAGS = [
    ("-mcpu=znver5 --matmul-precision=bf16", ["products=pairs"],
     ["vector_bytes = 64"]),
    ("-mcpu=x86-64-v3 --weight-format=int4", ["weight-format=int4"],
     ["vector_bytes = 32"]),
    ("-mcpu=sapphirerapids", [], ["tiles = 3"]),
    ("-mcpu=znver4", [], ["reads_ahead = true", "costly_broadcasts = true"]),
    ("-mcpu=x86-64-v2 --no-fold-batch-norm",
     ["fold-batch-norm=false", "native-fma=false", "native-half=false"],
     ["registers = 16"]),
]

# A product of a computed weight that each of the flags changes.
MODEL = """module attributes {%s} {
  tenon.weight @w : tensor<64x96xf32> {
    %%0 = tenon.constant dense<0.5> : tensor<f32>
    %%1 = tenon.broadcast_in_dim %%0 dims [] sizes [64, 96] : (tensor<f32>) -> tensor<64x96xf32>
    tenon.yield %%1 : tensor<64x96xf32>
  }
  func.func @%s(%%x: tensor<?x64xf32> {tenon.name = "x", tenon.dims = ["n", 64]}) -> (tensor<?x96xf32> {tenon.name = "y"}) {
    %%w = tenon.get_weight @w : tensor<64x96xf32>
    %%0 = tenon.dot_general %%x, %%w batch [] x [] contract [1] x [0] : (tensor<?x64xf32>, tensor<64x96xf32>) -> tensor<?x96xf32>
    %%1 = tenon.softmax %%0 over 1 : tensor<?x96xf32>
    return %%1 : tensor<?x96xf32>
  }
}
"""


class Failure(Exception):
    pass


def expect(holds, complaint, said):
    if not holds:
        raise Failure(f"{complaint}\n{said}")


def search(pattern, said):
    found = re.search(pattern, said)
    expect(found, f"expected {pattern}", said)
    return found[1]


class Bench:
    """A folder to fail in, and the faulty tools first on the path."""

    def __init__(self, tools, folder):
        self.folder = folder
        self.env = {**os.environ, "TMPDIR": folder, "LC_ALL": "C.UTF-8",
                    "PATH": tools + os.pathsep + os.environ["PATH"]}

    def run(self, command):
        done = subprocess.run(["sh", "-c", command], cwd=self.folder,
                              env=self.env, capture_output=True, text=True,
                              timeout=300)
        return done.returncode, done.stdout + done.stderr

    def compile(self, attributes, flags, function="main"):
        with open(os.path.join(self.folder, "model.mlir"), "w") as file:
            file.write(MODEL % (attributes, function))
        status, said = self.run(f"tenon compile model.mlir -c -o m.o {flags}")
        expect(status == 70, f"expected status 70, got {status}", said)
        return said

    def repeat_module(self, said):
        """What tenon-opt says of the module that a phase failed on."""
        path = search(r"was written to (.*\.mlir)", said)
        with open(path) as file:
            command = file.readline()
        expect(command.startswith("// tenon-opt "), "expected a command",
               command)
        return self.run(command.removeprefix("// "))

    def repeat_command(self, said):
        """What the script says that runs the whole command again."""
        path = search(r"with the model and (.*\.sh)", said)
        with open(path) as file:
            expect(file.readline() == "#!/bin/sh\n", "expected a script", path)
        return self.run(f"sh {shlex.quote(path)}")


def check_fault(bench, phase, flags, options=(), version=""):
    """An error in a phase: the module before it and the command repeat it."""
    attributes = f'test.fault = "{phase}"'
    if version:
        attributes += f', test.version = "{version}"'
    said = bench.compile(attributes, flags)
    fault = rf"(injected fault after phase {phase} with .*, module \d+)"
    first = search(fault, said)
    for option in options:
        expect(option in first, f"expected {option}", first)
    for repeat, want in ((bench.repeat_module, 1), (bench.repeat_command, 70)):
        status, again = repeat(said)
        expect(status == want, f"expected status {want}, got {status}", again)
        second = search(fault, again)
        expect(first == second, f"expected\n  {first}\ngot", second)


def check_command(bench, what, attributes, function="main"):
    """A failure that only the script repeats, for it leaves no module."""
    said = bench.compile(attributes, "-mcpu=x86-64-v3", function)
    search(f"({what})", said)
    status, again = bench.repeat_command(said)
    expect(status == 70, f"expected status 70, got {status}", again)
    search(f"({what})", again)


def cases():
    for flags, options, machine in FLAGS:
        for phase in PHASES:
            # The last phase removes the machine.
            expected = options + (machine if phase != "llvm" else [])
            yield f"{phase} {flags}", check_fault, (phase, flags, expected)
    versions = "--multiversion=x86-64-v3,x86-64-v4"
    for phase in ("planned", "tiled", "llvm"):
        for cpu in ("x86-64-v4", "x86-64-v3"):
            yield (f"{phase} of {cpu} {versions}", check_fault,
                   (phase, versions, (), cpu))
    for phase in PHASES:
        yield (f"crash in {phase}", check_command,
               ("aborted", f'test.crash = "{phase}"'))
    yield ("code", check_command,
           ("injected fault in the code for x86-64-v3", "", "fault_in_code"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", required=True)
    tools = os.path.abspath(parser.parse_args().tools)
    passed = failed = 0
    for name, check, arguments in cases():
        with tempfile.TemporaryDirectory(prefix="it's a ") as folder:
            try:
                check(Bench(tools, folder), *arguments)
                passed += 1
            except (Failure, subprocess.TimeoutExpired) as failure:
                failed += 1
                print(f"FAILED {name}: {failure}")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
