"""One call: converts arrays to tensors of the C API, provides memory for the
outputs, and raises an exception on failure."""
import ctypes

from . import _runtime as rt
from ._errors import InputError, error_of
from ._layout import DTYPES, ON_DEVICE, ON_HOST
from ._tensors import (Outputs, address_of, empty, finished, view_of,
                       writable_view)

_CODES = {name: code for code, name in DTYPES.items()}


class Signature:
    """A function that can be called, with the types of its inputs and
    outputs."""

    def __init__(self, function, on_device):
        self.name = function.name
        self._on_device = on_device
        self.inputs = function.inputs
        self.outputs = function.outputs
        self._encoded = function.name.encode()
        self._known = {tensor.name: tensor for tensor in function.inputs}
        self._shapes = [output.shape for output in function.outputs]
        self._fixed = all(None not in output.shape and not output.bounded
                          for output in function.outputs)

    def __str__(self):
        return (f"{', '.join(map(str, self.inputs))} -> "
                f"{', '.join(map(str, self.outputs))}")

    def call(self, context, values, named):
        """Runs in `context` and locks it during the run."""
        given, kept = self._bind(values, named)
        with context as address:
            arrays, dims = self._run(address, given)
        del kept
        made = [finished(array, output.dtype, tuple(extents[:array.ndim]))
                for array, output, extents in zip(arrays, self.outputs, dims)]
        if len(made) == 1:
            return made[0]
        return Outputs(made, tuple(output.name for output in self.outputs))

    def call_into(self, context, outputs, values, named):
        """Runs in `context` and writes to the memory of `outputs`. Returns the
        extents of each."""
        if len(outputs) != len(self.outputs):
            raise InputError(f"{self.name}: expected {len(self.outputs)} "
                             f"outputs, got {len(outputs)}")
        given, kept = self._bind(values, named)
        views = [writable_view(value, f'output "{output.name}"',
                               self._on_device)
                 for value, output in zip(outputs, self.outputs)]
        results, dims = self._results()
        with context as address:
            _check(address, rt.plan(address, self._encoded, given, len(given),
                                    results, len(results), None))
            for result, view, output, extents in zip(results, views,
                                                     self.outputs, dims):
                _check_shape(view, output, tuple(extents[:result.rank]))
                result.dtype = _CODES[view.dtype]
                result.data, result.bytes = view.address or None, view.bytes
                result.device = ON_DEVICE if view.on_device else ON_HOST
            _check(address, rt.run(address, self._encoded, given, len(given),
                                   results, len(results)))
        del kept
        return tuple(tuple(extents[:result.rank])
                     for result, extents in zip(results, dims))

    def _results(self):
        """Descriptions of the outputs without memory, and their extents, which
        the runtime sets."""
        results, dims = (rt.Tensor * len(self.outputs))(), []
        for result, output in zip(results, self.outputs):
            extents = (ctypes.c_int64 * max(1, len(output.dims)))()
            result.struct_size = ctypes.sizeof(rt.Tensor)
            result.rank = len(output.dims)
            result.dims = ctypes.addressof(extents)
            dims.append(extents)
        return results, dims

    def _run(self, address, given):
        """The arrays that a run has written, with the extents that it
        reports."""
        count, name = len(self.outputs), self._encoded
        results, dims = self._results()
        arrays = []
        if not self._fixed:
            _check(address, rt.plan(address, name, given, len(given), results,
                                    count, None))
        for i, (result, output) in enumerate(zip(results, self.outputs)):
            array = empty(output.dtype, self._shapes[i] if self._fixed else
                          dims[i][:len(output.dims)])
            result.data, result.bytes = address_of(array), array.nbytes
            arrays.append(array)
        _check(address, rt.run(address, name, given, len(given), results,
                               count))
        return arrays, dims

    def _bind(self, values, named):
        """The inputs as tensors of the runtime, and the objects that own their
        memory. The runtime has the defaults of optional inputs that are None
        or not given."""
        total = len(values) + len(named)
        given, kept = (rt.Tensor * total)(), []
        for i, (name, value) in enumerate(
                [(None, value) for value in values] + list(named.items())):
            if name is None:
                tensor = self.inputs[i] if i < len(self.inputs) else None
            else:
                tensor = self._known.get(name)
            label = name.encode() if name is not None else None
            if value is None and tensor and tensor.default is not None:
                kept.append(label)
                given[i] = rt.Tensor(struct_size=ctypes.sizeof(rt.Tensor),
                                     name=label)
                continue
            what = f'input "{tensor.name if tensor else name or i}"'
            view = view_of(value, tensor.dtype if tensor else None, what,
                           self._on_device)
            extents = (ctypes.c_int64 * max(1, len(view.shape)))(*view.shape)
            kept.append((view, extents, label))
            given[i] = rt.Tensor(
                struct_size=ctypes.sizeof(rt.Tensor), name=label,
                dtype=_CODES.get(view.dtype, 0), rank=len(view.shape),
                dims=ctypes.addressof(extents), data=view.address or None,
                bytes=view.bytes,
                device=ON_DEVICE if view.on_device else ON_HOST)
        return given, kept


def _check_shape(view, output, planned):
    """A bounded extent is an upper bound here."""
    if view.shape != planned:
        raise InputError(f'output "{output.name}": expected the shape '
                         f"{planned}, got {view.shape}")


def _check(context, status):
    if status != 0:
        raise error_of(status, rt.text(rt.context_text(context)))
