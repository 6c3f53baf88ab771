#!/usr/bin/python3
"""PyTorch as a measured program. Arguments: MODEL THREADS MANIFEST.

Follows the protocol of caller.h. The module is made from the recipe and seed
of the exported file, and runs eagerly in float32.
"""
import os
import sys
import time
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "test", "e2e"))
import numpy as np
import torch

import export_models


def read_tensors(path):
    inputs, outputs = [], []
    with open(path) as manifest:
        for line in manifest:
            kind, _, dtype, rank, *rest = line.rstrip("\n").split(" ")
            dims = [int(d) for d in rest[:int(rank)]]
            file = " ".join(rest[int(rank):])
            if kind == "output":
                outputs.append(file)
                continue
            array = np.fromfile(file, dtype).reshape(dims)
            inputs.append(torch.from_numpy(array))
    return inputs, outputs


def main():
    model, threads, manifest = sys.argv[1:]
    warnings.filterwarnings("ignore")
    inputs, files = read_tensors(manifest)
    module = export_models.MODELS[model]().module
    torch.set_num_threads(int(threads))
    print("ready", flush=True)
    with torch.inference_mode():
        for line in sys.stdin:
            verb, *numbers = line.split()
            if verb == "run":
                groups, calls = map(int, numbers)
                best = float("inf")
                for _ in range(groups):
                    start = time.perf_counter()
                    for _ in range(calls):
                        module(*inputs)
                    best = min(best, (time.perf_counter() - start) / calls)
                print(1e3 * best, flush=True)
            else:
                answers = module(*inputs)
                if not isinstance(answers, tuple):
                    answers = (answers,)
                for answer, file in zip(answers, files):
                    answer.contiguous().numpy().tofile(file)
                print("written", flush=True)


if __name__ == "__main__":
    main()
