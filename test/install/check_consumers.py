#!/usr/bin/python3
"""check_consumers.py BUILD LIBDIR: installs BUILD into a new prefix and uses
it from other projects, through CMake and pkg-config. Then moves the prefix and
repeats. Prints one line per error; none means success."""
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import time

BUILD, LIBDIR = os.path.abspath(sys.argv[1]), sys.argv[2]
HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
complaints = []


def call(*command, fails=False, **environment):
    """The command's output; an error if it did not end as expected."""
    kept = {name: value for name, value in os.environ.items()
            if name not in ("LD_LIBRARY_PATH", "CMAKE_PREFIX_PATH", "CC", "CXX")}
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=1200,
                          env={**kept, **environment})
    if (done.returncode != 0) != fails:
        complaints.append(f"{' '.join(command)}: ended with "
                          f"{done.returncode}:\n{done.stdout[-3000:]}")
    return done.stdout


def expect(text, *wanted, of):
    """Expects `wanted` in `text`, wherever CMake has broken lines."""
    flat = " ".join(text.split())
    for piece in wanted:
        if piece not in flat:
            complaints.append(f"{of}: expected '{piece}' in:\n{text[-1500:]}")


def copy_project(folder):
    shutil.copytree(os.path.join(HERE, "consumer"), folder)
    shutil.copytree(os.path.join(SOURCE, "examples/tokenizer"),
                    f"{folder}/tokenizer")
    shutil.copytree(os.path.join(SOURCE, "examples/story"), f"{folder}/story")
    shutil.copytree(os.path.join(SOURCE, "examples/dictation"),
                    f"{folder}/dictation")
    onnx_text = os.path.join(SOURCE, "lit/Inputs/onnx_text.py")
    shutil.copy(os.path.join(SOURCE, "lit/tools/Inputs/add.onnxtxt"), folder)
    for name in ("add", "heavy"):
        call("/usr/bin/python3", onnx_text, f"{folder}/{name}.onnxtxt", "-o",
             f"{folder}/{name}.onnx")


def configure(project, prefix, *more, fails=False):
    return call("cmake", "-S", project, "-B", f"{project}/build",
                f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Release",
                *more, fails=fails)


def check_cmake(prefix, project, generator):
    copy_project(project)
    configure(project, prefix, "-G", generator)
    call("cmake", "--build", f"{project}/build")
    call("ctest", "--test-dir", f"{project}/build", "--output-on-failure")
    # Build without changes, then with a changed model, then with a changed
    # option.
    if complaints:
        return
    made = f"{project}/build/tenon/add/add.o"
    before = os.stat(made).st_mtime_ns
    call("cmake", "--build", f"{project}/build")
    if os.stat(made).st_mtime_ns != before:
        complaints.append(f"{generator}: an unchanged model is compiled again")
    time.sleep(0.02)
    os.utime(f"{project}/add.onnx")
    call("cmake", "--build", f"{project}/build")
    if os.stat(made).st_mtime_ns == before:
        complaints.append(f"{generator}: a changed model is not compiled again")


def check_refusals(prefix, folder):
    """Mistakes that must be reported when the project is configured."""
    os.makedirs(folder)
    open(f"{folder}/m.onnx", "w").close()
    for arguments, wanted in [
            ("m MODEL no.onnx", "there is no model"),
            ("m", "expected MODEL and the path of a model"),
            ("m MODEL m.onnx TYPE OBJECT", "expected TYPE STATIC or SHARED"),
            ("m MODEL m.onnx CPUS native", "unknown argument 'CPUS'"),
            ("m MODEL m.onnx CPU", "expected a value after CPU"),
            ("m-1 MODEL m.onnx", "'m-1' cannot be a name in C"),
            ("m MODEL m.onnx TYPE SHARED STANDALONE",
             "STANDALONE is for TYPE STATIC"),
            ("m MODEL m.onnx STANDALONE DEVICES cpu nvptx:sm_80",
             "STANDALONE is for CPUs")]:
        with open(f"{folder}/CMakeLists.txt", "w") as lists:
            lists.write("cmake_minimum_required(VERSION 3.25)\n"
                        "project(P LANGUAGES C)\n"
                        "find_package(Tenon REQUIRED)\n"
                        f"tenon_add_model({arguments})\n")
        said = configure(folder, prefix, fails=True)
        expect(said, wanted, "tenon_add_model(m", of=arguments)
    with open(f"{folder}/CMakeLists.txt", "w") as lists:
        lists.write("cmake_minimum_required(VERSION 3.25)\n"
                    "project(P LANGUAGES C)\nfind_package(Tenon 99 REQUIRED)\n")
    expect(configure(folder, prefix, fails=True), "99", of="version 99")


def check_broken_model(prefix, project):
    """A model that cannot be compiled stops the build with the compiler's
    message."""
    copy_project(project)
    with open(f"{project}/add.onnx", "wb") as model:
        model.write(b"no model at all")
    configure(project, prefix)
    said = call("cmake", "--build", f"{project}/build", fails=True)
    expect(said, "add.onnx", "error:", of="a broken model")


def check_pkg_config(prefix, folder):
    os.makedirs(folder)
    copy_project(f"{folder}/project")
    pc = {"PKG_CONFIG_PATH": f"{prefix}/{LIBDIR}/pkgconfig"}
    flags = call("pkg-config", "--cflags", "--libs", "tenon", **pc).split()
    static = call("pkg-config", "--static", "--libs-only-l", "tenon",
                  **pc).split()
    compiler = call("pkg-config", "--variable=compiler", "tenon", **pc).strip()
    version = call("pkg-config", "--modversion", "tenon", **pc).strip()
    expect(call(compiler, "--version"), version, of="--version")
    project, model = f"{folder}/project", f"{folder}/add"
    call(compiler, "compile", "-q", f"{project}/add.onnx", "-o", f"{model}.so",
         "-mcpu=x86-64-v3")
    call(compiler, "compile", "-q", f"{project}/add.onnx", "-c", "-o",
         f"{model}.o", "-mcpu=x86-64-v3")
    library = os.path.realpath(f"{prefix}/{LIBDIR}")
    call("cc", f"{project}/by_path.c", *flags, "-o", f"{folder}/by-path")
    call(f"{folder}/by-path", f"{model}.so", LD_LIBRARY_PATH=library)
    call("cc", f"-I{folder}", f"{project}/typed.c", f"{model}.o", *flags[:1],
         f"{library}/libtenon_rt.a",
         *[flag for flag in static if flag != "-ltenon_rt"], "-o",
         f"{folder}/typed")
    call(f"{folder}/typed")
    flags = call("pkg-config", "--cflags", "--libs", "tenon-generate",
                 **pc).split()
    call(compiler, "compile", "-q", f"{project}/story/story.mlir", "-o",
         f"{folder}/story.so", "-mcpu=x86-64-v3")
    call("cc", f"{project}/texts.c", *flags, "-o", f"{folder}/texts")
    call(f"{folder}/texts", f"{folder}/story.so", LD_LIBRARY_PATH=library)
    call("cc", f"{project}/texts.c", flags[0],
         f"{library}/libtenon_generate.a", f"{library}/libtenon_rt.a",
         *[flag for flag in static if flag != "-ltenon_rt"], "-o",
         f"{folder}/texts-static")
    call(f"{folder}/texts-static", f"{folder}/story.so")
    flags = call("pkg-config", "--cflags", "--libs", "tenon-transcribe",
                 **pc).split()
    call(compiler, "compile", "-q", f"{project}/dictation/dictation.mlir",
         "-o", f"{folder}/dictation.so", "-mcpu=x86-64-v3")
    call("cc", f"{project}/speech.c", *flags, "-o", f"{folder}/speech")
    call(f"{folder}/speech", f"{folder}/dictation.so", LD_LIBRARY_PATH=library)
    flags = call("pkg-config", "--cflags", "--libs", "tenon-tokenizers",
                 **pc).split()
    static = call("pkg-config", "--static", "--libs-only-l",
                  "tenon-tokenizers", **pc).split()
    call("cc", f"{project}/tokens.c", *flags, "-o", f"{folder}/tokens")
    call(f"{folder}/tokens", f"{project}/tokenizer", LD_LIBRARY_PATH=library)
    call("cc", f"{project}/tokens.c", flags[0],
         f"{library}/libtenon_tokenizers.a",
         *[flag for flag in static if flag != "-ltenon_tokenizers"], "-o",
         f"{folder}/tokens-static")
    call(f"{folder}/tokens-static", f"{project}/tokenizer")


PYTHON = """
import sys, numpy, tenon
x = numpy.ones((2, 3), numpy.float32)
model = tenon.compile(sys.argv[1], cpu="x86-64-v3")
assert (model(x, y=x) == 2).all()
story = tenon.compile(sys.argv[2], cpu="x86-64-v3")
assert tenon.Generator(story)([3, 4], max_new_tokens=1)[0].ids == [36]
with open("/proc/self/maps") as maps:
    loaded = {line.split()[-1] for line in maps if "libtenon_" in line}
print(tenon.__file__, *loaded)
"""


def check_python(prefix, folder):
    """The package must find the runtime and the tool of its own prefix."""
    os.makedirs(folder)
    copy_project(f"{folder}/project")
    said = call("/usr/bin/python3", "-c", PYTHON, f"{folder}/project/add.onnx",
                f"{folder}/project/story/story.mlir",
                PYTHONPATH=f"{prefix}/{LIBDIR}/python3/dist-packages",
                PYTHONDONTWRITEBYTECODE="1", TENON_CACHE_LIMIT="1G",
                TENON_CACHE_DIR=f"{folder}/cache")
    for path in said.split():
        if not path.startswith(os.path.realpath(prefix) + "/"):
            complaints.append(f"Python: {path} is not in {prefix}")
    if not os.path.isdir(f"{folder}/cache"):
        complaints.append("Python: the model was not compiled into the cache")


def check_contents(prefix):
    for pattern in ("bin/tenon", "bin/tenonc", "bin/tenon-opt",
                    "bin/tenon-reduce", "bin/tenon-lsp-server",
                    f"{LIBDIR}/libtenon_rt.so.1", f"{LIBDIR}/libtenon_rt.a",
                    f"{LIBDIR}/libtenon_generate.so.1",
                    f"{LIBDIR}/libtenon_generate.a",
                    f"{LIBDIR}/libtenon_transcribe.so.1",
                    f"{LIBDIR}/libtenon_transcribe.a",
                    f"{LIBDIR}/libtenon_tokenizers.so.1",
                    f"{LIBDIR}/libtenon_tokenizers.a",
                    "include/tenon/tenon.h", "include/tenon/tenon_abi.h",
                    "include/tenon/tenon_generate.h",
                    "include/tenon/tenon_transcribe.h",
                    "include/tenon/tenon_tokenizers.h"):
        if not glob.glob(f"{prefix}/{pattern}"):
            complaints.append(f"not installed: {pattern}")
    # A movable prefix must contain neither its own path nor the build path.
    for folder, _, names in os.walk(prefix):
        for name in names:
            if name.endswith((".cmake", ".pc", ".h", ".py")):
                with open(os.path.join(folder, name)) as text:
                    content = text.read()
                for path in (prefix, BUILD, SOURCE):
                    if path in content:
                        complaints.append(f"{name}: names {path}")


def main():
    with tempfile.TemporaryDirectory(prefix="tenon-install-") as folder:
        installed, moved = f"{folder}/installed", f"{folder}/elsewhere/moved"
        os.makedirs(os.path.dirname(moved))
        steps = [
            lambda: call("cmake", "--install", BUILD, "--prefix", installed),
            lambda: check_contents(installed),
            lambda: check_cmake(installed, f"{folder}/first", "Ninja"),
            lambda: check_refusals(installed, f"{folder}/refused"),
            lambda: check_broken_model(installed, f"{folder}/broken"),
            lambda: check_pkg_config(installed, f"{folder}/pc"),
            lambda: check_python(installed, f"{folder}/python"),
            lambda: os.rename(installed, moved),
            lambda: check_cmake(moved, f"{folder}/second", "Unix Makefiles"),
            lambda: check_pkg_config(moved, f"{folder}/pc-moved"),
            lambda: check_python(moved, f"{folder}/python-moved")]
        # After a failed step the later ones are pointless.
        for step in steps:
            if not complaints:
                step()
    print("\n".join(complaints) or "installed, moved, and used from both")
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
