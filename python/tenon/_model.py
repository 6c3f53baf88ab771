"""Open models: the functions that can be called, and the contexts of their
runs."""
import ctypes
import os
import threading
import weakref

from . import _runtime as rt
from ._calls import Signature
from ._description import read_extents, read_functions
from ._errors import error_of

_WEIGHTS = {"auto": 0, "copy": 1, "map": 2}
_ERROR_BYTES = 4096


def load(path, *, threads=0, weights="auto", weights_path=None,
         verify_weights=False, device=None):
    """Opens the shared object at `path` that `tenon compile` has written.

    threads: the most that work on one run, 0 for one per CPU. weights: "copy"
    reads them into memory, "map" maps the file, "auto" does what is faster.
    weights_path: a file of external weights or its folder. verify_weights:
    check the hash of the weights too. device: "cpu", or "cuda" or "cuda:1" for
    the version for NVIDIA GPUs, on the first or the second of them."""
    return Model(path, threads=threads, weights=weights,
                 weights_path=weights_path, verify_weights=verify_weights,
                 device=device)


class _Callable:
    """Common part of models and contexts: they can be called as their first
    function, and have the others by name."""

    def __call__(self, *values, **named):
        return self._signatures[0].call(self._context(), values, named)

    def into(self, outputs, *values, **named):
        """Runs as a call does, and writes the outputs to memory of the caller:
        a sequence of numpy arrays or tensors with DLPack, on the host or on the
        device that the model runs on. Returns the extents of each output."""
        return self._signatures[0].call_into(self._context(), outputs, values,
                                             named)

    def __getitem__(self, name):
        for signature in self._signatures:
            if signature.name == name:
                return Function(signature, self._context)
        raise KeyError(f"expected one of {', '.join(self.functions)}, got "
                       f"'{name}'")

    @property
    def functions(self):
        """The names of the functions."""
        return tuple(signature.name for signature in self._signatures)

    @property
    def inputs(self):
        """The inputs of the first function."""
        return self._signatures[0].inputs

    @property
    def outputs(self):
        """The outputs of the first function."""
        return self._signatures[0].outputs


class Model(_Callable):
    """An open model. Any number of threads may call it. Each thread has its
    own context, and so its own state if the model has state."""

    def __init__(self, path, *, threads=0, weights="auto", weights_path=None,
                 verify_weights=False, device=None):
        if weights not in _WEIGHTS:
            raise ValueError(f"weights: expected auto, copy or map, got "
                             f"'{weights}'")
        said = ctypes.create_string_buffer(_ERROR_BYTES)
        # Keep references: the struct holds only the addresses.
        place = _path(weights_path) if weights_path is not None else None
        where = (device or "").encode()
        options = rt.OpenOptions(
            struct_size=ctypes.sizeof(rt.OpenOptions),
            error_text=ctypes.addressof(said), error_text_bytes=_ERROR_BYTES,
            threads=threads, weights_mode=_WEIGHTS[weights],
            weights_path=place, verify_weights=bool(verify_weights),
            device=where)
        handle = ctypes.c_void_p()
        status = rt.open_model(_path(path), ctypes.byref(options),
                               ctypes.byref(handle))
        if status != 0:
            raise error_of(status, f"{path}: {rt.text(said.value)}")
        self._handle = _Handle(handle.value)
        desc = rt.describe(handle.value).contents
        self.path = path
        self.name = rt.text(desc.name)
        self.source = rt.text(desc.source)
        self.compiler = rt.text(desc.compiler)
        self.target = rt.text(desc.target)
        info = rt.ModelInfo(struct_size=ctypes.sizeof(rt.ModelInfo))
        rt.get_info(handle.value, ctypes.byref(info))
        self.version = rt.text(info.version)
        self.device = rt.text(info.device) or None
        self.context_extents = read_extents(desc)
        self._signatures = tuple(Signature(function, self.device is not None)
                                 for function in read_functions(desc))
        self._local = threading.local()

    def context(self, *, memory_limit=0, timeout=None, extents=None):
        """Creates a context beside those of the threads: memory and state for
        one run at a time. memory_limit: bytes of working memory; timeout:
        seconds that a run may take; extents: sizes of `context_extents` by
        name."""
        return Context(self, memory_limit=memory_limit, timeout=timeout,
                       extents=extents)

    def _context(self):
        context = getattr(self._local, "context", None)
        if context is None:
            context = self._local.context = Context(self)
        return context

    def close(self):
        """Unloads the model and ends its contexts. A model without references
        is unloaded automatically."""
        self._handle.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        return f"<tenon.Model {self.name}: {self._signatures[0]}>"


class _User:
    """A context or a generator in C: its number of active calls, and the
    function that destroys it."""

    def __init__(self, destroy):
        self.calls, self.destroy = 0, destroy


class _Handle:
    """The open model in C and the contexts and generators that use it. Without
    references it is freed, they before the model."""

    def __init__(self, model):
        self.model = model
        self.lock = threading.Lock()
        self.users = {}
        self._finalizer = weakref.finalize(self, _close, model, self.users)

    def close(self):
        with self.lock:
            if any(user.calls for user in self.users.values()):
                raise error_of(8, "the model is in use: a run is under way")
            self._finalizer()
            self.model = None

    def create(self, options, create=rt.create_context,
               destroy=rt.destroy_context):
        with self.lock:
            if self.model is None:
                raise error_of(8, "the model is closed")
            made = ctypes.c_void_p()
            status = create(self.model, ctypes.byref(options),
                            ctypes.byref(made))
            if status == 0:
                self.users[made.value] = _User(destroy)
            return status, made.value

    def destroy(self, address):
        with self.lock:
            user = self.users.get(address)
            if user and user.calls:
                raise error_of(8, "the context is in use: a run is under way")
            if user:
                del self.users[address]
                user.destroy(address)

    def enter(self, address):
        """Keeps the context or generator until `leave`."""
        with self.lock:
            if address not in self.users:
                raise error_of(8, "the context is closed")
            self.users[address].calls += 1

    def leave(self, address):
        with self.lock:
            self.users[address].calls -= 1


def _close(model, users):
    for address, user in users.items():
        user.destroy(address)
    users.clear()
    rt.close_model(model)


class Context(_Callable):
    """The memory and the state of a model for one run at a time."""

    def __init__(self, model, *, memory_limit=0, timeout=None, extents=None):
        self._handle = model._handle
        self._signatures = model._signatures
        said = ctypes.create_string_buffer(_ERROR_BYTES)
        chosen = dict(extents or {})
        sizes = (rt.Extent * len(chosen))(
            *(rt.Extent(name=name.encode(), size=size)
              for name, size in chosen.items()))
        options = rt.ContextOptions(
            struct_size=ctypes.sizeof(rt.ContextOptions),
            error_text=ctypes.addressof(said), error_text_bytes=_ERROR_BYTES,
            memory_limit=memory_limit, timeout_ns=_nanoseconds(timeout),
            extents=ctypes.addressof(sizes), num_extents=len(chosen))
        status, self._address = self._handle.create(options)
        if status != 0:
            raise error_of(status, rt.text(said.value))
        self._finalizer = weakref.finalize(self, self._handle.destroy,
                                           self._address)

    def _context(self):
        return self

    def __enter__(self):
        self._handle.enter(self._address)
        return self._address

    def __exit__(self, *_):
        self._handle.leave(self._address)

    def set_timeout(self, seconds):
        """Runs that take longer will end with Cancelled; None: no limit."""
        with self as address:
            rt.set_timeout(address, _nanoseconds(seconds))

    def cancel(self):
        """Ends the current run, or the next one, with Cancelled. May be called
        from any thread."""
        with self as address:
            rt.cancel(address)

    def reset_state(self):
        """Sets all state to its initial values."""
        with self as address:
            status = rt.reset_state(address)
            if status != 0:
                raise error_of(status, rt.text(rt.context_text(address)))

    @property
    def memory(self):
        """The bytes that the context keeps from run to run."""
        with self as address:
            return rt.context_memory(address)

    def close(self):
        """Frees the context's memory; refused during a run."""
        self._handle.destroy(self._address)
        # A later context may have the same address.
        self._finalizer.detach()


class Function:
    """One function of a model; a call runs it."""

    def __init__(self, signature, context):
        self._signature, self._context = signature, context
        self.name = signature.name
        self.inputs = signature.inputs
        self.outputs = signature.outputs

    def __call__(self, *values, **named):
        return self._signature.call(self._context(), values, named)

    def into(self, outputs, *values, **named):
        """As the model's `into`."""
        return self._signature.call_into(self._context(), outputs, values,
                                         named)

    def __repr__(self):
        return f"<tenon.Function {self.name}: {self._signature}>"


def _nanoseconds(seconds):
    return 0 if seconds is None else max(1, int(seconds * 1e9))


def _path(path):
    return os.fsencode(path)
