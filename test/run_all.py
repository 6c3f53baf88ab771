#!/usr/bin/python3
"""Runs every suite and counts: the last line is `N passed, N failed, N skipped`.

A suite is a function that yields results; what fails is printed in full, what
passes is only counted. `--only=NAME,...` picks suites, `--list` names them.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import time

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PYTHON = "/usr/bin/python3"
TOOLS = ("tenon", "tenon-opt", "tenon-lsp-server", "tenon-reduce")
COUNTS = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", re.M)


class Count:
    def __init__(self, passed=0, failed=0, skipped=0):
        self.passed, self.failed, self.skipped = passed, failed, skipped

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    def __str__(self):
        return (f"{self.passed} passed, {self.failed} failed, "
                f"{self.skipped} skipped")


def call(command, limit, env=None):
    """The status (None past the limit) and everything the command said."""
    try:
        done = subprocess.run(command, cwd=SOURCE, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=limit,
                              env={**os.environ, **(env or {})})
        return done.returncode, done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired as late:
        return None, (late.stdout or b"").decode(errors="replace")
    except OSError as error:
        return 127, f"{command[0]}: {error.strerror}\n"


def tail(text, lines=120):
    kept = text.rstrip().splitlines()
    return "\n".join(kept[-lines:])


def script(path, *arguments, limit=1200):
    """A suite in Python whose own last line is the count."""
    def suite(options):
        status, said = call(
            [PYTHON, os.path.join(SOURCE, path),
             f"--build={options.build}", *arguments,
             *([f"--jobs={options.jobs}"] if options.jobs else [])], limit)
        found = COUNTS.findall(said)
        if not found or status is None:
            print(tail(said))
            print(f"{path}: ended with status {status} and without a count")
            return Count(failed=1)
        count = Count(*map(int, found[-1]))
        if status != 0 and count.failed == 0:
            count.failed = 1
        print(tail(said) if count.failed else tail(said, 12))
        return count
    return suite


def gtest_count(path):
    with open(path) as text:
        report = json.load(text)
    count = Count()
    for suite in report["testsuites"]:
        for case in suite["testsuite"]:
            if case.get("failures"):
                count.failed += 1
            elif case.get("result") == "SKIPPED":
                count.skipped += 1
            elif case.get("status") == "RUN":
                count.passed += 1
    return count


def run_units(options):
    """Everything CTest knows of; GoogleTest programs are counted by case."""
    status, listing = call(["ctest", "--test-dir", options.build,
                            "--show-only=json-v1"], 60)
    tests = json.loads(listing)["tests"] if status == 0 else []
    if not tests:
        print(tail(listing))
        print("units: CTest lists no tests")
        return Count(failed=1)
    total = Count()
    for test in tests:
        name = test["name"]
        report = os.path.join(options.build, "reports", name + ".json")
        os.makedirs(os.path.dirname(report), exist_ok=True)
        if os.path.exists(report):
            os.remove(report)
        properties = {p["name"]: p["value"]
                      for p in test.get("properties", [])}
        env = dict(e.split("=", 1)
                   for e in properties.get("ENVIRONMENT", []))
        status, said = call(test.get("command", ["false"]), 600,
                            {"GTEST_OUTPUT": f"json:{report}", **env})
        if os.path.exists(report):
            count = gtest_count(report)
            if status != 0 and count.failed == 0:
                count.failed = 1
        elif status == 77:
            count = Count(skipped=1)
        else:
            count = Count(passed=int(status == 0), failed=int(status != 0))
        if count.failed:
            print(f"--- {name} (status {status})")
            print(tail(said))
        total.add(count)
    return total


def run_lit(options):
    report = os.path.join(options.build, "reports", "lit.json")
    os.makedirs(os.path.dirname(report), exist_ok=True)
    if os.path.exists(report):
        os.remove(report)
    jobs = options.jobs or os.cpu_count()
    status, said = call(
        ["/usr/lib/llvm-22/bin/lit", "-sv", f"-j{jobs}",
         f"--output={report}", "--timeout=120",
         os.path.join(options.build, "lit")], 1200)
    if not os.path.exists(report):
        print(tail(said))
        return Count(failed=1)
    with open(report) as text:
        tests = json.load(text)["tests"]
    count = Count()
    # Tests of a tool that is not there are skipped, so its absence counts.
    for tool in TOOLS:
        if not os.path.exists(os.path.join(options.build, "bin", tool)):
            print(f"lit: {tool} is not built")
            count.failed += 1
    for test in tests:
        if test["code"] == "PASS":
            count.passed += 1
        elif test["code"] in ("UNSUPPORTED", "SKIPPED"):
            count.skipped += 1
        else:
            count.failed += 1
    if status != 0 and count.failed == 0:
        count.failed = 1
    if count.failed:
        print(tail(said, 400))
    return count


# The cheap suites come first: what is wrong with the tree is known in seconds.
SUITES = [
    ("house", script("test/house/lint.py")),
    ("units", run_units),
    ("lit", run_lit),
    ("conformance", script("test/conformance/run_onnx.py")),
    ("graphs", script("test/random/check_onnx_graphs.py", "--count=25")),
    ("tensorflow", script("test/tensorflow/check_ops.py")),
    ("savedmodels", script("test/savedmodel/run_savedmodel.py")),
    ("models", script("test/e2e/check_models.py")),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=os.path.join(SOURCE, "build"))
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    names = [name for name, _ in SUITES]
    if options.list:
        print("\n".join(names))
        return 0
    wanted = options.only.split(",") if options.only else names
    unknown = set(wanted) - set(names)
    if unknown:
        parser.error(f"no such suite: {', '.join(sorted(unknown))}")
    total = Count()
    rows = []
    for name, suite in SUITES:
        if name not in wanted:
            continue
        print(f"=== {name}", flush=True)
        start = time.monotonic()
        count = suite(options)
        rows.append(f"{name:12} {count}  ({time.monotonic() - start:.0f} s)")
        print(rows[-1], flush=True)
        total.add(count)
    print("\n" + "\n".join(rows))
    print(total)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
