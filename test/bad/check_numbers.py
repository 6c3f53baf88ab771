"""Tests wrong sizes and numbers in models and inputs, through `tenon run`.

Every row is a model of one node with constants or inputs, and the expected
result: the outputs, or an exit status with words of the message. A refusal
must leave no file behind, and take less than ten seconds and little memory.

    check_numbers.py --build=BUILD [--only=WORDS]
"""
import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import onnx_build
from number_rows import ROWS

os.environ["TENON_CACHE_LIMIT"] = "0"  # compile every model: no cache
MEMORY = 6 << 30  # bytes of address space; reserved but untouched memory counts


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def write_model(row, folder):
    names, inputs, constants = [], {}, {}
    for i, operand in enumerate(row.operands):
        name = "" if operand is None else f"x{i}"
        names.append(name)
        if isinstance(operand, str):
            inputs[name] = operand
        elif operand is not None:
            constants[name] = operand
    outputs = [f"y{i}" for i in range(row.outputs)]
    domain, _, op = row.op.rpartition(":")
    node = onnx_build.node(op, names, outputs, domain=domain, **row.attributes)
    path = os.path.join(folder, "model.onnx")
    with open(path, "wb") as file:
        file.write(onnx_build.model([node], inputs, outputs, constants, row.opset))
    return path, list(inputs)


def differs(want, got):
    want, got = np.asarray(want), np.asarray(got)
    if want.shape != got.shape or want.dtype != got.dtype:
        return f"expected {want.dtype}{list(want.shape)}, got {got.dtype}{list(got.shape)}"
    if want.dtype.kind == "f":
        same = np.isclose(got, want, rtol=1e-5, atol=1e-6, equal_nan=True)
    else:
        same = got == want
    if np.all(same):
        return None
    return f"expected {want.tolist()}, got {got.tolist()}"


def check(tenon, row):
    """The error of a row, or None."""
    with tempfile.TemporaryDirectory() as folder:
        path, inputs = write_model(row, folder)
        before = set(os.listdir(folder))
        command = [tenon, "run", path, "-mcpu=x86-64-v3"]
        for name, value in zip(inputs, row.values):
            if isinstance(value, str):
                command.append(f"--input={name}={value}")
                continue
            file = os.path.join(folder, name + ".npy")
            before.add(name + ".npy")
            np.save(file, value)
            command.append(f"--input={name}=@{file}")
        out = os.path.join(folder, "out.npz")
        if row.code == 0:
            before.add("out.npz")
            command.append(f"--outputs={out}")
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, timeout=240,
                                  stderr=subprocess.STDOUT, preexec_fn=limit_memory,
                                  env={**os.environ, "TMPDIR": folder})
        except subprocess.TimeoutExpired:
            return "ran past four minutes"
        said = done.stdout.decode(errors="replace")
        if done.returncode not in row.codes:
            return f"expected status {row.codes}, got {done.returncode}\n{said[:1500]}"
        if not re.search(row.words, said):
            return f"expected words like {row.words!r} in:\n{said[:1500]}"
        left = set(os.listdir(folder)) - before
        if left:
            return f"left {sorted(left)} behind"
        if done.returncode == 0 and row.want is not None:
            with np.load(out) as results:
                for i, want in enumerate(row.want):
                    wrong = differs(want, results[f"y{i}"])
                    if wrong:
                        return f"output {i}: {wrong}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    tenon = os.path.join(options.build, "bin", "tenon")
    rows = [row for row in ROWS if options.only in f"{row.op}: {row.title}"]
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda row: check(tenon, row), rows))
    wrong = [(row, text) for row, text in zip(rows, found) if text]
    for row, text in wrong:
        print(f"FAILED {row.op}: {row.title}: {text}")
    print(f"{len(rows) - len(wrong)} passed, {len(wrong)} failed, 0 skipped")
    return 1 if wrong or not rows else 0


sys.exit(main())
