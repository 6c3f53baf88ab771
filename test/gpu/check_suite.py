#!/usr/bin/python3
"""Packs a small GPU suite and runs it on the stand-in for the driver.

check_suite.py BUILD
"""
import os
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "bad"))
import onnx_build

CASES = ["test_softmax_axis_0", "test_castlike_FLOAT_to_DOUBLE",
         "test_gather_0"]


def write_model(path):
    """A product whose weight is drawn: 100 columns do not fill its panels."""
    random = np.random.default_rng(1)
    weight = random.standard_normal((64, 100)).astype(np.float32)
    with open(path, "wb") as file:
        file.write(onnx_build.model(
            [onnx_build.node("MatMul", ["x", "w"], ["product"]),
             onnx_build.node("Add", ["product", "b"], ["y"])],
            {"x": "f32[batch,64]"}, ["y"],
            {"w": weight, "b": weight[0]}, 17))


def run(command, expected, status, **environment):
    done = subprocess.run(command, capture_output=True, text=True,
                          env={**os.environ, **environment})
    said = done.stdout + done.stderr
    if done.returncode != status or expected not in said:
        sys.exit(f"{command}: expected status {status} and '{expected}', got "
                 f"{done.returncode}\n{said}")


def main():
    build = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="tenon-") as work:
        write_model(os.path.join(work, "mlp_batch.onnx"))
        archive = os.path.join(work, "suite.tar.gz")
        run([sys.executable, os.path.join(HERE, "pack_suite.py"),
             f"--build={build}", "-o", archive, f"--models={work}", "--small",
             "--architectures=sm_80,sm_90", "--jobs=2", *CASES],
            "cases, 1 models, 4 kernels", 0)
        subprocess.run(["tar", "-C", work, "-xzf", archive], check=True)
        suite = os.path.join(work, "gpu-suite")
        stand_in = {"LD_LIBRARY_PATH": os.path.join(build, "lib", "gpu"),
                    "TENON_GPU_SM": "90"}
        run([os.path.join(suite, "run"), "tests", "cases", "models", "rates"],
            " passed, 0 failed, 0 skipped", 0, **stand_in)
        # The first launch of every process fails.
        run([os.path.join(suite, "run"), "cases"],
            "0 passed, ", 1, TENON_GPU_FAULT="cuLaunchKernel:1:719",
            **stand_in)
        run([os.path.join(suite, "run")], "0 passed, 1 failed, 0 skipped", 1,
            TENON_GPU_DEVICES="0", **stand_in)
        # Other weights than those that the artifact was made for.
        stem = os.path.join(suite, "models", "mlp_batch")
        with open(f"{stem}.draw") as file:
            text = file.read()
        with open(f"{stem}.draw", "w") as file:
            file.write(text.replace("seed 1", "seed 2"))
        run([os.path.join(suite, "bin", "suite-weights"), "draw", stem],
            "the weights that this machine draws have other bits", 1)
    print("the suite passes on the stand-in")


if __name__ == "__main__":
    main()
