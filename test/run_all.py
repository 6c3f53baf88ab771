#!/usr/bin/python3
"""Runs every suite; the last line is `N passed, N failed, N skipped`.

A suite is a function that returns what it counted and has to say. Failures are
printed in full, passes are only counted. `--only=NAME,...` selects suites,
`--list` names them, `--full` adds cases to those that have more. A suite that
keeps all processors busy runs alone; the others run side by side. Processor
time is printed for each suite and for the slowest units. Limits are in wall
time, several times what a slow and busy machine needs: they only end tests that
hang.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
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


def tail(text, lines=120):
    kept = text.rstrip().splitlines()
    return "\n".join(kept[-lines:])


class Suite:
    """What a suite counted, what it has to say, and its processor seconds."""

    def __init__(self):
        self.count, self.said, self.seconds = Count(), [], 0

    def say(self, text):
        self.said.append(text)


def script(path, *arguments, has_full=False, limit=7200):
    """A suite in Python that prints its own counts as last line. Its time limit
    is several times longer with `--full`, if it `has_full`."""
    def suite(options):
        result = Suite()
        full = ["--full"] if has_full and options.full else []
        status, said, result.seconds = call(
            [PYTHON, os.path.join(SOURCE, path),
             f"--build={options.build}", *arguments, *full,
             *([f"--jobs={options.jobs}"] if options.jobs else [])],
            10 * limit if full else limit)
        found = COUNTS.findall(said)
        if not found or status is None:
            result.say(tail(said))
            result.say(f"{path}: ended with status {status} and without a "
                       "count")
            result.count.failed = 1
            return result
        result.count = Count(*map(int, found[-1]))
        if status != 0 and result.count.failed == 0:
            result.count.failed = 1
        result.say(tail(said) if result.count.failed else tail(said, 12))
        return result
    return suite


def together(*suites):
    """Suites that are counted as one."""
    def suite(options):
        total = Suite()
        for part in suites:
            result = part(options)
            total.count.add(result.count)
            total.said += result.said
            total.seconds += result.seconds
        return total
    return suite


def jobs_of(options):
    return options.jobs or os.cpu_count()


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
    measure time or memory have RUN_SERIAL and run alone. Those that take minutes
    have a COST and start first, so that none runs alone at the end."""
    result = Suite()
    status, listing, _ = call(["ctest", "--test-dir", options.build,
                               "--show-only=json-v1"], 600)
    tests = json.loads(listing)["tests"] if status == 0 else []
    if not tests:
        result.say(tail(listing))
        result.say("units: CTest lists no tests")
        result.count.failed = 1
        return result
    dearest = []

    def add(test, done):
        count, ended = done
        if count.failed:
            result.say(f"--- {test['name']} (status {ended.status})")
            result.say(tail(ended.said))
        result.count.add(count)
        result.seconds += ended.seconds
        dearest.append((ended.seconds, test["name"]))

    together, alone = [], []
    for test in tests:
        properties = {p["name"]: p["value"]
                      for p in test.get("properties", [])}
        serial = properties.get("RUN_SERIAL", False)
        (alone if serial else together).append((test, properties))
    together.sort(key=lambda each: -each[1].get("COST", 0))
    with concurrent.futures.ThreadPoolExecutor(jobs_of(options)) as pool:
        running = [(test, pool.submit(run_unit, test, properties, options))
                   for test, properties in together]
        for test, future in running:
            add(test, future.result())
    for test, properties in alone:
        add(test, run_unit(test, properties, options))
    for seconds, name in sorted(dearest, reverse=True)[:10]:
        result.say(f"{seconds:6.0f} s of processor time  {name}")
    return result


def run_lit(options):
    result = Suite()
    report = os.path.join(options.build, "reports", "lit.json")
    os.makedirs(os.path.dirname(report), exist_ok=True)
    if os.path.exists(report):
        os.remove(report)
    status, said, result.seconds = call(
        ["/usr/lib/llvm-22/bin/lit", "-sv", f"-j{jobs_of(options)}",
         f"--output={report}", "--timeout=1200",
         os.path.join(options.build, "lit")], 7200)
    count = result.count
    if not os.path.exists(report):
        result.say(tail(said))
        count.failed = 1
        return result
    with open(report) as text:
        tests = json.load(text)["tests"]
    # Tests of a missing tool are skipped, so a missing tool counts as a
    # failure.
    for tool in TOOLS:
        if not os.path.exists(os.path.join(options.build, "bin", tool)):
            result.say(f"lit: {tool} is not built")
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
        result.say(tail(said, 400))
    return result


# These keep all processors busy. Fast suites come first, so that errors appear
# within seconds.
WIDE = [
    ("house", script("test/house/lint.py")),
    ("units", run_units),
    ("lit", run_lit),
    ("conformance", script("test/conformance/run_onnx.py", has_full=True)),
    ("devices", together(
        script("test/conformance/run_onnx.py", "--devices=sm_75,sm_80",
               has_full=True),
        script("test/tensorflow/check_ops.py", "--device=sm_80",
               "--no-verify"),
        script("test/gpu/check_generation.py", has_full=True))),
    ("graphs", script("test/random/check_onnx_graphs.py", "--count=25")),
    ("tensorflow", script("test/tensorflow/check_ops.py")),
]
# These mostly compute in one thread. The longest comes first.
NARROW = [
    ("generation", script("test/huggingface/check_generation.py",
                          has_full=True)),
    ("models", script("test/e2e/check_models.py")),
    ("checkpoints", script("test/huggingface/check_checkpoints.py")),
    ("transcription", script("test/huggingface/check_transcription.py",
                             has_full=True)),
    ("training", script("test/tensorflow/check_training.py")),
    ("savedmodels", script("test/savedmodel/run_savedmodel.py")),
]


def run_suite(name, suite, options):
    """The suite's result and the line that sums it up."""
    print(f"=== {name} starts", flush=True)
    start = time.monotonic()
    result = suite(options)
    return result, f"{name:12} {result.count}  " \
        f"({time.monotonic() - start:.0f} s, {result.seconds:.0f} s of " \
        "processor time)"


def results(wanted, options):
    """The results of the wanted suites, as they end."""
    for name, suite in WIDE:
        if name in wanted:
            yield run_suite(name, suite, options)
    with concurrent.futures.ThreadPoolExecutor(jobs_of(options)) as pool:
        running = [pool.submit(run_suite, name, suite, options)
                   for name, suite in NARROW if name in wanted]
        for future in concurrent.futures.as_completed(running):
            yield future.result()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=os.path.join(SOURCE, "build"))
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    if options.full:
        os.environ["TENON_TEST_FULL"] = "1"
    names = [name for name, _ in WIDE + NARROW]
    if options.list:
        print("\n".join(names))
        return 0
    wanted = options.only.split(",") if options.only else names
    unknown = set(wanted) - set(names)
    if unknown:
        parser.error(f"no such suite: {', '.join(sorted(unknown))}")
    total = Count()
    rows = []
    seconds = 0
    for result, row in results(wanted, options):
        print(f"=== {row}", *result.said, sep="\n", flush=True)
        rows.append(row)
        total.add(result.count)
        seconds += result.seconds
    print("\n" + "\n".join(rows))
    print(f"{seconds:.0f} s of processor time")
    print(total)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
