#!/usr/bin/python3
"""Random calls of one artifact, as a table of times.

Every call has a kind of its own, which `random_calls.py` draws, and each kind
is called twice. A call allocates nothing if an earlier one was as large: the
largest kind comes first, and the context's memory must stay what it is then.

On a machine with other work wall time says little; there `--clock=processor
--threads=1` measures the processor time of a call.
"""
import argparse
import json
import os
import subprocess
import sys
import time

import numpy as np

import random_calls


CLOCKS = {"wall": time.perf_counter, "processor": time.process_time}


class Stopwatch:
    def __init__(self, calls, clock):
        self.calls, self.clock = calls, CLOCKS[clock]

    def milliseconds(self, kind):
        call = self.calls.call(kind)
        start = self.clock()
        call()
        return (self.clock() - start) * 1e3


def compile_model(options):
    name = os.path.basename(os.path.normpath(options.model))
    path = os.path.join(options.build, "bench",
                        f"calls-{name}-{options.format}.so")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if not os.path.exists(path):
        subprocess.run([os.path.join(options.build, "bin", "tenon"), "compile",
                        "-q", options.model, "-o", path,
                        f"--weight-format={options.format}"], check=True)
    return path


def open_model(options):
    sys.path.insert(0, os.path.join(options.build, "python"))
    import tenon
    with open(os.path.join(options.model, "config.json")) as file:
        config = json.load(file)
    model = tenon.load(compile_model(options), threads=options.threads)
    kind = random_calls.OF_TYPE[config["model_type"]]
    return kind(tenon, model, config["vocab_size"], options.seed)


def show(times):
    print("| strategy | kinds | first call ms | second call ms | "
          "first / second: median | 90% below |")
    print("|---|---|---|---|---|---|")
    for strategy, pairs in times.items():
        first, second = np.array(pairs).T
        ratio = first / second
        print(f"| {strategy} | {len(pairs)} | {np.median(first):.1f} | "
              f"{np.median(second):.1f} | {np.median(ratio):.3f} | "
              f"{np.quantile(ratio, 0.9):.3f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--model", required=True, help="the checkpoint")
    parser.add_argument("--format", default="int8")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    calls = open_model(options)
    watch = Stopwatch(calls, options.clock)
    page_in = watch.milliseconds(calls.largest())
    memory = calls.memory
    again = watch.milliseconds(calls.largest())
    print(f"largest call, with page-in: {page_in:.1f} ms, again {again:.1f} ms")
    times = {strategy: [] for strategy in calls.strategies}
    for number in range(options.calls):
        strategy = list(times)[number % len(times)]
        kind = calls.kind(strategy)
        times[strategy].append((watch.milliseconds(kind),
                                watch.milliseconds(kind)))
        if calls.memory != memory:
            raise SystemExit(f"calls: {kind} made the context grow from "
                             f"{memory} to {calls.memory} bytes")
    show(times)
    print(f"context: {memory} bytes from the largest call to the last")
    return 0


if __name__ == "__main__":
    sys.exit(main())
