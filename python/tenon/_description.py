"""The description of a model: functions, inputs, outputs, extents."""
import ctypes
import struct
from typing import NamedTuple

from . import _layout
from ._runtime import DimDesc, ExtentDesc, FunctionDesc, TensorDesc, text
from ._tensors import array_from

_UNBOUNDED = 2**63 - 1


class Dim(NamedTuple):
    """One extent. `size` is None if it is dynamic; then the range applies."""
    name: str
    size: int
    min: int
    max: int  # None: no upper bound
    multiple: int

    def __str__(self):
        return str(self.size) if self.size is not None else self.name or "?"


class TensorType(NamedTuple):
    """An input or output: its name, element type ("f32") and dims."""
    name: str
    dtype: str
    dims: tuple
    bounded: bool  # the extents are known only after a run
    default: object = None  # a number or nested lists; None: must be given
    range: tuple = None  # the least and the greatest element; None: any

    @property
    def shape(self):
        """The extents: a number, or None for a dynamic extent."""
        return tuple(dim.size for dim in self.dims)

    def __str__(self):
        typed = f"{self.name} {self.dtype}[{', '.join(map(str, self.dims))}]"
        return typed if self.default is None else f"{typed} = {self.default}"


class FunctionType(NamedTuple):
    name: str
    inputs: tuple
    outputs: tuple


class ContextExtent(NamedTuple):
    """An extent of states that each context chooses."""
    name: str
    least: int
    most: int
    default: int


def _dims(desc):
    for i in range(desc.rank):
        dim = DimDesc.from_address(desc.dims + i * ctypes.sizeof(DimDesc))
        yield Dim(text(dim.name), dim.size if dim.size >= 0 else None, dim.min,
                  dim.max if dim.max != _UNBOUNDED else None, dim.multiple)


def _default(desc):
    if not desc.flags & _layout.OPTIONAL:
        return None
    shape = (ctypes.c_int64 * desc.rank).from_address(desc.default_dims) \
        if desc.rank else ()
    data = ctypes.string_at(desc.default_data, desc.default_bytes) \
        if desc.default_bytes else b""
    return array_from(data, _layout.DTYPES[desc.dtype], shape).tolist()


def _range(desc):
    if not desc.flags & _layout.RANGE:
        return None
    if _layout.DTYPES[desc.dtype] == "i64":
        return desc.least, desc.greatest
    return struct.unpack("=dd", struct.pack("=qq", desc.least, desc.greatest))


def _tensors(address, count):
    for i in range(count):
        desc = TensorDesc.from_address(address + i * ctypes.sizeof(TensorDesc))
        yield TensorType(text(desc.name),
                         _layout.DTYPES.get(desc.dtype, "?"),
                         tuple(_dims(desc)), desc.bounded != 0,
                         _default(desc), _range(desc))


def read_functions(model_desc):
    """The functions, in the order of the model."""
    for i in range(model_desc.num_functions):
        desc = FunctionDesc.from_address(
            model_desc.functions + i * ctypes.sizeof(FunctionDesc))
        yield FunctionType(text(desc.name),
                           tuple(_tensors(desc.inputs, desc.num_inputs)),
                           tuple(_tensors(desc.outputs, desc.num_outputs)))


def read_extents(model_desc):
    """The extents that a context chooses."""
    size = ctypes.sizeof(ExtentDesc)
    descs = (ExtentDesc.from_address(model_desc.extents + i * size)
             for i in range(model_desc.num_extents))
    return tuple(ContextExtent(text(desc.name), desc.least, desc.most,
                               desc.initial) for desc in descs)
