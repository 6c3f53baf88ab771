#!/usr/bin/python3
"""Measures compiled models beside ONNX Runtime, PyTorch and the machine's
peak.

Every model is exported once and compiled. All programs then run it on the same
inputs, one request at a time. The outputs are first compared with PyTorch in
float64. The programs take turns in rounds; each round also measures the
machine's speed. README.md in this folder describes the method.
"""
import argparse
import json
import os
import platform
import subprocess
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import callers
import picture
import rounds
import work

PYTHON = "/usr/bin/python3"
OURS = "tenon"
PEERS = {"ort": "ONNX Runtime", "torch": "PyTorch"}
MODELS = ["mlp", "resnet50", "mobilenet_v3_large", "vit_b_16", "encoder",
          "gpt2_prefill", "gpt2_decode"]
# Models small enough to measure the call itself: linked into a program and
# called by their entry.
LINKED = ["mlp"]
# Models exported with a fixed batch. The other models are run on the first row
# of their data.
WHOLE = ["mlp", "boxes", "block_half"]


class Bench:
    """The options, and the programs built with them."""

    def __init__(self, options):
        self.options = options
        self.tool = os.path.join(options.build, "bin", "tenon")
        self.folder = os.path.join(options.build, "bench",
                                   "".join(options.flag) or "default")
        os.makedirs(self.folder, exist_ok=True)
        programs = os.path.join(options.build, "bench", "callers")
        library = os.path.join(options.build, "lib")
        self.caller = callers.build_c(
            os.path.join(programs, "tenon_caller"),
            ["tenon_caller.c", "caller.c"], f"-I{callers.SOURCE}",
            f"-L{library}", f"-Wl,-rpath,{library}", "-ltenon_rt")
        self.floor = callers.build_c(os.path.join(programs, "floor"),
                                     ["floor.c"], "-pthread")
        if "ort" in options.peers:
            self.library = callers.install_ort(
                os.path.join(options.build, "peers"))
            self.ort = callers.build_c(
                os.path.join(programs, "ort_caller"),
                ["ort_caller.c", "caller.c", "ort.c"], "-ldl")

    def compile(self, model, out, *flags):
        """Compiles `model` unless `out` is newer than the model and the
        compiler."""
        if os.path.exists(out) and all(
                os.path.getmtime(out) > os.path.getmtime(f)
                for f in (model, self.tool)):
            return out
        subprocess.run([self.tool, "compile", "-q", model, "-o", out, *flags,
                        *self.options.flag], check=True)
        return out

    def our_command(self, name, threads):
        """The command of the program that calls a compiled model."""
        model = os.path.join(self.options.models, f"{name}.onnx")
        if name in LINKED and threads == 1:
            folder = os.path.join(self.folder, name)
            os.makedirs(folder, exist_ok=True)
            linked = self.compile(model, os.path.join(folder, "linked.o"),
                                  "-c", "--standalone", "--name=linked")
            program = callers.build_c(
                os.path.join(folder, "entry_caller"),
                ["entry_caller.c", "caller.c"], f"-I{folder}", linked)
            return [program], "typed entry"
        artifact = self.compile(model, os.path.join(self.folder,
                                                    f"{name}.so"))
        return [self.caller, artifact, threads], "runtime"

    def peer_command(self, peer, name, threads):
        model = os.path.join(self.options.models, f"{name}.onnx")
        if peer == "ort":
            return [self.ort, self.library, model, threads]
        return [PYTHON, os.path.join(callers.CALLERS, "torch_caller.py"),
                name, threads]


def load(path):
    with np.load(path) as held:
        return {n: held[n] for n in held.files}


def data_of(options, name):
    """Inputs of one request, with PyTorch's float32 and float64 outputs."""
    stem = os.path.join(options.models, name)
    inputs = load(f"{stem}.inputs.npz")
    reference = load(f"{stem}.reference.npz")
    outputs = {n: a for n, a in reference.items() if not n.endswith(".f64")}
    exact = {n: reference[f"{n}.f64"] for n in outputs}
    if name not in WHOLE:
        inputs, outputs, exact = (
            {n: np.ascontiguousarray(a[:1]) for n, a in arrays.items()}
            for arrays in (inputs, outputs, exact))
    return inputs, outputs, exact


def rms_error(results, exact):
    """The largest rms error of any output. The largest error of a small output
    depends on a single rounding; check_models.py judges it over many inputs."""
    return float(max(np.sqrt(np.square(results[n] - exact[n]).mean())
                     for n in exact))


def compare(bench, name, threads):
    """One row: all measurements of one model with `threads` threads."""
    options = bench.options
    inputs, outputs, exact = data_of(options, name)
    flops, size = work.measure(
        bench.tool, os.path.join(options.models, f"{name}.onnx"),
        {n: a.shape for n, a in inputs.items()})
    commands = {OURS: bench.our_command(name, threads)}
    for peer in options.peers:
        commands[peer] = bench.peer_command(peer, name, threads), ""
    started, floor = {}, None
    try:
        for who, (command, _) in commands.items():
            started[who] = callers.Caller(
                command, threads,
                os.path.join(bench.folder, "data", f"{name}-{who}"), inputs,
                outputs)
        floor = callers.Floor([bench.floor, threads], threads)
        errors = {who: rms_error(caller.results(), exact)
                  for who, caller in started.items()}
        seen = rounds.Rounds(started, floor, size, options.rounds)
    finally:
        for program in [*started.values(), *filter(None, [floor])]:
            program.close()
    if not seen.peak:
        raise SystemExit(f"bench: {name}: other machines took more than 2 % "
                         "of the processors' time in every round")
    least, bound = seen.floor((flops, size))
    row = {"model": name, "threads": threads, "called": commands[OURS][1],
           "flops": flops, "bytes": size, "bound": bound,
           "floor_ms": float(np.median(least)),
           "gflops_peak": float(np.median(seen.peak)),
           "gbytes_per_s": float(np.median(seen.bandwidth)),
           "rounds": len(seen.peak), "rejected": seen.rejected,
           "torch_f32_error": rms_error(outputs, exact), "who": {}}
    for who in commands:
        row["who"][who] = {
            "ms": seen.milliseconds(who), "error": errors[who],
            "of_floor": seen.of_floor(who, (flops, size)),
            "rounds_ms": seen.times[who]}
        if who != OURS:
            row["who"][who]["ratio"] = seen.ratio(who, OURS)
    return row


def milliseconds(value):
    return f"{value:.5f}" if value < 0.1 else f"{value:.3f}"


def table(rows, peers):
    titles = ["model", "threads", "Tenon ms", "floor ms", "of floor", "limit"]
    for peer in peers:
        titles += [f"{PEERS[peer]} ms", "ratio", "p10", "p90"]
    titles += ["rms error", *(f"{PEERS[p]} rms" for p in peers)]
    lines = [titles, ["---"] * len(titles)]
    for row in rows:
        ours = row["who"][OURS]
        line = [row["model"], str(row["threads"]), milliseconds(ours["ms"]),
                milliseconds(row["floor_ms"]), f"{ours['of_floor']:.0%}",
                row["bound"]]
        errors = [f"{ours['error']:.1e}"]
        for peer in peers:
            theirs = row["who"].get(peer)
            if not theirs:
                line += ["-"] * 4
                errors.append("-")
                continue
            line += [milliseconds(theirs["ms"]),
                     *(f"{r:.2f}" for r in theirs["ratio"])]
            errors.append(f"{theirs['error']:.1e}")
        lines.append(line + errors)
    return markdown(lines)


def draw(rows, peers):
    groups = []
    for row in rows:
        plural = "s" if row["threads"] > 1 else ""
        groups.append((f"{row['model']}, {row['threads']} thread{plural}",
                       {PEERS[p]: row["who"][p]["ratio"] for p in peers
                        if p in row["who"]}))
    return picture.draw("Time of the peer over Tenon's: right of 1, Tenon is "
                        "faster", groups, [PEERS[p] for p in peers])


def machine():
    with open("/proc/cpuinfo") as info:
        lines = [l.split(":", 1) for l in info if ":" in l]
    names = {key.strip(): value.strip() for key, value in lines}
    return {"cpu": names.get("model name", platform.machine()),
            "cpus": os.cpu_count(), "system": platform.release()}


def previous(path):
    if not os.path.exists(path):
        return []
    with open(path) as held:
        return json.load(held)["rows"]


def write(path, text):
    with open(f"{path}.part", "w") as out:
        out.write(text)
    os.replace(f"{path}.part", path)


def parser_of(name, description, threads="1,2", rounds=15):
    """A parser with the options that all benchmarks share."""
    parser = argparse.ArgumentParser(prog=f"quickstart {name}",
                                     description=description)
    parser.add_argument("--build", default=os.path.join(callers.SOURCE,
                                                        "build"))
    parser.add_argument("--models", help="exported models; default: "
                        "BUILD/models")
    parser.add_argument("--threads", default=threads,
                        help=f"default: {threads}")
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--flag", action="append", default=[],
                        help="a flag for tenon compile, repeatable")
    parser.add_argument("--json", help="where the figures go; default: in "
                        "BUILD/bench")
    return parser


def parse_with(parser, results):
    """Parses the options and adds those that follow from the build. `results`
    is the name of the result files."""
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    options.models = os.path.abspath(
        options.models or os.path.join(options.build, "models"))
    options.json = options.json or os.path.join(options.build, "bench",
                                                f"{results}.json")
    options.threads = [int(t) for t in options.threads.split(",")]
    chosen = getattr(options, "peers", "none").split(",")
    options.peers = [p for p in chosen if p != "none"]
    return options


def export(options, *names):
    subprocess.run([PYTHON, os.path.join(callers.SOURCE, "test", "e2e",
                                         "export_models.py"),
                    options.models, *names], check=True)


def markdown(lines):
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def parse():
    parser = parser_of("bench", "Times compiled models beside their peers.")
    parser.add_argument("--peers", default="ort,torch",
                        help="of ort and torch; none: Tenon alone")
    parser.add_argument("--svg", help="default: BUILD/bench/results.svg")
    parser.add_argument("--keep", action="store_true", help="rows of the JSON "
                        "file that are not measured again stay")
    parser.add_argument("--allowed-error", type=float, default=2,
                        help="the rms error may be so many times that of "
                        "PyTorch in float32; default: 2")
    parser.add_argument("names", nargs="*", metavar="MODEL",
                        help="default: " + " ".join(MODELS))
    options = parse_with(parser, "results")
    options.svg = options.svg or os.path.join(options.build, "bench",
                                              "results.svg")
    for peer in options.peers:
        if peer not in PEERS:
            parser.error(f"--peers={peer}: expected {', '.join(PEERS)} or "
                         "none")
    options.names = options.names or MODELS
    return options


def main():
    options = parse()
    bench = Bench(options)
    export(options, *options.names)
    rows = previous(options.json) if options.keep else []
    wrong = []
    for name in options.names:
        for threads in options.threads:
            row = compare(bench, name, threads)
            rows = [r for r in rows if (r["model"], r["threads"]) !=
                    (name, threads)] + [row]
            allowed = options.allowed_error * row["torch_f32_error"]
            if row["who"][OURS]["error"] > allowed:
                wrong.append(f"{name}: an rms error of "
                             f"{row['who'][OURS]['error']:.2g}, allowed "
                             f"{allowed:.2g}")
            print(f"{name} on {threads}: done", flush=True)
    rows.sort(key=lambda r: ((MODELS + [r["model"]]).index(r["model"]),
                             r["threads"]))
    write(options.json, json.dumps({"schema": 1, "machine": machine(),
                                    "rows": rows}, indent=1) + "\n")
    if options.peers:
        write(options.svg, draw(rows, options.peers))
        print(f"picture: {options.svg}")
    print(table(rows, options.peers))
    print(f"results: {options.json}")
    for complaint in wrong:
        print(f"bench: {complaint}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
