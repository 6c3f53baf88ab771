#!/usr/bin/python3
"""Packs the GPU suite: one archive for a machine with an NVIDIA GPU.

The archive has artifacts for the CPU and for devices: every conformance case
that passes on the CPU, real models, and single kernels for rates. It also has
the programs and the script `run`, which need bash, libc and the driver. Weights
are not in it: `suite-weights` draws them there from a seed, with the mean and
deviation that each tensor has here. Models are taken from --models if
export_models.py has written them there.
"""
import argparse
import concurrent.futures
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
CONFORMANCE = os.path.join(HERE, "..", "conformance")
sys.path.insert(0, CONFORMANCE)
import newer_cases
import other_values
import run_onnx

# Sizes of dynamic extents, and bounds of integers that are indices.
MODELS = {
    "mlp_batch": "1,2,100",
    "resnet50": "1,2,8",
    "mobilenet_v3_large": "1,2,8",
    "vit_b_16": "1,2",
    "encoder": "1 ids=2000",
    "gpt2_prefill": "1,2 ids=50257",
    "gpt2_decode": "1,2,8 ids=50257",
}
PROGRAMS = ("gpu-suite", "suite-weights", "gpu-instructions")
ROWS, SIDE = 32768, 4096
SMALL_ROWS, SMALL_SIDE = 8, 64
KERNELS = {
    "elementwise": """
func.func @main(%x: tensor<{rows}x{side}xf32> {{tenon.name = "x"}})
    -> (tensor<{rows}x{side}xf32> {{tenon.name = "y"}}) {{
  %y = tenon.multiply %x, %x : (tensor<{rows}x{side}xf32>, tensor<{rows}x{side}xf32>) -> tensor<{rows}x{side}xf32>
  return %y : tensor<{rows}x{side}xf32>
}}
""",
    "softmax": """
func.func @main(%x: tensor<{rows}x{side}xf32> {{tenon.name = "x"}})
    -> (tensor<{rows}x{side}xf32> {{tenon.name = "y"}}) {{
  %y = tenon.softmax %x over 1 : tensor<{rows}x{side}xf32>
  return %y : tensor<{rows}x{side}xf32>
}}
""",
    "layer_norm": """
func.func @main(%x: tensor<{rows}x{side}xf32> {{tenon.name = "x"}},
                %s: tensor<{side}xf32> {{tenon.name = "s"}},
                %b: tensor<{side}xf32> {{tenon.name = "b"}})
    -> (tensor<{rows}x{side}xf32> {{tenon.name = "y"}}) {{
  %y = tenon.layer_norm %x, %s, %b axis 1 epsilon 1.0e-5 : (tensor<{rows}x{side}xf32>, tensor<{side}xf32>, tensor<{side}xf32>) -> tensor<{rows}x{side}xf32>
  return %y : tensor<{rows}x{side}xf32>
}}
""",
    "product": """
func.func @main(%x: tensor<{side}x{side}xf32> {{tenon.name = "x"}},
                %w: tensor<{side}x{side}xf32> {{tenon.name = "w"}})
    -> (tensor<{side}x{side}xf32> {{tenon.name = "y"}}) {{
  %y = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : (tensor<{side}x{side}xf32>, tensor<{side}x{side}xf32>) -> tensor<{side}x{side}xf32>
  return %y : tensor<{side}x{side}xf32>
}}
""",
}
# Smaller tensors are packed as they are.
MOST_EXACT = 16384
# A tensor of few distinct values is a table or a mask, and stays as it is.
SAMPLE, LEAST_DISTINCT = 4096, 1024
MOST_SEGMENTS = 100000


def compile_model(options, model, output, *flags):
    """The error of the compilation, or an empty text."""
    done = subprocess.run(
        [os.path.join(options.build, "bin", "tenon"), "compile", "-q", model,
         "-o", output, f"-mcpu={options.cpu}", "--jobs=1",
         "--matmul-precision=strict", "--device=cpu," +
         ",".join(f"nvptx:{name}" for name in options.architectures), *flags],
        capture_output=True, text=True)
    return done.stderr.strip() or f"status {done.returncode}" \
        if done.returncode else ""


def passing_cases(extra):
    """Folders of the cases that pass on the CPU, and of those that the tests
    write."""
    for suite in run_onnx.FLOORS:
        for _, case, verdict in run_onnx.read_ledger(suite):
            if verdict == "pass":
                yield os.path.join(run_onnx.DATA, suite, case)
    yield from newer_cases.write(os.path.join(extra, "newer"))


def pack_case(options, folder, extra, target):
    """The error, or an empty text."""
    name = os.path.basename(folder)
    suite = os.path.basename(os.path.dirname(folder))
    packed = os.path.join(target, f"{suite}-{name}")
    os.makedirs(packed)
    wrong = compile_model(options, os.path.join(folder, "model.onnx"),
                          os.path.join(packed, "model.so"), "--weights=embed")
    for source in (folder, os.path.join(extra, name)):
        for entry in sorted(os.listdir(source)) if os.path.isdir(source) \
                else []:
            if not entry.startswith("test_data_set_"):
                continue
            os.makedirs(os.path.join(packed, entry))
            for file in os.listdir(os.path.join(source, entry)):
                if file.startswith("input_"):
                    shutil.copy(os.path.join(source, entry, file),
                                os.path.join(packed, entry, file))
    return f"{name}: {wrong}" if wrong else ""


def pack_cases(options, target, extra):
    os.makedirs(target)
    folders = [f for f in passing_cases(extra)
               if not options.cases or
               any(c in os.path.basename(f) for c in options.cases)]
    other_values.write(run_onnx.DATA, extra,
                       {os.path.basename(f) for f in folders})
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        wrong = list(filter(None, pool.map(
            lambda f: pack_case(options, f, extra, target), folders)))
    if wrong:
        sys.exit("\n".join(wrong))
    return len(folders)


def segments(values):
    """The ranges of `values` between those that are zero."""
    edges = np.flatnonzero(np.diff(np.concatenate(
        ([0], (values != 0).astype(np.int8), [0]))))
    return edges.reshape(-1, 2)


def describe_weights(stem):
    """Replaces STEM.safetensors by what suite-weights draws it from."""
    with open(f"{stem}.safetensors", "rb") as file:
        size, = struct.unpack("<Q", file.read(8))
        text = file.read(size)
    blob = np.memmap(f"{stem}.safetensors", np.uint8, "r", 8 + size)
    with open(f"{stem}.header", "wb") as file:
        file.write(struct.pack("<Q", size) + text)
    lines = ["seed 1"]
    with open(f"{stem}.exact", "wb") as exact:
        for name, tensor in json.loads(text).items():
            if name == "__metadata__":
                continue
            start, end = tensor["data_offsets"]
            part = blob[start:end]
            values = part.view(np.float32) if tensor["dtype"] == "F32" \
                else None
            drawn = values is not None and part.size > MOST_EXACT and \
                np.isfinite(values).all() and \
                len(np.unique(values[:SAMPLE])) >= LEAST_DISTINCT
            if not drawn:
                if part.any():
                    lines.append(f"exact {start} {part.size}")
                    exact.write(part.tobytes())
                continue
            found = segments(values)
            if len(found) > MOST_SEGMENTS:
                sys.exit(f"{stem}: {name} has {len(found)} parts without "
                         "zeros")
            live = values[values != 0].astype(np.float64)
            mean, deviation = live.mean(), live.std()
            lines += [f"normal {start + 4 * first} {last - first} "
                      f"{mean:.6g} {deviation:.6g}" for first, last in found]
    with open(f"{stem}.draw", "w") as file:
        file.write("\n".join(lines) + "\n")
    del blob
    done = subprocess.run([os.path.join(os.path.dirname(stem), "..", "bin",
                                        "suite-weights"), "adopt", stem])
    os.remove(f"{stem}.safetensors")
    if done.returncode:
        sys.exit(1)


def pack_models(options, target):
    os.makedirs(target)
    lines = []
    for name, sizes in MODELS.items():
        model = os.path.join(options.models, f"{name}.onnx")
        if name not in options.only_models or not os.path.exists(model):
            continue
        stem = os.path.join(target, name)
        wrong = compile_model(options, model, f"{stem}.so",
                              "--weights=external", *options.flag)
        if wrong:
            sys.exit(f"{name}: {wrong}")
        # A model of few weights has them in its code.
        if os.path.exists(f"{stem}.safetensors"):
            describe_weights(stem)
        lines.append(f"{name} {sizes}\n")
    with open(os.path.join(target, "list"), "w") as file:
        file.writelines(lines)
    return len(lines)


def pack_rates(options, target, scratch):
    os.makedirs(target)
    rows, side = (SMALL_ROWS, SMALL_SIDE) if options.small else (ROWS, SIDE)
    for name, text in KERNELS.items():
        model = os.path.join(scratch, f"{name}.mlir")
        with open(model, "w") as file:
            file.write(text.format(rows=rows, side=side))
        wrong = compile_model(options, model,
                              os.path.join(target, f"{name}.so"))
        if wrong:
            sys.exit(f"{name}: {wrong}")
    with open(os.path.join(target, "list"), "w") as file:
        file.writelines(f"{name}\n" for name in KERNELS)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("-o", "--output", default="gpu-suite.tar.gz")
    parser.add_argument("--models",
                        help="folder of export_models.py; BUILD/models")
    parser.add_argument("--only-models", type=lambda text: text.split(","),
                        default=list(MODELS))
    parser.add_argument("--cpu", default="x86-64-v3")
    parser.add_argument("--architectures",
                        type=lambda text: text.split(","),
                        default=["sm_75", "sm_80", "sm_90"])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--flag", action="append", default=[],
                        help="for models, e.g. --flag=--cubins")
    parser.add_argument("--small", action="store_true",
                        help="small kernels, for the emulator")
    parser.add_argument("cases", nargs="*",
                        help="parts of names of cases; default: all")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    options.models = options.models or os.path.join(options.build, "models")
    with tempfile.TemporaryDirectory(prefix="tenon-",
                                     dir=options.build) as scratch:
        suite = os.path.join(scratch, "gpu-suite")
        os.makedirs(os.path.join(suite, "bin"))
        for program in PROGRAMS:
            subprocess.run(
                ["strip", "-o", os.path.join(suite, "bin", program),
                 os.path.join(options.build, "bin", program)], check=True)
        shutil.copy(os.path.join(HERE, "run"), suite)
        models = pack_models(options, os.path.join(suite, "models"))
        pack_rates(options, os.path.join(suite, "rates"), scratch)
        cases = pack_cases(options, os.path.join(suite, "cases"),
                           os.path.join(scratch, "extra"))
        subprocess.run(["tar", "-C", scratch, "-czf", options.output,
                        "gpu-suite"], check=True)
    print(f"{options.output}: {cases} cases, {models} models, "
          f"{len(KERNELS)} kernels, "
          f"{os.path.getsize(options.output) / 2 ** 20:.1f} MiB")


if __name__ == "__main__":
    main()
