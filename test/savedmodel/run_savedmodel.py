#!/usr/bin/python3
"""Runs real TensorFlow models of many authors and compares with a ledger.

The models are beside a checkout in shared/data/savedmodel, each with inputs
and expected outputs (io/manifest.json). Without them the suite is skipped and
reports it. A case is a signature at one batch size; all sizes of a signature
run from one artifact. The ledger (ledger.txt) lists every case as `pass` or
`skip: REASON`. The suite fails if a pass fails, or a case is missing or
unknown. Refusals are checked too: `refuse: WORDS` means exit status 4 with the
words in the message. `--update` writes the results as ledger.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
DATA = os.path.join(os.path.dirname(SOURCE), "shared", "data", "savedmodel")
LEDGER = os.path.join(HERE, "ledger.txt")


def read_ledger():
    ledger = {}
    if os.path.exists(LEDGER):
        with open(LEDGER) as text:
            for line in text:
                if line.strip() and not line.startswith("#"):
                    case, verdict = line.rstrip("\n").split(" ", 1)
                    ledger[case] = verdict
    return ledger


def run(command, limit=120):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=limit)
    return done.returncode, done.stdout.decode(errors="replace")


def model_path(folder):
    frozen = os.path.join(folder, "frozen.pb")
    return frozen if os.path.exists(frozen) else folder


def port_name(signature, name, entry):
    """The compiled function's name of an input or output."""
    if signature in ("frozen", "nosig"):
        return entry["tensor"].split(":")[0]
    return name


def entry_flags(signature, case):
    """The flags that choose the entry, and the names of its inputs and
    outputs."""
    if signature in ("frozen", "nosig"):
        feeds = [i["tensor"] for i in case["inputs"].values()]
        fetches = [o["tensor"] for o in case["outputs"].values()]
        flags = []
        if feeds:
            flags.append("--feeds=" + ",".join(feeds))
        flags.append("--fetches=" + ",".join(fetches))
        return flags
    return ["--signature=" + signature]


def shape_flags(signature, case):
    """The shape flags for inputs whose rank the model leaves open."""
    return [f"--shape={port_name(signature, name, entry)}:" +
            "x".join("?" * len(entry["shape"]))
            for name, entry in case["inputs"].items()]


def compile_entry(build, folder, signature, case, out):
    command = [os.path.join(build, "bin", "tenon"), "compile", "-q",
               model_path(folder), "-o", out, *entry_flags(signature, case)]
    status, said = run(command)
    if status == 4 and "its rank is not declared" in said:
        status, said = run(command + shape_flags(signature, case))
    return status, said


def check_case(build, folder, signature, case, artifact, scratch):
    """The error of the outputs, or None."""
    out = os.path.join(scratch, "out.npz")
    command = [os.path.join(build, "bin", "tenon"), "run", "-q", artifact,
               f"--outputs={out}"]
    for port, entry in case["inputs"].items():
        command.append(f"--input={port_name(signature, port, entry)}=@" +
                       os.path.join(folder, "io", entry["file"]))
    status, said = run(command)
    if status != 0:
        return f"exit {status}: {said.strip()[-300:]}"
    answers = np.load(out)
    for port, entry in case["outputs"].items():
        wanted = np.load(os.path.join(folder, "io", entry["file"]))
        found = answers[port_name(signature, port, entry)]
        if found.shape != wanted.shape or found.dtype != wanted.dtype:
            return (f"{port}: {found.dtype}{list(found.shape)}, expected "
                    f"{wanted.dtype}{list(wanted.shape)}")
        if wanted.dtype.kind != "f":
            if not np.array_equal(found, wanted):
                return f"{port}: other values"
            continue
        # Allow the difference between float32 and float64 of the reference, and
        # a little more.
        scale = max(entry.get("max_abs") or 0, 1e-30)
        bound = 16 * (entry.get("f32_vs_f64_max_abs_diff") or 0) + 4e-6 * scale
        error = np.max(np.abs(found.astype(np.float64) -
                              wanted.astype(np.float64)), initial=0)
        if not error <= bound:
            return f"{port}: off by {error:.3g}, at most {bound:.3g} is right"
    return None


def run_cases(build, folder, scratch):
    """Yields (case, verdict) for one model."""
    model = os.path.basename(folder)
    manifest = os.path.join(folder, "io", "manifest.json")
    cases = []
    if os.path.exists(manifest):
        with open(manifest) as text:
            cases = json.load(text)["cases"]
    if not cases:
        status, said = run([os.path.join(build, "bin", "tenon"), "compile",
                            "-q", model_path(folder), "-o",
                            os.path.join(scratch, "none.so")])
        yield f"{model}:-", refusal(status, said)
        return
    artifacts = {}
    for case in cases:
        signature = case["signature"]
        label = f"{model}:{signature}:b{case['batch']}"
        if signature not in artifacts:
            artifact = os.path.join(scratch, f"{len(artifacts)}.so")
            status, said = compile_entry(build, folder, signature, case,
                                         artifact)
            artifacts[signature] = (artifact, status, said)
        artifact, status, said = artifacts[signature]
        if status != 0:
            yield label, refusal(status, said)
            continue
        wrong = check_case(build, folder, signature, case, artifact, scratch)
        yield label, "pass" if wrong is None else f"wrong: {wrong}"


def refusal(status, said):
    if status != 4:
        return f"wrong: exit {status}: {said.strip()[-400:]}"
    # Indented lines list the places of each kind of refusal: skip them.
    lines = [line.strip() for line in said.splitlines()
             if not line.startswith("    ")]
    return "refuse: " + "; ".join(
        line.split(",")[0] for line in lines[1:]) if len(lines) > 1 else \
        "refuse: " + lines[0].split("error: ")[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    if not os.path.isdir(DATA):
        print("no shared/data/savedmodel beside the checkout: skipped")
        print("0 passed, 0 failed, 1 skipped")
        return
    ledger, seen = read_ledger(), {}
    for model in sorted(os.listdir(DATA)):
        folder = os.path.join(DATA, model)
        if not os.path.isdir(folder) or \
                (options.models and model not in options.models):
            continue
        with tempfile.TemporaryDirectory(prefix="tenon-") as scratch:
            for case, verdict in run_cases(options.build, folder, scratch):
                seen[case] = verdict
    if options.update:
        with open(LEDGER, "w") as text:
            text.write("# Written by run_savedmodel.py --update.\n")
            for case, verdict in sorted(seen.items()):
                text.write(f"{case} {verdict}\n")
    passed = failed = skipped = 0
    for case, verdict in sorted(seen.items()):
        wanted = verdict if options.update else ledger.get(case, "not listed")
        if verdict != wanted or verdict.startswith("wrong"):
            failed += 1
            print(f"{case}: {verdict}\n    the ledger has: {wanted}")
        elif verdict == "pass":
            passed += 1
        else:
            skipped += 1
    for case in ledger:
        if case not in seen and not options.models:
            failed += 1
            print(f"{case}: in the ledger, but there is no such case")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
