"""One call: converts arrays to tensors of the C API, provides memory for the
outputs, and raises an exception on failure."""
import ctypes

from . import _runtime as rt
from ._errors import error_of
from ._layout import DTYPES
from ._tensors import Outputs, address_of, empty, finished, view_of

_CODES = {name: code for code, name in DTYPES.items()}


class Signature:
    """A function that can be called, with the types of its inputs and
    outputs."""

    def __init__(self, function):
        self.name = function.name
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

    def _run(self, address, given):
        """The arrays that a run has written, with the extents that it
        reports."""
        count, name = len(self.outputs), self._encoded
        results = (rt.Tensor * count)()
        arrays, dims = [], []
        for result, output in zip(results, self.outputs):
            extents = (ctypes.c_int64 * max(1, len(output.dims)))()
            result.struct_size = ctypes.sizeof(rt.Tensor)
            result.rank = len(output.dims)
            result.dims = ctypes.addressof(extents)
            dims.append(extents)
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
            view = view_of(value, tensor.dtype if tensor else None, what)
            extents = (ctypes.c_int64 * max(1, len(view.shape)))(*view.shape)
            kept.append((view, extents, label))
            given[i] = rt.Tensor(
                struct_size=ctypes.sizeof(rt.Tensor), name=label,
                dtype=_CODES.get(view.dtype, 0), rank=len(view.shape),
                dims=ctypes.addressof(extents), data=view.address or None,
                bytes=view.bytes)
        return given, kept


def _check(context, status):
    if status != 0:
        raise error_of(status, rt.text(rt.context_text(context)))
