#!/usr/bin/python3
"""check_guide.py SOURCE LIBRARY: the program in docs/runtime.md must build
with plain cc on the static runtime, and report a missing model."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

source, library = sys.argv[1:]
with open(os.path.join(source, "docs/runtime.md")) as text:
    program = re.search(r"```c\n(.*?)```", text.read(), re.S).group(1)
with tempfile.TemporaryDirectory() as folder:
    os.mkdir(os.path.join(folder, "tenon"))
    for header in ("tenon.h", "tenon_abi.h"):
        shutil.copy(os.path.join(source, "runtime", header),
                    os.path.join(folder, "tenon"))
    with open(os.path.join(folder, "guide.c"), "w") as out:
        out.write(program)
    subprocess.run(["cc", "-std=c11", "-Wall", "-Werror", "-I.", "guide.c",
                    library, "-lpthread", "-o", "guide"], cwd=folder,
                   check=True)
    ran = subprocess.run(["./guide"], cwd=folder, capture_output=True,
                         text=True)
print(ran.stderr)
sys.exit(ran.returncode != 1 or ran.stderr !=
         "mlp.so: cannot open: No such file or directory\n")
