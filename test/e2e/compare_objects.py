#!/usr/bin/python3
"""Compiles models with two builds of the tool and compares what they write.

For a change that shall not change the code: every *.onnx below --models is
compiled by --before and by --after for each CPU and each matmul precision, to
an object, its header and its weights, which must be the same bytes. The
compilers take turns; the ratio of their processor times comes at the end. The
last line counts the comparisons; the status is 1 if one failed.
"""
import argparse
import filecmp
import os
import resource
import subprocess
import sys
import tempfile

CPUS = ["x86-64-v2", "x86-64-v3", "x86-64-v4", "znver5", "icelake-server",
        "sapphirerapids"]
PRECISIONS = ["strict", "f32", "high", "bf16"]


def compile_into(folder, tool, model, flags):
    """The exit status, the messages and the processor seconds of one run."""
    os.makedirs(folder)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [tool, "compile", "-q", "-c", model, "-o", os.path.join(folder, "model.o"),
         "--weights=external", *flags], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.returncode, done.stderr.replace(folder, ""), \
        after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime


def differing(before, after):
    """Names of files that only one folder has or that differ."""
    names = sorted(set(os.listdir(before)) | set(os.listdir(after)))
    _, different, missing = filecmp.cmpfiles(before, after, names,
                                             shallow=False)
    return different + missing


def models_below(folders):
    for folder in folders:
        if folder.endswith(".onnx"):
            yield folder
        for path, _, names in sorted(os.walk(folder)):
            for name in sorted(names):
                if name.endswith(".onnx"):
                    yield os.path.join(path, name)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", required=True, help="the older tool")
    parser.add_argument("--after", required=True, help="the newer tool")
    parser.add_argument("--cpus", default=",".join(CPUS))
    parser.add_argument("--precisions", default=",".join(PRECISIONS))
    parser.add_argument("--flag", action="append", default=[],
                        help="for every compilation, e.g. --flag=--pad=seq:8")
    parser.add_argument("models", nargs="+", help="models, or their folders")
    options = parser.parse_args()
    same = different = refused = 0
    seconds = [0.0, 0.0]
    for model in models_below(options.models):
        for cpu in options.cpus.split(","):
            for precision in options.precisions.split(","):
                flags = [f"-mcpu={cpu}", f"--matmul-precision={precision}",
                         *options.flag]
                with tempfile.TemporaryDirectory(dir="/dev/shm") as work:
                    folders = [os.path.join(work, n) for n in ("a", "b")]
                    runs = []
                    for i, tool in enumerate((options.before, options.after)):
                        status, said, used = compile_into(folders[i], tool,
                                                          model, flags)
                        runs.append((status, said))
                        seconds[i] += used
                    files = differing(*folders)
                if runs[0] != runs[1] or files:
                    different += 1
                    print(f"DIFFERENT {model} {cpu} {precision}: "
                          f"statuses {runs[0][0]}, {runs[1][0]}; files "
                          f"{', '.join(files) or 'equal'}", flush=True)
                elif runs[0][0] != 0:
                    refused += 1
                else:
                    same += 1
    print(f"processor time: before {seconds[0]:.1f} s, after "
          f"{seconds[1]:.1f} s, ratio {seconds[1] / seconds[0]:.3f}")
    print(f"{same} the same, {different} different, {refused} refused alike")
    return different != 0


if __name__ == "__main__":
    sys.exit(main())
