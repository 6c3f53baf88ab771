#!/usr/bin/python3
"""Runs every suite; the last line is `N passed, N failed, N skipped`.

A suite is a function that yields results. Failures are printed in full, passes
are only counted. `--only=NAME,...` selects suites, `--list` names them.
Processor time is printed for each suite and for the slowest units. Limits are
in wall time, several times what a slow and busy machine needs: they only end
tests that hang.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading
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


# The result of a command: its status (None: timed out), all its output, and the
# processor seconds of it and its children.
Ended = collections.namedtuple("Ended", "status said seconds")


def call(command, limit, env=None):
    with tempfile.TemporaryFile() as out:
        try:
            child = subprocess.Popen(command, cwd=SOURCE, stdout=out,
                                     stderr=subprocess.STDOUT,
                                     env={**os.environ, **(env or {})})
        except OSError as error:
            return Ended(127, f"{command[0]}: {error.strerror}\n", 0)
        late = threading.Event()

        def end():
            late.set()
            child.kill()
        timer = threading.Timer(limit, end)
        timer.start()
        _, status, usage = os.wait4(child.pid, 0)
        timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        return Ended(None if late.is_set() else child.returncode,
                     out.read().decode(errors="replace"),
                     usage.ru_utime + usage.ru_stime)


def children_seconds():
    """Processor seconds of all children that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def tail(text, lines=120):
    kept = text.rstrip().splitlines()
    return "\n".join(kept[-lines:])


def script(path, *arguments, limit=7200):
    """A suite in Python that prints its own counts as last line."""
    def suite(options):
        status, said, _ = call(
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


def together(*suites):
    """Suites that are counted as one."""
    def suite(options):
        total = Count()
        for part in suites:
            total.add(part(options))
        return total
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


def run_unit(test, properties, options):
    """One test of CTest: its counts and how it ended."""
    report = os.path.join(options.build, "reports", test["name"] + ".json")
    os.makedirs(os.path.dirname(report), exist_ok=True)
    if os.path.exists(report):
        os.remove(report)
    env = dict(e.split("=", 1) for e in properties.get("ENVIRONMENT", []))
    ended = call(test.get("command", ["false"]), 3600,
                 {"GTEST_OUTPUT": f"json:{report}", **env})
    if os.path.exists(report):
        count = gtest_count(report)
        if ended.status != 0 and count.failed == 0:
            count.failed = 1
    elif ended.status == 77:
        count = Count(skipped=1)
    else:
        count = Count(passed=int(ended.status == 0),
                      failed=int(ended.status != 0))
    return count, ended


def run_units(options):
    """All tests of CTest; GoogleTest programs are counted by case. Tests that
    measure time or memory have RUN_SERIAL and run alone."""
    status, listing, _ = call(["ctest", "--test-dir", options.build,
                               "--show-only=json-v1"], 600)
    tests = json.loads(listing)["tests"] if status == 0 else []
    if not tests:
        print(tail(listing))
        print("units: CTest lists no tests")
        return Count(failed=1)
    total = Count()
    dearest = []

    def add(test, done):
        count, ended = done
        if count.failed:
            print(f"--- {test['name']} (status {ended.status})")
            print(tail(ended.said))
        total.add(count)
        dearest.append((ended.seconds, test["name"]))

    together, alone = [], []
    for test in tests:
        properties = {p["name"]: p["value"]
                      for p in test.get("properties", [])}
        serial = properties.get("RUN_SERIAL", False)
        (alone if serial else together).append((test, properties))
    jobs = options.jobs or os.cpu_count()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = [(test, pool.submit(run_unit, test, properties, options))
                   for test, properties in together]
        for test, future in running:
            add(test, future.result())
    for test, properties in alone:
        add(test, run_unit(test, properties, options))
    for seconds, name in sorted(dearest, reverse=True)[:10]:
        print(f"{seconds:6.0f} s of processor time  {name}")
    return total


def run_lit(options):
    report = os.path.join(options.build, "reports", "lit.json")
    os.makedirs(os.path.dirname(report), exist_ok=True)
    if os.path.exists(report):
        os.remove(report)
    jobs = options.jobs or os.cpu_count()
    status, said, _ = call(
        ["/usr/lib/llvm-22/bin/lit", "-sv", f"-j{jobs}",
         f"--output={report}", "--timeout=1200",
         os.path.join(options.build, "lit")], 7200)
    if not os.path.exists(report):
        print(tail(said))
        return Count(failed=1)
    with open(report) as text:
        tests = json.load(text)["tests"]
    count = Count()
    # Tests of a missing tool are skipped, so a missing tool counts as a
    # failure.
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


# Fast suites come first, so that errors appear within seconds.
SUITES = [
    ("house", script("test/house/lint.py")),
    ("units", run_units),
    ("lit", run_lit),
    ("conformance", script("test/conformance/run_onnx.py")),
    ("devices", together(
        script("test/conformance/run_onnx.py", "--devices=sm_75,sm_80"),
        script("test/tensorflow/check_ops.py", "--device=sm_80",
               "--no-verify"))),
    ("graphs", script("test/random/check_onnx_graphs.py", "--count=25")),
    ("tensorflow", script("test/tensorflow/check_ops.py")),
    ("training", script("test/tensorflow/check_training.py")),
    ("checkpoints", script("test/huggingface/check_checkpoints.py")),
    ("generation", script("test/huggingface/check_generation.py")),
    ("transcription", script("test/huggingface/check_transcription.py")),
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
        start, before = time.monotonic(), children_seconds()
        count = suite(options)
        rows.append(f"{name:12} {count}  ({time.monotonic() - start:.0f} s, "
                    f"{children_seconds() - before:.0f} s of processor time)")
        print(rows[-1], flush=True)
        total.add(count)
    print("\n" + "\n".join(rows))
    print(f"{children_seconds():.0f} s of processor time")
    print(total)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
