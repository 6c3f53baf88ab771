# The configuration of the text tests. Every tool has a
# full path, so that no other program on PATH replaces a
# built one. Features describe what this machine supports.
import os
import shutil

import lit.formats

config.name = "tenon"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".c"]
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)

bin_dir = os.path.join(config.tenon_binary_dir, "bin")
python = "/usr/bin/python3"
scripts = os.path.join(config.tenon_source_dir, "lit", "Inputs")

config.environment["PATH"] = os.pathsep.join(
    [bin_dir, config.llvm_tools_dir, "/usr/bin", "/bin"])
config.environment["LC_ALL"] = "C.UTF-8"
# Disables the cache, so that no test finds results of another.
config.environment["TENON_CACHE_LIMIT"] = "0"
config.environment["FILECHECK_OPTS"] = "--dump-input-filter=error"

# Longest names first: `tenon` is a prefix of the others.
for tool in ["tenon-translate", "tenon-lsp-server", "tenon-reduce", "tenon-eval", "tenon-opt", "tenonc",
             "tenon"]:
    config.substitutions.append(
        (r"(?<![\w/.%-])" + tool + r"(?![\w.-])", os.path.join(bin_dir, tool)))
for tool in ["FileCheck", "split-file", "llvm-readelf", "llvm-nm",
             "llvm-objdump", "llvm-strip", "llvm-dwarfdump", "clang-22"]:
    config.substitutions.append(
        (r"(?<![\w/.%-])" + tool + r"(?![\w.-])",
         os.path.join(config.llvm_tools_dir, tool)))

# %exit 4 COMMAND...: passes when the command ends with exactly that status.
config.substitutions.append(("%exit", f"{python} {scripts}/exit.py"))
# %onnx FILE.onnxtxt -o FILE.onnx: a model written as protobuf text.
config.substitutions.append(
    (r"%onnx\b", f"{python} {scripts}/onnx_text.py"))
# %node OP INPUT_TYPE... ATTRIBUTE=VALUE... -o FILE.onnx: a model of one node.
config.substitutions.append(
    (r"%node\b", f"{python} {scripts}/onnx_node.py"))
# %npy FILE DTYPE SHAPE VALUES...: an array file, e.g. `%npy %t.npy f32 2x2 1 2
# 3 4`.
config.substitutions.append(("%npy", f"{python} {scripts}/npy.py"))
# %saved_model MODEL.txt -o DIR KEY=f32:2x3:1,2,3,4,5,6...: a SavedModel's
# folder.
config.substitutions.append(
    (r"%saved_model\b", f"{python} {scripts}/saved_model.py"))
# %ptx ARTIFACT sm_80: prints the PTX of an artifact for one architecture.
config.substitutions.append((r"%ptx\b", f"{python} {scripts}/ptx.py"))
config.substitutions.append(("%python", python))
config.substitutions.append(
    ("%onnx_data", "/usr/share/libonnx-testdata/data"))
config.substitutions.append(("%source", config.tenon_source_dir))
# %gpu COMMAND...: runs it with the stand-in.
config.substitutions.append(
    (r"%gpu\b", f"env LD_LIBRARY_PATH={config.tenon_binary_dir}/lib/gpu"))
config.substitutions.append(("%build", config.tenon_binary_dir))

if os.path.isdir("/usr/share/libonnx-testdata/data/node"):
    config.available_features.add("onnx-testdata")
# NVIDIA's assembler, which judges PTX without a device.
ptxas = shutil.which("ptxas")
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append((r"(?<![\w/.%-])ptxas(?![\w.-])", ptxas))
    config.substitutions.append(("%ptxas_dir", os.path.dirname(ptxas)))
if os.path.isdir("/usr/lib/python3/dist-packages/torch"):
    config.available_features.add("torch")
with open("/proc/cpuinfo") as info:
    flags = next((line.split(":")[1].split() for line in info
                  if line.startswith("flags")), [])
if {"amx_tile", "amx_bf16", "amx_int8"} <= set(flags):
    config.available_features.add("amx")
if {"avx512f", "avx512dq", "avx512bw", "avx512vl"} <= set(flags):
    config.available_features.add("avx512")
if "avx512_bf16" in flags:
    config.available_features.add("avx512bf16")
# The stand-in for the driver of NVIDIA GPUs, which emulates a device.
if os.path.exists(os.path.join(config.tenon_binary_dir, "lib", "gpu", "libcuda.so.1")):
    config.available_features.add("gpu-stand-in")
for tool in ["tenon", "tenon-translate", "tenon-opt", "tenon-lsp-server", "tenon-reduce"]:
    if os.path.exists(os.path.join(bin_dir, tool)):
        config.available_features.add(tool)
