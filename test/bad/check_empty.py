"""Tests every operator on tensors without elements: compiled, run and compared
with the oracle. Zero extents are static in one model and dynamic in another.
Many operators share a model. The extent beside a zero is small, 2^56 or 2^62.
With a huge extent nothing may overflow or be walked row by row; a result that
needs memory for each row must report a limit, and so must operands whose
nonzero extents have a product above 2^62. An operator alone in a model with a
huge extent has it known or in the run, in turn, and both with TENON_TEST_FULL.

    check_empty.py --build=BUILD [--only=OP] [--split]
"""
import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

import onnx_build
from empty_rows import BY_ROW, GROWING, ROWS, UNTRIED

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HUGE = 1 << 62
LARGE = 1 << 56
EXTENTS = [{"n": 0, "m": 3}, {"n": 2, "m": 0}, {"n": 0, "m": 0}, {"n": 2, "m": 3}]


def registered():
    """The operators that the importer supports."""
    names = set()
    for path in glob.glob(os.path.join(SOURCE, "compiler/import/onnx/ops/Ops*.cpp")):
        with open(path) as text:
            names.update(re.findall(r'\.add\(\s*"(\w+)"', text.read()))
    return names


def with_extents(text, extents):
    return re.sub(r"\b[nm]\b(?=[,\]])", lambda name: str(extents[name[0]]), text)


def write_model(rows, extents, path):
    """Writes one model of all rows of an opset; `extents` fixes n and m."""
    nodes, inputs, constants, outputs = [], {}, {}, []
    for number, row in enumerate(rows):
        names = []
        for i, operand in enumerate(row.operands):
            if isinstance(operand, str):
                name = re.sub(r"\W", "_", operand)
                inputs[name] = with_extents(operand, extents) if extents else operand
            else:
                name = "" if operand is None else f"c{number}_{i}"
                if name:
                    constants[name] = operand
            names.append(name)
        results = [f"y{number}_{i}" for i in range(row.outputs)]
        outputs += results
        nodes.append(onnx_build.node(row.op, names, results, f"{row.op}.{number}", **row.attributes))
    with open(path, "wb") as file:
        file.write(onnx_build.model(nodes, inputs, outputs, constants, rows[0].opset))


def elements(operand, extents):
    """The number of elements of an operand; 0 if it is a constant."""
    if not isinstance(operand, str):
        return 0
    count = 1
    for extent in re.findall(r"[^,\]]+", operand.split("[")[1]):
        count *= extents.get(extent) if extent in extents else int(extent)
    return count


def span(operand, extents):
    """The product of the operand's nonzero extents."""
    return elements(operand, {name: size or 1 for name, size in extents.items()})


def verify(tenon, rows, extents, known, codes=(0,)):
    """The output of `tenon verify` if it failed."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        write_model(rows, extents if known else None, path)
        command = [tenon, "verify", path, "-q", "-O0", "--input=random:1"]
        if not known:
            command += [f"--dim={name}={size}" for name, size in extents.items()
                        if any(isinstance(o, str) and re.search(rf"\b{name}\b[,\]]", o)
                               for row in rows for o in row.operands)]
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
        except subprocess.TimeoutExpired:
            return "past 120 seconds"
        said = done.stdout.decode(errors="replace")
        return f"{said}status {done.returncode}" if done.returncode not in codes else None


def groups_of(rows, split):
    """Groups of rows that form one model each."""
    if split:
        return [[row] for row in rows]
    return [[row for row in rows if row.opset == opset] for opset in sorted({row.opset for row in rows})]


def huge_cases(only, split):
    """Groups of rows with a huge extent beside a zero, and the statuses that
    are allowed for each."""
    for zero, other in ("nm", "mn"):
        for size in (LARGE, HUGE):
            extents = {zero: 0, other: size}

            def tried(row):
                named = [o for o in row.operands if isinstance(o, str) and re.search(r"\b[nm]\b(?=[,\]])", o)]
                return named and only in row.op and zero not in row.never and \
                    not any(elements(o, extents) > 1 << 40 for o in row.operands)
            rows = [row for row in ROWS if tried(row)]
            past = [row for row in rows if any(span(o, extents) > HUGE for o in row.operands)]
            rows = [row for row in rows if row not in past]
            alone = BY_ROW | (GROWING if size == HUGE else set())
            for group in groups_of([row for row in rows if row.op not in alone], split):
                yield group, extents, (0,)
            for row in rows:
                if row.op in alone:
                    yield [row], extents, (0, 5)
            for row in past:
                yield [row], extents, (5,)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--split", action="store_true", help="a model per operator")
    options = parser.parse_args()
    tenon = os.path.join(options.build, "bin", "tenon")
    full = options.only or options.split or "TENON_TEST_FULL" in os.environ
    passed = failed = 0
    missing = registered() - {row.op for row in ROWS} - set(UNTRIED)
    if missing:
        print(f"FAILED: no row for {', '.join(sorted(missing))}")
        failed += 1
    cases = []
    for known in (False, True):
        for extents in EXTENTS[:3] if known else EXTENTS:
            zero = {name for name, size in extents.items() if size == 0}
            rows = [row for row in ROWS if options.only in row.op and not zero & set(row.never)]
            cases += [(group, extents, known, (0,)) for group in groups_of(rows, options.split)]
        cases += [(group, extents, known, codes)
                  for number, (group, extents, codes) in enumerate(huge_cases(options.only, options.split))
                  if full or len(group) > 1 or number % 2 == known]
    for group, extents, known, codes in cases:
        wrong = verify(tenon, group, extents, known, codes)
        if wrong:
            print(f"FAILED {group[0].op if len(group) == 1 else 'rows'} with {extents}, "
                  f"{'known' if known else 'in the run'}: {wrong[:3000]}", flush=True)
            failed += 1
        else:
            passed += len(group)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
