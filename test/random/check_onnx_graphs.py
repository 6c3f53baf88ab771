#!/usr/bin/python3
"""Random ONNX graphs, compiled and run, compared with ONNX Runtime.

A graph has dynamic and static extents, extents that are 1 in a run, constants
in optional inputs, sizes computed from extents, and branches and loops that
change sizes. It is compiled once and run for three sets of sizes. Some graphs
also get variants for these sizes, which must give equal bits. A run is correct
if both sides give equal elements, up to rounding, or both refuse.

`--seed=S --count=N` selects graphs. `--keep=DIR` keeps graphs that differ or
are not supported. A model that Tenon does not support (status 4) is counted by
its reason and is no difference. The last line has the counts.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import shutil
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(HERE, "onnx"), os.path.join(SOURCE, "test", "bad")]
import compiled
import draw
import draw_control
import draw_indexing
import draw_layers
import draw_math
import draw_movement
import onnxruntime
from graph import Graph

GROWERS = (draw_math, draw_movement, draw_layers, draw_indexing, draw_control)
# Cases in which Tenon refuses a run as the specification demands and the peer
# does not (docs/differences.md).
STRICTER = re.compile("a weight per class|must be what the body declares")
# Cases in which the peer gives a result without elements.
NO_WINDOW = re.compile("the kernel (must|to) fit the padded extent")
SKIPPED = ("unsupported", "unjudged")
# The tolerance relative to the largest element, for sums of few exact terms and
# elementary functions that both sides implement on their own.
TOLERANCE = 1e-4


def grow(seed):
    """A graph made by one to five draws."""
    assert GROWERS
    rng = np.random.default_rng(seed)
    graph = Graph(rng, opset=int(rng.choice([13, 16, 17])))
    functions, weights = zip(*draw.DRAWS)
    shares = np.array(weights) / sum(weights)
    wanted = int(rng.integers(1, 6))
    while len(graph.ops) == 0 or wanted > 0:
        functions[int(rng.choice(len(functions), p=shares))](graph)
        wanted -= 1
    return graph


def same(ours, theirs, empty_in_any_shape):
    """The difference between two runs' outputs, or None."""
    for name, wanted in theirs.items():
        got = ours.get(name)
        if got is None:
            return f"output {name} is missing"
        if got.size == wanted.size == 0 and empty_in_any_shape:
            continue
        if got.shape != wanted.shape or got.dtype != wanted.dtype:
            return (f"output {name}: {got.dtype}{list(got.shape)} for "
                    f"{wanted.dtype}{list(wanted.shape)}")
        if wanted.dtype.kind != "f":
            different = got != wanted
        else:
            finite = np.isfinite(wanted)
            greatest = np.abs(wanted[finite]).max(initial=1.0)
            with np.errstate(invalid="ignore"):
                close = np.abs(got - wanted) <= TOLERANCE * greatest
            different = ~(close | (got == wanted)
                          | (np.isnan(got) & np.isnan(wanted)))
        if different.any():
            at = tuple(int(i) for i in np.argwhere(different)[0])
            return (f"output {name}{list(at)}: {got[at]} for {wanted[at]} "
                    f"({different.sum()} of {different.size})")
    return None


def reasons_of(words):
    """The reasons of a refusal, without names and numbers."""
    texts = re.findall(r"(?:error|unsupported|  [A-Z]\w+): (.*)", words) or \
        [words.strip()]
    texts = [re.sub(r'"[^"]*"|\d+', "_", t)[:150] for t in texts]
    return "; ".join(dict.fromkeys(texts[:4]))


def has_no_window(ours, theirs):
    return NO_WINDOW.search(ours.words) and any(
        a.size == 0 for a in theirs.values())


def judge_run(ours, theirs, empty_in_any_shape):
    refused = isinstance(ours, compiled.Refusal)
    if isinstance(theirs, str):
        if not refused:
            return "accepted", f"the peer refuses: {theirs[:200]}"
        if ours.status in (3, 4, 5, 8):
            return "refused", ""
        return "status", f"status {ours.status}: {ours.words[:300]}"
    if refused:
        if ours.status == 8 and (STRICTER.search(ours.words) or
                                 has_no_window(ours, theirs)):
            return "refused", ""
        return "status", f"status {ours.status}: {ours.words[:300]}"
    text = same(ours, theirs, empty_in_any_shape)
    return ("different", text) if text else ("same", "")


def check(seed, options):
    """(verdict, text, ops) of one graph."""
    graph = grow(seed)
    model = graph.model()
    runs = [graph.arrays(i) for i in range(len(graph.runs))]
    theirs = onnxruntime.run(options.library, model, runs)
    folder = tempfile.mkdtemp(prefix="onnx-graph-")
    try:
        verdict, text = check_in(folder, graph, model, runs, theirs,
                                 options)
        if options.keep and verdict not in ("same", "refused"):
            kept = os.path.join(options.keep, str(seed))
            os.makedirs(kept, exist_ok=True)
            with open(os.path.join(kept, "model.onnx"), "wb") as file:
                file.write(model)
            for i, inputs in enumerate(runs):
                np.savez(os.path.join(kept, f"inputs{i}.npz"), **inputs)
        return seed, verdict, text, graph.ops
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def check_in(folder, graph, model, runs, theirs, options):
    tool = compiled.Compiled(options.tenon, folder)
    refusal = tool.compile(model)
    if refusal:
        if refusal.status == 4:
            return "unsupported", reasons_of(refusal.words)
        if refusal.status == 3 and all(
                isinstance(t, str) or has_no_window(refusal, t)
                for t in theirs):
            return "refused", ""
        return "compile", f"status {refusal.status}: {refusal.words[:300]}"
    verdicts = []
    answers = [tool.run(inputs) for inputs in runs]
    if theirs == [onnxruntime.DIED] * len(runs):
        return "unjudged", "the peer's process died"
    for i, (ours, their) in enumerate(zip(answers, theirs)):
        verdict, text = judge_run(ours, their, graph.empty_in_any_shape)
        if verdict not in ("same", "refused"):
            return verdict, f"run {i} {graph.runs[i]}: {text}"
        verdicts.append(verdict)
    if graph.runs[0] and int(graph.rng.integers(4)) == 0:
        text = check_variant(tool, graph, model, runs, answers)
        if text:
            return "variant", text
    return ("same" if "same" in verdicts else "refused"), ""


def check_variant(tool, graph, model, runs, answers):
    """The difference of a variant for one run's sizes, or None."""
    at = int(graph.rng.integers(len(runs)))
    if isinstance(answers[at], compiled.Refusal):
        return None
    used = {str(e) for _, shape, _ in graph.fills.values() for e in shape}
    sizes = ",".join(f"{n}:{s}" for n, s in graph.runs[at].items()
                     if n in used)
    if not sizes:
        return None
    refusal = tool.compile(model, "v.so", f"--specialize={sizes}")
    if refusal:
        return f"--specialize={sizes}: {refusal.words[:300]}"
    again = tool.run(runs[at], "v.so")
    if isinstance(again, compiled.Refusal):
        return f"--specialize={sizes}: status {again.status}"
    for name, array in answers[at].items():
        if array.tobytes() != again[name].tobytes():
            return f"--specialize={sizes}: other bits in {name}"
    return None


def find_library(options):
    for folder, _, names in os.walk(options.peers):
        if os.path.join("linux", "x64") in folder:
            for name in names:
                if name.startswith("libonnxruntime.so"):
                    return os.path.join(folder, name)
    return None


def report(results, options):
    counts = collections.Counter()
    reasons = collections.Counter()
    for seed, verdict, text, ops in results:
        counts[verdict] += 1
        if verdict in SKIPPED:
            reasons[text] += 1
        elif verdict not in ("same", "refused"):
            print(f"seed {seed} [{' '.join(ops)}] {verdict}: {text}",
                  flush=True)
    for reason, count in reasons.most_common():
        print(f"skipped {count}: {reason}")
    skipped = sum(counts[v] for v in SKIPPED)
    bad = sum(counts.values()) - counts["same"] - counts["refused"] - skipped
    print(", ".join(f"{n} {v}" for v, n in sorted(counts.items())))
    print(f"{counts['same'] + counts['refused']} passed, {bad} failed, "
          f"{skipped} skipped")
    return bad


def work(task):
    seed, options = task
    try:
        return check(seed, options)
    except Exception as error:  # a graph that cannot be drawn is a bug of the
                                # generator
        return seed, "generator", repr(error)[:300], []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(SOURCE, "build"))
    parser.add_argument("--peers", help="where ONNX Runtime's package lies")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", help="a folder for what differs")
    options = parser.parse_args()
    options.tenon = os.path.join(options.build, "bin", "tenon")
    options.peers = options.peers or os.path.join(options.build, "peers")
    options.library = find_library(options)
    if not options.library:
        print("no ONNX Runtime (./quickstart bench fetches it): skipped")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    tasks = [(seed, options) for seed in range(options.seed,
                                               options.seed + options.count)]
    # multiprocessing.Pool does not work here: its workers may not fork.
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        bad = report(pool.map(work, tasks), options)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
