"""The measured programs: builds them, starts them and sends them requests.

All programs follow the protocol of callers/caller.h. Each runs in its own
process and sleeps while another one is measured.
"""
import os
import subprocess

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(HERE)
ORT = "onnxruntime-node@1.30.0"
ORT_MEGABYTES = 120
LLAMA = "@node-llama-cpp/linux-x64@3.22.1"
LLAMA_MEGABYTES = 30
WHISPER = "@fugood/node-whisper-linux-x64@1.1.3"
WHISPER_MEGABYTES = 3
CALLERS = os.path.join(HERE, "callers")


def clean_environment(threads):
    """The environment for the programs: default settings, whatever the shell
    has."""
    foreign = ("OPENBLAS_", "OMP_", "GOMP_", "KMP_", "MKL_", "DNNL_",
               "ONEDNN_", "BLIS_")
    kept = {n: v for n, v in os.environ.items() if not n.startswith(foreign)}
    return {**kept, "OMP_NUM_THREADS": str(threads),
            "OPENBLAS_NUM_THREADS": str(threads)}


def compiler():
    for name in ("clang-22", "cc"):
        if subprocess.run(["sh", "-c", f"command -v {name}"],
                          capture_output=True).returncode == 0:
            return name
    raise SystemExit("bench: no C compiler: neither clang-22 nor cc")


def c_flags(processor="native"):
    """For Intel's processors the compiler splits vectors of 512 bits in two
    unless it is told not to, and the floor would be half as fast."""
    return ["-O3", f"-march={processor}", "-mprefer-vector-width=512",
            "-ffp-contract=fast", "-Wall", "-Wextra"]


def build_c(out, sources, *flags):
    """Builds a C program of callers/ if it is older than its sources."""
    sources = [os.path.join(CALLERS, s) for s in sources]
    watched = sources + [os.path.join(CALLERS, header)
                         for header in os.listdir(CALLERS)
                         if header.endswith(".h")]
    watched += [f for f in flags if os.path.isfile(f)]
    if os.path.exists(out) and all(
            os.path.getmtime(out) > os.path.getmtime(f) for f in watched):
        return out
    os.makedirs(os.path.dirname(out), exist_ok=True)
    subprocess.run([compiler(), *c_flags(), *sources, *flags, "-o", out],
                   check=True)
    return out


def install(folder, package, megabytes):
    """The folder of an npm package, named with its version; downloads it
    once."""
    place = os.path.join(folder, "node_modules", package[:package.rindex("@")])
    if not os.path.isdir(place):
        print(f"bench: downloading {package} from npm, about {megabytes} MiB",
              flush=True)
        os.makedirs(folder, exist_ok=True)
        # The packages contain the libraries; install scripts would download
        # more.
        subprocess.run(["npm", "install", "--prefix", folder,
                        "--ignore-scripts", "--no-audit", "--no-fund",
                        "--no-save", "--no-package-lock", "--silent",
                        package], check=True)
    return place


def install_ort(folder):
    """The path of ONNX Runtime's shared library; downloads it once."""
    binaries = os.path.join(install(folder, ORT, ORT_MEGABYTES), "bin")
    for inner, _, names in os.walk(binaries):
        if os.path.join("linux", "x64") in inner:
            for name in names:
                if name.startswith("libonnxruntime.so"):
                    return os.path.join(inner, name)
    raise SystemExit(f"bench: no libonnxruntime.so for Linux in {binaries}")


def install_llama(folder):
    """The folder of llama.cpp's shared libraries, and the path of libllama;
    downloads them once."""
    binaries = os.path.join(install(folder, LLAMA, LLAMA_MEGABYTES), "bins",
                            "linux-x64")
    for name in os.listdir(binaries):
        if name.startswith("libllama.") and ".so" in name:
            return binaries, os.path.join(binaries, name)
    raise SystemExit(f"bench: no libllama in {binaries}")


def install_whisper(folder):
    """The path of a module for Node that has whisper.cpp's functions; downloads
    it once."""
    return os.path.join(install(folder, WHISPER, WHISPER_MEGABYTES),
                        "index.node")


def write_manifest(path, folder, inputs, outputs):
    with open(path, "w") as manifest:
        for kind, arrays in (("input", inputs), ("output", outputs)):
            for name, array in arrays.items():
                file = os.path.join(folder, f"{kind}-{name}")
                if kind == "input":
                    array.tofile(file)
                print(kind, name, array.dtype.name, array.ndim,
                      *array.shape, file, file=manifest)


class Program:
    """A started program that answers each line with one line."""

    def __init__(self, command, threads):
        self.process = subprocess.Popen(
            [str(c) for c in command], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, env=clean_environment(threads))
        self.expect("ready")

    def ask(self, question):
        self.process.stdin.write(question + "\n")
        self.process.stdin.flush()
        return self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"bench: {self.process.args[0]} ended with "
                             f"status {self.process.wait()}")
        return line.strip()

    def expect(self, word):
        # Skip lines that a library prints before the answer.
        while self.answer() != word:
            pass

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Caller(Program):
    """A program that calls one model on one set of inputs."""

    def __init__(self, command, threads, folder, inputs, outputs):
        os.makedirs(folder, exist_ok=True)
        self.folder, self.outputs = folder, outputs
        manifest = os.path.join(folder, "manifest")
        write_manifest(manifest, folder, inputs, outputs)
        super().__init__([*command, manifest], threads)

    def milliseconds(self, groups, calls):
        return float(self.ask(f"run {groups} {calls}"))

    def results(self):
        self.process.stdin.write("write\n")
        self.process.stdin.flush()
        self.expect("written")
        return {name: np.fromfile(os.path.join(self.folder, f"output-{name}"),
                                  array.dtype).reshape(array.shape)
                for name, array in self.outputs.items()}


class Generator(Program):
    """A program that generates text, by the protocol of
    callers/generator.h."""

    def __init__(self, command, threads):
        super().__init__(command, threads)
        self.given = None

    def prepare(self, prompts, beams, new, pad, distinct=False):
        """Keeps the prompts, rows of ids, for later requests."""
        self.given = len(prompts), new
        seq = max(map(len, prompts))
        padded = [[pad] * (seq - len(p)) + list(p) for p in prompts]
        numbers = [beams, new, int(distinct), len(prompts), seq,
                   *map(len, prompts), *sum(padded, [])]
        self.ask("prompt " + " ".join(map(str, numbers)))

    def first(self):
        return float(self.ask("first"))

    def steps(self, count):
        return float(self.ask(f"steps {count}"))

    def call(self):
        return float(self.ask("call"))

    def tokens(self):
        return np.array(self.ask("tokens").split(), np.int64).reshape(
            self.given)


class Floor(Program):
    """The machine's peaks: GFLOP/s, and GB/s for a number of bytes."""

    def fma(self):
        return float(self.ask("fma"))

    def read(self, size):
        return float(self.ask(f"read {int(size)}"))
