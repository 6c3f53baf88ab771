#!/usr/bin/python3
"""Compares TensorFlow's operators one by one with numpy.

A row (op_row.py) is a node with its operands and its expected result. The rows
of a family share a graph, which is compiled and run twice: with all extents
static, and with all but the first extent of each input dynamic. The reference
(`tenon verify`) must agree with code of -O0 too; code of -O2 is compared with numpy.

    check_ops.py --build=BUILD [--only=WORDS] [--no-verify] [--device=ARCH]
    check_ops.py --write=FOLDER
"""
import argparse
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from graph_text import constant, graph, node, placeholder, write_graph
from op_row import Constant
from op_rows import FAMILIES


def label(number, row):
    return f"r{number}_{row.op}"


def build(rows, open_extents):
    """The graph's text, inputs and fetches for numbered rows."""
    nodes, inputs, fetches = [], {}, []
    for number, row in rows:
        name = label(number, row)
        operands = []
        for i, operand in enumerate(row.inputs):
            own = f"{name}_x{i}"
            operands.append(own)
            if isinstance(operand, Constant):
                nodes.append(constant(own, operand.array))
                continue
            shape = list(operand.shape)
            if open_extents:
                known = len(shape) - 1 if row.keeps_last else len(shape)
                shape[1:known] = [-1] * len(shape[1:known])
            nodes.append(placeholder(own, operand.dtype, shape))
            inputs[own] = np.stack([operand.real, operand.imag], -1) \
                if operand.dtype.kind == "c" else operand
        nodes.append(node(name, row.op, operands, **row.attributes))
        fetches += [f"{name}:{i}" if i else name
                    for i in range(len(row.expected))]
    return graph(nodes), inputs, fetches


def differs(want, got, row):
    want = np.asarray(want)
    if want.dtype.kind == "c":
        want = np.stack([want.real, want.imag], -1)
    if want.shape != got.shape or want.dtype != got.dtype:
        return (f"expected {want.dtype}{list(want.shape)}, got "
                f"{got.dtype}{list(got.shape)}")
    if want.dtype.kind == "f":
        same = np.isclose(got, want, rtol=row.tolerance, atol=row.tolerance,
                          equal_nan=True)
    else:
        same = got == want
    if np.all(same):
        return None
    at = tuple(np.argwhere(~np.atleast_1d(same))[0])
    return (f"at {list(map(int, at))} expected {np.atleast_1d(want)[at]}, got "
            f"{np.atleast_1d(got)[at]}")


def call(command, environment=None):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=1200,
                          env=environment)
    return done.returncode, done.stdout.decode(errors="replace").strip()


def bits(array):
    """The elements as bytes; every NaN is the same."""
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), array.dtype.type(np.nan), array)
    return array.shape, array.tobytes()


def compare_device(options, tenon, common, folder):
    """Runs the graph on the CPU and on an emulated GPU, and returns what
    differs, or None. Both may refuse the inputs of a row, such as an index
    out of range."""
    environment = dict(os.environ, TENON_GPU_SM=options.device[3:],
                       LD_LIBRARY_PATH=os.path.join(options.build, "lib",
                                                    "gpu"))
    answers = []
    for number, device in enumerate(("cpu", f"nvptx:{options.device}")):
        made = os.path.join(folder, f"device{number}.npz")
        status, said = call([tenon, "run", *common, f"--device={device}",
                             "--matmul-precision=strict",
                             f"--outputs={made}"], environment)
        if status != 0:
            return f"on {device}: exit {status}: {said}"
        answers.append(np.load(made))
    wrong = [name for name in answers[0].files
             if bits(answers[0][name]) != bits(answers[1][name])]
    return f"other bits of {', '.join(wrong)} on the device" if wrong else None


def run_rows(options, rows, open_extents):
    """(row's label, error or None) for each row."""
    tenon = os.path.join(options.build, "bin", "tenon")
    text, inputs, fetches = build(rows, open_extents)
    with tempfile.TemporaryDirectory(prefix="tenon-") as folder:
        model = os.path.join(folder, "graph.pb")
        given = os.path.join(folder, "in.npz")
        made = os.path.join(folder, "out.npz")
        write_graph(model, text)
        np.savez(given, **inputs)
        common = [model, "-q", "--fetches=" + ",".join(fetches),
                  f"--inputs={given}"]
        status, said = call([tenon, "run", *common, f"--outputs={made}"])
        if status != 0 and len(rows) > 1:
            # Run the rows one by one to find the faulty one.
            return [wrong for pair in rows
                    for wrong in run_rows(options, [pair], open_extents)]
        if status != 0:
            return [(label(*rows[0]), f"exit {status}: {said}")]
        answers = np.load(made)
        found = []
        for number, row in rows:
            name, wrong = label(number, row), None
            for i, want in enumerate(row.expected):
                got = answers[f"{name}:{i}" if f"{name}:{i}" in answers
                              else name]
                wrong = wrong or differs(want, got, row)
            found.append((name, wrong))
        if options.device:
            wrong = compare_device(options, tenon, common, folder)
            if wrong and len(rows) > 1:
                return [found for pair in rows
                        for found in run_rows(options, [pair], open_extents)]
            return [(name, before or wrong) for name, before in found]
        if options.verify:
            status, said = call([tenon, "verify", "-O0", *common])
            if status != 0:
                found.append((label(*rows[0]),
                              f"verify, exit {status}: {said}"))
        return found


def write_graphs(folder):
    """Writes a graph of each row with static extents, for tests that damage
    them."""
    os.makedirs(folder, exist_ok=True)
    for name, rows in FAMILIES.items():
        for pair in enumerate(rows):
            text, _, _ = build([pair], False)
            write_graph(os.path.join(
                folder, f"{name}_{label(*pair)}.pb"), text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="")
    parser.add_argument("--no-verify", dest="verify", action="store_false")
    parser.add_argument("--device", default="",
                        help="an architecture, such as sm_80: expect the "
                        "CPU's bits from an emulated GPU")
    parser.add_argument("--write", default="")
    options = parser.parse_args()
    if options.write:
        write_graphs(options.write)
        return
    families = []
    for name, rows in FAMILIES.items():
        numbered = [(i, row) for i, row in enumerate(rows)
                    if options.only in f"{name} {row.op}"]
        for open_extents in (False, True):
            chosen = [pair for pair in numbered
                      if not (open_extents and pair[1].static)]
            for at in range(0, len(chosen), 24):
                families.append((name, chosen[at:at + 24], open_extents))
    passed = failed = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda f: run_rows(options, *f[1:]), families)
        for (name, _, open_extents), result in zip(families, results):
            for row, wrong in result:
                if wrong is None:
                    passed += 1
                    continue
                failed += 1
                kind = "open extents" if open_extents else "static"
                print(f"{name}: {row} ({kind}): {wrong}")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
