#!/usr/bin/python3
"""check_package.py BUILD: makes the Debian package of BUILD, unpacks it into a
scratch root and uses it from there. Prints one line per error; none means
success."""
import glob
import os
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(sys.argv[1])
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
complaints = []

PYTHON = """
import numpy, sys, tenon
model = tenon.compile(sys.argv[1], cpu="x86-64-v3")
assert model(numpy.ones((2, 10), numpy.float32)).shape == (2, 5)
print(tenon.__file__)
"""


def call(*command, **environment):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=1200,
                          env={**os.environ, "TENON_CACHE_LIMIT": "0",
                               **environment})
    if done.returncode != 0:
        complaints.append(f"{' '.join(command)}: ended with "
                          f"{done.returncode}:\n{done.stdout[-3000:]}")
    return done.stdout


def expect(condition, text):
    if not condition:
        complaints.append(text)


def check_control(package):
    fields = dict(line.split(": ", 1)
                  for line in call("dpkg-deb", "--field", package).splitlines()
                  if line[:1].strip() and ": " in line)
    names = {each.split()[0] for each in fields["Depends"].split(", ")}
    for wanted in ("clang-22", "lld-22", "libc6", "libmlir-22", "libllvm22",
                   "libonig5", "libutf8proc2", "libsndfile1"):
        expect(wanted in names, f"Depends has no {wanted}: {fields['Depends']}")
    expect(fields["Package"] == "tenon", f"Package: {fields['Package']}")


def check_root(root, folder):
    """The tool, the manual, the headers and both other packages."""
    tool, model = f"{root}/usr/bin/tenon", f"{SOURCE}/examples/mlp.onnx"
    call(tool, "compile", "-q", model, "-o", f"{folder}/mlp.so", "--dim=batch=2")
    said = call(tool, "run", "-q", f"{folder}/mlp.so", "--input=x=ones")
    expect("f32[2,5]" in said, f"tenon run: {said}")
    call(tool, "compile", "-q", model, "-o", f"{folder}/mlp", "--emit=exe",
         "--dim=batch=2")
    call(f"{folder}/mlp", "--input=x=ones")
    for pattern in ("share/man/man1/tenon.1", "include/tenon/tenon.h",
                    "lib/cmake/Tenon/TenonConfig.cmake",
                    "lib/pkgconfig/tenon.pc", "lib/libtenon_rt.so.1",
                    "lib/libtenon_rt.a"):
        expect(glob.glob(f"{root}/usr/{pattern}"), f"no {pattern}")
    place = f"{root}/usr/lib/python3/dist-packages"
    said = call("/usr/bin/python3", "-c", PYTHON, model, PYTHONPATH=place,
                PYTHONDONTWRITEBYTECODE="1")
    expect(said.startswith(place), f"Python: {said}")


def main():
    with tempfile.TemporaryDirectory(prefix="tenon-package-") as folder:
        call("cpack", "--config", f"{BUILD}/CPackConfig.cmake", "-B", folder)
        packages = glob.glob(f"{folder}/*.deb")
        if not complaints:
            check_control(packages[0])
            call("dpkg-deb", "-x", packages[0], f"{folder}/root")
        if not complaints:
            check_root(f"{folder}/root", folder)
    print("\n".join(complaints) or "packed, unpacked and used")
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
