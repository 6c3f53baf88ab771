#!/usr/bin/python3
"""Runs Debian's ONNX test cases as native code and compares with ledgers.

A ledger lists every case of a suite as `pass` or `skip: REASON`. The suite
fails if a case listed as pass fails, a case is missing, listed twice or
unknown, a reason is not one of those below, or fewer cases pass than the
floor. `--update` runs everything and writes the ledgers from the results.
Cases of newer opsets (newer_cases.py) have no ledger: all of them must pass.
With --devices the cases run on this machine's processor and on emulated NVIDIA
GPUs, which must give the processor's bits: each case on one of the
architectures, in turn. Without it they run as code for x86-64-v3. Named cases,
and all cases with --full, run on both CPUs and on all architectures.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import newer_cases
import onnx_wire
import other_values

DATA = "/usr/share/libonnx-testdata/data"
FLOORS = {"node": 870, "pytorch-converted": 82, "pytorch-operator": 35,
          "simple": 7}
REASONS = ("strings", "sequences", "randomness", "gradients")
NOT_YET = "not-yet"
MOST_NOT_YET = 10
# Each CPU with its -O: code for the second must be right without LLVM's passes.
CPUS = {"native": 2, "x86-64-v3": 0}
FEW_CPUS = ["x86-64-v3"]
RANDOM = {"RandomNormal", "RandomUniform", "RandomNormalLike",
          "RandomUniformLike", "Bernoulli", "Multinomial"}


def cases_of(suite):
    return sorted(os.listdir(os.path.join(DATA, suite)))


def ledger_names(suite):
    return [f"ledger-{suite}.txt", f"ledger-{suite}-functions.txt"]


def ledger_of(suite, case, cases):
    """The ledger that lists a case. Operators that ONNX defines by functions
    have a ledger of their own, which lists each case beside the case of the
    function's body."""
    plain, functions = ledger_names(suite)
    has_body = case.endswith("_expanded") or f"{case}_expanded" in cases
    return functions if has_body else plain


def read_ledger(suite):
    """Every line as (ledger's name, case, verdict)."""
    for name in ledger_names(suite):
        path = os.path.join(HERE, name)
        if not os.path.exists(path):
            continue
        with open(path) as text:
            for line in text:
                if line.strip() and not line.startswith("#"):
                    yield (name, *line.rstrip("\n").split(" ", 1))


def write_ledger(suite, verdicts):
    for name in ledger_names(suite):
        path = os.path.join(HERE, name)
        cases = [case for case in sorted(verdicts)
                 if ledger_of(suite, case, verdicts) == name]
        if cases:
            with open(path, "w") as text:
                passes = sum(verdicts[case] == "pass" for case in cases)
                text.write(f"# {passes} of {len(cases)} cases pass; "
                           "written by run_onnx.py --update\n")
                for case in cases:
                    text.write(f"{case} {verdicts[case]}\n")
        elif os.path.exists(path):
            os.remove(path)


def inherent_reason(path):
    """Why a case can never be compiled, or None."""
    graph = onnx_wire.Model(os.path.join(path, "model.onnx")).graph
    values = graph.inputs + graph.outputs
    nodes = list(graph.walk())
    if any(n.op == "Gradient" for n in nodes):
        return "gradients"
    if any(v.kind in ("sequence", "optional", "map") for v in values) or \
            any("Sequence" in n.op or n.op.startswith("Optional")
                for n in nodes if n.op != "ReverseSequence"):
        return "sequences"
    if any(v.code == 8 for v in values):
        return "strings"
    if any(n.op in RANDOM for n in nodes):
        return "randomness"
    if any(n.op == "Dropout" for n in nodes) and \
            os.path.basename(path).startswith("test_training_dropout") and \
            "zero_ratio" not in path:
        return "randomness"
    return None


def run_cases(options, cpu, folders, extra, device=""):
    """{folder: the driver's answer} for every folder."""
    driver = os.path.join(options.build, "bin", "onnx_conformance")
    environment = dict(os.environ)
    if device:
        environment["LD_LIBRARY_PATH"] = \
            os.path.join(options.build, "lib", "gpu")
        environment["TENON_GPU_SM"] = device.removeprefix("sm_")
    with tempfile.TemporaryDirectory(prefix="tenon-") as scratch:
        done = subprocess.run(
            [driver, f"--cpu={cpu}", f"--opt={CPUS.get(cpu, 2)}",
             f"--device={device}", f"--extra={extra}",
             f"--scratch={scratch}", f"--jobs={options.jobs}",
             f"--timeout={options.timeout}"],
            input="\n".join(folders) + "\n", text=True,
            env=environment,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"{driver}: ended with status {done.returncode}")
    said = dict(line.split("\t", 1) for line in done.stdout.splitlines())
    return {folder: said.get(folder, "no answer") for folder in folders}


def check_ledger(suite, cases, lines):
    """Yields the errors of the ledger itself."""
    listed = [case for _, case, _ in lines]
    for case in cases:
        if case not in listed:
            yield f"{ledger_of(suite, case, cases)}: {case} is not listed; " \
                "run with --update"
    for name, case, verdict in lines:
        if case not in cases:
            yield f"{name}: {case} is listed, but there is no such case"
        elif listed.count(case) > 1:
            yield f"{name}: {case} is listed {listed.count(case)} times"
        elif name != ledger_of(suite, case, cases):
            yield f"{name}: {case} is listed, expected in " \
                f"{ledger_of(suite, case, cases)}"
        reason = verdict[len("skip: "):] if verdict.startswith("skip: ") \
            else None
        if verdict != "pass" and reason not in REASONS and \
                not (reason or "").startswith(NOT_YET + ", "):
            yield f"{name}: {case}: expected pass or skip: REASON, " \
                f"got {verdict}"
        elif reason in REASONS and case in cases and \
                inherent_reason(os.path.join(DATA, suite, case)) != reason:
            yield f"{name}: {case} has nothing of {reason} in it"
    passes = sum(verdict == "pass" for _, _, verdict in lines)
    if passes < FLOORS[suite]:
        yield f"ledger-{suite}*.txt: expected at least {FLOORS[suite]} " \
            f"passes, got {passes}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("--timeout", type=int, default=300)
    parser.add_argument("--cpu", action="append",
                        help=f"of {', '.join(CPUS)}")
    parser.add_argument("--devices", type=lambda text: text.split(","),
                        default=[], help="architectures: sm_75,sm_80")
    parser.add_argument("--full", action="store_true",
                        help="every case on every CPU or architecture")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("cases", nargs="*",
                        help="names or parts of names; default: all")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    options.jobs = options.jobs or os.cpu_count()
    if not os.path.isdir(DATA):
        print(f"{DATA}: not installed")
        print("0 passed, 1 failed, 0 skipped")
        return 1

    def wanted(case):
        return not options.cases or any(c in case for c in options.cases)

    complaints, run, skipped = [], [], 0
    ledgers, verdicts = {}, {}
    for suite in FLOORS:
        lines = list(read_ledger(suite))
        ledgers[suite] = {case: verdict for _, case, verdict in lines}
        verdicts[suite] = {}
        if not options.update and not options.cases:
            complaints += check_ledger(suite, cases_of(suite), lines)
        for case in filter(wanted, cases_of(suite)):
            verdict = ledgers[suite].get(case, "")
            folder = os.path.join(DATA, suite, case)
            if options.update:
                reason = inherent_reason(folder)
                if reason:
                    verdicts[suite][case] = f"skip: {reason}"
                else:
                    run.append(folder)
            elif verdict.startswith("skip: ") and not options.cases:
                skipped += 1
            else:
                run.append(folder)
    late = sum(v.startswith(f"skip: {NOT_YET}")
               for ledger in ledgers.values() for v in ledger.values())
    if late > MOST_NOT_YET and not options.update and not options.cases:
        complaints.append(f"{late} cases are {NOT_YET}, at most "
                          f"{MOST_NOT_YET} may be")

    passed, failures, wrong = 0, [], {}
    with tempfile.TemporaryDirectory(prefix="tenon-") as extra:
        others = other_values.write(DATA, extra, set(map(os.path.basename,
                                                         run)))
        newer = [folder for folder in newer_cases.write(f"{extra}/newer")
                 if wanted(os.path.basename(folder))]
        few = not (options.full or options.cases or options.update)
        cpus = options.cpu or (FEW_CPUS if few else CPUS)
        kinds = [(cpu, "") for cpu in cpus]
        folders, every = run + newer, 1
        if options.devices:
            kinds = [("native", device) for device in options.devices]
            every = len(kinds) if few else 1
        for turn, (cpu, device) in enumerate(kinds):
            start = time.monotonic()
            taken = folders[turn % every::every]
            said = run_cases(options, cpu, taken, extra, device)
            kind = device or cpu
            for folder in taken:
                if said[folder] == "pass":
                    passed += 1
                else:
                    where = "/".join(folder.split("/")[-2:])
                    failures.append(f"{where} ({kind}): {said[folder]}")
                    wrong.setdefault(folder, said[folder])
            print(f"{kind}: {len(taken)} cases in "
                  f"{time.monotonic() - start:.0f} s", flush=True)
    print(f"{others} data sets with other values")

    if options.update:
        for folder in run:
            suite, case = folder[len(DATA) + 1:].split("/")
            verdicts[suite][case] = "pass" if folder not in wrong else \
                f"skip: {NOT_YET}, {wrong[folder][:100]}"
        for suite in FLOORS:
            write_ledger(suite, {**ledgers[suite], **verdicts[suite]}
                         if options.cases else verdicts[suite])
    for line in complaints + failures:
        print(line)
    print(f"{passed} passed, {len(failures) + len(complaints)} failed, "
          f"{skipped} skipped")
    return 1 if failures or complaints else 0


if __name__ == "__main__":
    sys.exit(main())
