#!/usr/bin/python3
"""Compiled models beside ONNX Runtime: the same file, inputs and threads.

Both are open at once and take turns: in each round either runs a few times and
its shortest run counts, so that a neighbour's noise falls on both. The table
has the medians and the median of the rounds' ratios (theirs over ours: above 1
is faster than ONNX Runtime), with the 10th and 90th percentile. Both answers
are compared with PyTorch in float64 in the same process.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(HERE)
sys.path.insert(0, HERE)
import tenon_runtime

PEER = "onnxruntime-node@1.30.0"
PEER_MEGABYTES = 120
MODELS = ["mlp", "resnet50", "mobilenet_v3_large", "vit_b_16", "encoder",
          "gpt2_prefill", "gpt2_decode"]


def install_peer(folder):
    package = os.path.join(folder, "node_modules", "onnxruntime-node")
    if os.path.isdir(package):
        return
    print(f"peers: downloading {PEER} from npm, about {PEER_MEGABYTES} MiB",
          flush=True)
    os.makedirs(folder, exist_ok=True)
    # The package carries its libraries; its install script would fetch more.
    subprocess.run(["npm", "install", "--prefix", folder, "--ignore-scripts",
                    "--no-audit", "--no-fund", "--no-save", "--silent",
                    PEER], check=True)


class Ort:
    def __init__(self, peers, model, threads, inputs, outputs, folder):
        def entry(name, array, stem):
            return {"name": name, "type": array.dtype.name,
                    "dims": list(array.shape),
                    "file": os.path.join(folder, f"{stem}-{name}")}

        manifest = {"inputs": [entry(n, a, "in") for n, a in inputs.items()],
                    "outputs": [entry(n, a, "out")
                                for n, a in outputs.items()]}
        for item in manifest["inputs"]:
            inputs[item["name"]].tofile(item["file"])
        self.manifest = manifest
        path = os.path.join(folder, "manifest.json")
        with open(path, "w") as text:
            json.dump(manifest, text)
        self.process = subprocess.Popen(
            ["node", os.path.join(HERE, "ort_peer.mjs"), peers, model,
             str(threads), path], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        self.expect("ready")

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def expect(self, word):
        if self.process.stdout.readline().strip() != word:
            raise RuntimeError("ONNX Runtime did not start")

    def shortest(self, runs):
        return float(self.ask(f"run {runs}"))

    def results(self):
        self.ask("write")
        return {o["name"]: np.fromfile(o["file"], o["type"])
                .reshape(o["dims"]) for o in self.manifest["outputs"]}

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def shortest(session, runs):
    best = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        session.run()
        best = min(best, time.perf_counter() - start)
    return 1e3 * best


def load(path):
    with np.load(path) as held:
        return {n: held[n] for n in held.files}


def largest_error(results, exact):
    return max(np.abs(results[n].astype(np.float64) - exact[n]).max()
               for n in exact)


def compare(options, name, threads):
    stem = os.path.join(options.models, name)
    inputs = load(f"{stem}.inputs.npz")
    reference = load(f"{stem}.reference.npz")
    outputs = {n: a for n, a in reference.items() if not n.endswith(".f64")}
    exact = {n: reference[f"{n}.f64"] for n in outputs}
    if name != "mlp":
        # One request at a time, as a service answers it.
        inputs = {n: np.ascontiguousarray(a[:1]) for n, a in inputs.items()}
        outputs = {n: np.ascontiguousarray(a[:1]) for n, a in outputs.items()}
        exact = {n: a[:1] for n, a in exact.items()}
    artifact = f"{stem}.so"
    tool = os.path.join(options.build, "bin", "tenon")
    subprocess.run([tool, "compile", "-q", f"{stem}.onnx", "-o", artifact],
                   check=True)
    ours = tenon_runtime.Session(
        os.path.join(options.build, "lib", "libtenon_rt.so"), artifact,
        threads, inputs, list(outputs))
    with tempfile.TemporaryDirectory() as folder:
        theirs = Ort(options.peers, f"{stem}.onnx", threads, inputs, outputs,
                     folder)
        try:
            for _ in range(2):
                shortest(ours, 2)
                theirs.shortest(2)
            once = theirs.shortest(1) / 1e3
            runs = max(2, min(2000, int(0.05 / max(once, 1e-6))))
            pairs = []
            for _ in range(options.rounds):
                pairs.append((shortest(ours, runs), theirs.shortest(runs)))
                # Their threads spin for a while after a run.
                time.sleep(0.05)
            mine, peer = np.array(pairs).T
            errors = [largest_error(r, exact)
                      for r in (ours.results(), theirs.results())]
        finally:
            theirs.close()
            ours.close()
    ratio = np.percentile(peer / mine, [50, 10, 90])
    return [name, str(threads), f"{np.median(mine):.3f}",
            f"{np.median(peer):.3f}", *(f"{r:.2f}" for r in ratio),
            *(f"{e:.1e}" for e in errors)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=os.path.join(SOURCE, "build"))
    parser.add_argument("--models", help="default: BUILD/models")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("names", nargs="*", help="default: all")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    options.models = os.path.abspath(
        options.models or os.path.join(options.build, "models"))
    options.peers = os.path.join(options.build, "peers")
    names = options.names or MODELS
    install_peer(options.peers)
    subprocess.run(["/usr/bin/python3",
                    os.path.join(SOURCE, "test", "e2e", "export_models.py"),
                    options.models, *names], check=True)
    print("| model | threads | Tenon ms | ORT ms | ratio | p10 | p90 "
          "| Tenon error | ORT error |")
    print("|---|---|---|---|---|---|---|---|---|")
    slow = []
    for name in names:
        for threads in map(int, options.threads.split(",")):
            row = compare(options, name, threads)
            print("| " + " | ".join(row) + " |", flush=True)
            if float(row[4]) < 1 / 3:
                slow.append(f"{name} on {threads} threads")
    if slow:
        print("slower than a third of ONNX Runtime: " + ", ".join(slow))
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
