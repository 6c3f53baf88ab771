"""Compiles with the command line tool, in its own process. The tool's messages
become the text of the exception."""
import json
import os
import shutil
import subprocess
import tempfile
import warnings
import weakref

from . import _place
from ._errors import FileError, error_of
from ._model import Model


def _tool():
    """The tool installed with this package, or the one on PATH."""
    here = os.path.dirname(os.path.realpath(__file__))
    path = os.path.normpath(os.path.join(here, _place.TOOL))
    found = path if os.path.exists(path) else shutil.which("tenon")
    if not found:
        raise FileError(f"there is no tenon at '{path}' or on PATH")
    return found


def _call(verb, *arguments):
    done = subprocess.run([_tool(), verb, "--color=never", *arguments],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    said = done.stderr.decode("utf-8", "replace").rstrip()
    if done.returncode != 0:
        raise error_of(done.returncode, said or
                       f"the compiler ended with status {done.returncode}")
    for line in said.splitlines():
        if " warning: " in line:
            warnings.warn(line, RuntimeWarning, stacklevel=3)
    return done.stdout.decode("utf-8", "surrogateescape")


def _range(size):
    """A size as text for --dim, from 8, (1, 512), (1, None) or such a text."""
    if isinstance(size, (tuple, list, range)):
        low, high = (size.start, size.stop - 1) if isinstance(size, range) \
            else size
        return f"{low}..{'' if high is None else high}"
    return str(size)


def _shape(shape):
    return ",".join("?" if extent is None else str(extent) for extent in shape)


def _entries(model, names):
    """The flags that choose entries: functions of a checkpoint. A name that is
    no signature of a SavedModel is a function, given by its path among the
    model's objects."""
    if isinstance(names, str):
        names = [names]
    described = json.loads(_call("inspect", "--format=json", "--",
                                 os.fspath(model)))
    signatures = {entry["name"] for entry in described.get("signatures", [])}
    functions = set(names) - signatures \
        if signatures or described["functions"] else ()
    return [f"--{'function' if name in functions else 'signature'}={name}"
            for name in names]


def compile(model, *, function=None, dims=None, shapes=None, specialize=(),
            pad=None, cpu=None, opt=None, output=None, device=None,
            options=(), **opening):
    """Compiles a model and opens it.

    model: the input of `tenon compile`: an ONNX file, a SavedModel's folder, a
    frozen graph, a checkpoint's folder. function: a signature of a SavedModel,
    or a function by its path among the objects; a function of a checkpoint; or
    a list of them. dims: sizes of named extents, {"batch": 8, "seq": (1,
    512)}. shapes: shapes of inputs by name, None for a
    dynamic extent. specialize: sizes that get variants, [{"batch": 1, "seq":
    128}]. pad: multiples to which extents are padded within a run, {"seq": 8}.
    cpu: as -mcpu. opt: 0 to 3. output: path of the shared object; by default
    it is in the cache, where a later call with equal model and options finds
    it. device: "cuda" or "cuda:1" compiles for NVIDIA GPUs of any architecture
    and opens the model there; options=["--device=nvptx:sm_90"] chooses one.
    options: further flags of the tool. Other arguments are passed to `load`."""
    flags = []
    opening["device"] = device
    if device and device != "cpu" and \
            not any(str(option).startswith("--device") for option in options):
        flags.append("--device=nvptx")
    if function is not None:
        flags += _entries(model, function)
    for name, size in (dims or {}).items():
        flags.append(f"--dim={name}={_range(size)}")
    for name, shape in (shapes or {}).items():
        flags.append(f"--shape={name}=[{_shape(shape)}]")
    for sizes in specialize:
        flags.append("--specialize=" + ",".join(
            f"{name}:{size}" for name, size in sizes.items()))
    for name, multiple in (pad or {}).items():
        flags.append(f"--pad={name}:{multiple}")
    if cpu is not None:
        flags.append(f"-mcpu={cpu}")
    if opt is not None:
        flags.append(f"-O{opt}")
    flags += [*map(str, options), "--", os.fspath(model)]
    if output is not None:
        _call("compile", "-q", "-shared", "-o", os.fspath(output), *flags)
        return Model(output, **opening)
    try:
        found = json.loads(_call("compile", "--cache", "--format=json", *flags))
        return Model(found["output"], **opening)
    except FileError:
        # There is no cache: the file lives as long as the model. Any other
        # error of the first call appears again.
        folder = tempfile.mkdtemp(prefix="tenon-")
        try:
            path = os.path.join(folder, "model.so")
            _call("compile", "-q", "-shared", "-o", path, *flags)
            opened = Model(path, **opening)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        weakref.finalize(opened, shutil.rmtree, folder, ignore_errors=True)
        return opened
