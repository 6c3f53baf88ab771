"""Converts arrays of the caller to an address, an element type and extents. An
array that is not dense is copied. Numpy has every element type of Tenon except
bf16, for which there is a small class here."""
import ctypes
from typing import NamedTuple

import numpy as np

from . import _dlpack
from ._errors import InputError

_NUMPY = {"f32": np.float32, "f64": np.float64, "f16": np.float16,
          "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
          "u8": np.uint8, "u16": np.uint16, "u32": np.uint32,
          "u64": np.uint64, "bool": np.bool_, "bf16": np.uint16}
_NAMES = {np.dtype(known): name for name, known in _NUMPY.items()
          if name != "bf16"}


class BFloat16Array:
    """An array of bf16. `bits` is the numpy array of its bit patterns.
    Converted to numpy it is float32, which represents every value."""

    dtype = "bf16"

    def __init__(self, bits):
        self.bits = np.asarray(bits)
        if self.bits.dtype != np.uint16:
            raise TypeError(f"expected the bits as uint16, got "
                            f"{self.bits.dtype}")

    shape = property(lambda self: self.bits.shape)
    ndim = property(lambda self: self.bits.ndim)
    size = property(lambda self: self.bits.size)

    def __len__(self):
        return len(self.bits)

    def __getitem__(self, index):
        return BFloat16Array(self.bits[index])

    def __array__(self, dtype=None):
        wide = (self.bits.astype(np.uint32) << 16).view(np.float32)
        return wide if dtype is None else wide.astype(dtype)

    def __dlpack__(self, **options):
        return _dlpack.as_bfloat16(self.bits.__dlpack__(**options))

    def __dlpack_device__(self):
        return self.bits.__dlpack_device__()

    def __repr__(self):
        return f"BFloat16Array({np.asarray(self)})"


def bfloat16(values):
    """`values` rounded to bf16: to nearest, ties to even; a NaN stays a NaN."""
    wide = np.ascontiguousarray(values, np.float32).reshape(np.shape(values))
    bits = wide.view(np.uint32)
    rounded = ((bits + np.uint32(0x7FFF) + ((bits >> 16) & 1)) >> 16)
    quiet = (bits >> 16) | np.uint32(0x40)
    return BFloat16Array(np.where(np.isnan(wide), quiet,
                                  rounded).astype(np.uint16))


class Outputs(tuple):
    """The outputs of a function with several outputs, in order. An index may
    be a name."""

    def __new__(cls, arrays, names):
        made = super().__new__(cls, arrays)
        made.names = names
        return made

    def __getitem__(self, index):
        if isinstance(index, str):
            if index not in self.names:
                raise KeyError(f"expected one of {', '.join(self.names)}, got "
                               f"'{index}'")
            index = self.names.index(index)
        return super().__getitem__(index)

    def keys(self):
        return self.names

    def items(self):
        return zip(self.names, self)


class View(NamedTuple):
    """A dense tensor in memory of `owner`, which it keeps alive."""
    address: int
    dtype: str
    shape: tuple
    bytes: int
    owner: object
    on_device: bool = False


def _view(array, dtype):
    # np.ascontiguousarray would turn 0-d arrays into 1-d arrays.
    flags = array.flags
    if not (flags.c_contiguous and flags.aligned):
        array = np.array(array, order="C")
    return View(address_of(array), dtype, array.shape, array.nbytes, array)


def address_of(array):
    """The address of the array's elements."""
    return array.__array_interface__["data"][0]


def _by_numpy(value, what, refused):
    try:
        return np.asarray(value.__array__())
    except Exception:  # the producer may raise anything
        raise InputError(f"{what}: {refused}") from refused


def _dense_view(tensor):
    """The view of a dense tensor; None if it is not dense."""
    if 0 in tensor.shape:
        return View(0, tensor.dtype, tensor.shape, 0, None)
    steps = zip(tensor.shape, tensor.strides,
                _dlpack.dense_strides(tensor.shape))
    # The stride of an extent of one has no meaning.
    if any(extent != 1 and step != dense for extent, step, dense in steps):
        return None
    count = int(np.prod(tensor.shape, dtype=np.int64))
    return View(tensor.address, tensor.dtype, tensor.shape,
                count * np.dtype(_NUMPY[tensor.dtype]).itemsize, tensor.owner,
                tensor.on_device)


def _foreign_view(tensor, what):
    dense = _dense_view(tensor)
    if dense:
        return dense
    if tensor.on_device:
        raise InputError(f"{what}: expected a dense tensor on the device, got "
                         f"the strides {tensor.strides} for {tensor.shape}")
    kind = np.dtype(_NUMPY[tensor.dtype])
    # The range from the first to the last element in memory, as numpy has it.
    reach = [(extent - 1) * stride
             for extent, stride in zip(tensor.shape, tensor.strides)]
    low = sum(r for r in reach if r < 0) * kind.itemsize
    high = (sum(r for r in reach if r > 0) + 1) * kind.itemsize
    memory = (ctypes.c_char * (high - low)).from_address(tensor.address + low)
    strided = np.ndarray(tensor.shape, kind, memory, -low,
                         [s * kind.itemsize for s in tensor.strides])
    return _view(np.array(strided, order="C"), tensor.dtype)


def _plain_view(value, wanted, what):
    """Numbers and lists get the element type `wanted` if it can represent
    them."""
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise InputError(f"{what}: {error}") from error
    if wanted == "bf16" and array.dtype.kind in "fiub":
        return _view(bfloat16(array).bits, "bf16")
    target = np.dtype(_NUMPY.get(wanted, array.dtype))
    if array.size == 0 or np.can_cast(array.dtype, target, "same_kind") or \
            (array.dtype.kind == "i" and target.kind == "u"):
        changed = array.astype(target)
        if target.kind not in "iu" or (changed == array).all():
            return _view(changed, wanted)
    raise InputError(f"{what}: expected values of {wanted}, got {value!r:.80}")


def view_of(value, wanted, what, device_allowed=False):
    """A view of `value` for an input of element type `wanted`. Arrays keep
    their own type, which the runtime checks."""
    if isinstance(value, BFloat16Array):
        return _view(value.bits, "bf16")
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        name = _NAMES.get(array.dtype)
        if name is None and array.dtype.name == "bfloat16":
            return _view(array.view(np.uint16), "bf16")
        if name is None and not array.dtype.isnative:
            array = array.astype(array.dtype.newbyteorder("="))
            name = _NAMES.get(array.dtype)
        if name is None:
            raise InputError(f"{what}: no element type of Tenon is numpy's "
                             f"{array.dtype}")
        return _view(array, name)
    if hasattr(value, "__dlpack__"):
        try:
            return _foreign_view(
                _dlpack.receive(value, what, device_allowed), what)
        except _dlpack.NotExported as refused:
            # The library may support numpy but not this DLPack call.
            array = _by_numpy(value, what, refused)
            return view_of(array, wanted, what)
    return _plain_view(value, wanted, what)


def writable_view(value, what, device_allowed):
    """A view of memory of the caller that a run may write to."""
    array = value.bits if isinstance(value, BFloat16Array) else value
    if isinstance(array, np.ndarray):
        flags = array.flags
        name = "bf16" if array is not value else _NAMES.get(array.dtype)
        if name and flags.c_contiguous and flags.aligned and flags.writeable:
            return _view(array, name)
    elif hasattr(array, "__dlpack__"):
        try:
            dense = _dense_view(_dlpack.receive(array, what, device_allowed))
        except _dlpack.NotExported as refused:
            raise InputError(f"{what}: {refused}") from refused
        if dense:
            return dense
    raise InputError(f"{what}: expected a dense tensor that may be written to, "
                     f"got {value!r:.80}")


def array_from(data, dtype, shape):
    """A numpy array of the elements in the bytes `data`."""
    array = np.frombuffer(data, _NUMPY[dtype]).reshape(tuple(shape))
    return np.asarray(BFloat16Array(array)) if dtype == "bf16" else array


def empty(dtype, shape):
    """A new array for an output."""
    return np.empty(shape, _NUMPY[dtype])


def finished(array, dtype, shape):
    """The output in `array`, cut to `shape` if the array is larger."""
    if array.shape != shape:
        count = int(np.prod(shape, dtype=np.int64))
        array = array.reshape(-1)[:count].reshape(shape)
    return BFloat16Array(array) if dtype == "bf16" else array
