"""`same_artifacts.py TENON FOLDER FIRST OTHER...` compiles FOLDER/NAME/model for
each name; all must have the artifact and the file of weights of the first."""
import os
import subprocess
import sys

tenon, folder, *names = sys.argv[1:]


def compile_model(name):
    stem = os.path.join(folder, name, "m")
    subprocess.run(
        [tenon, "compile", os.path.join(folder, name, "model"), "-o",
         stem + ".so", "-q", "-O0", "--function=logits", "--weights=external"],
        check=True)
    return [open(stem + end, "rb").read() for end in (".so", ".safetensors")]


first = compile_model(names[0])
for other in names[1:]:
    made = compile_model(other)
    for i, kind in enumerate(("artifact", "file of weights")):
        if made[i] != first[i]:
            sys.exit(f"{other}: another {kind} than {names[0]}")
