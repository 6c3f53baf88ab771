"""Compiling by the tool: a process of its own, whose words become the text of
the exception."""
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
    """8, (1, 512), (1, None), or what --dim takes."""
    if isinstance(size, (tuple, list, range)):
        low, high = (size.start, size.stop - 1) if isinstance(size, range) \
            else size
        return f"{low}..{'' if high is None else high}"
    return str(size)


def _shape(shape):
    return ",".join("?" if extent is None else str(extent) for extent in shape)


def _entries(model, names):
    """The flags that choose entries: of a SavedModel those that are no
    signatures are functions by their place among its objects."""
    if isinstance(names, str):
        names = [names]
    known = json.loads(_call("inspect", "--format=json", "--",
                             os.fspath(model))).get("signatures", [])
    signatures = {entry["name"] for entry in known}
    functions = set(names) - signatures if signatures else ()
    return [f"--{'function' if name in functions else 'signature'}={name}"
            for name in names]


def compile(model, *, function=None, dims=None, shapes=None, specialize=(),
            pad=None, cpu=None, opt=None, output=None, options=(), **opening):
    """Compiles a model and opens it.

    model: what `tenon compile` takes: an ONNX file, a SavedModel's folder, a
    frozen graph. function: a signature of a SavedModel, or a function by its
    place among the objects; several of them in a list. dims: sizes of named
    extents, {"batch": 8, "seq": (1, 512)}. shapes: shapes of inputs by name,
    None for an extent that stays open. specialize: sizes that get code of
    their own, [{"batch": 1, "seq": 128}]. pad: multiples that extents are
    padded to within a run, {"seq": 8}. cpu: as -mcpu. opt: 0 to 3. output:
    where the shared object goes; by default into the cache, where the same
    model with the same options is found the next time. options: further flags
    of the tool. What else there is goes to `load`."""
    flags = []
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
