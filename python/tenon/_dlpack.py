"""Tensors of other libraries through DLPack; their memory is not copied. The
capsule is not consumed and stays alive during the call, so that its producer
frees it."""
import ctypes
from typing import NamedTuple

from ._errors import InputError

_CPU, _CUDA, _PINNED = 1, 2, 3
# CUDA's default stream, as DLPack numbers streams. Work that the producer has
# put into another stream becomes work that the default stream waits for, and a
# run waits for that one.
_DEFAULT_STREAM = 1
_NAMES = {(0, 8): "i8", (0, 16): "i16", (0, 32): "i32", (0, 64): "i64",
          (1, 8): "u8", (1, 16): "u16", (1, 32): "u32", (1, 64): "u64",
          (2, 16): "f16", (2, 32): "f32", (2, 64): "f64", (4, 16): "bf16",
          (6, 8): "bool"}
_BFLOAT = 4


class NotExported(Exception):
    """The producer refused to make a capsule."""


class DLTensor(ctypes.Structure):
    """The first member of DLManagedTensor, the only one that is read here."""
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


_pointer_in = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_in.restype = ctypes.c_void_p
_pointer_in.argtypes = [ctypes.py_object, ctypes.c_char_p]


def _tensor_in(capsule):
    return DLTensor.from_address(_pointer_in(capsule, b"dltensor"))


class Foreign(NamedTuple):
    """A tensor in another library's memory; extents and strides in elements."""
    address: int
    dtype: str
    shape: tuple
    strides: tuple
    owner: object
    on_device: bool


def receive(value, what, device_allowed):
    """The tensor behind `value.__dlpack__`, in memory of the host or, where
    that is allowed, of an NVIDIA GPU; an InputError names `what`."""
    device, _ = value.__dlpack_device__()
    on_device = device == _CUDA and device_allowed
    if device not in (_CPU, _PINNED) and not on_device:
        raise InputError(f"{what}: expected a tensor in the memory of the CPU, "
                         f"got one on device {int(device)} of DLPack")
    try:
        capsule = value.__dlpack__(stream=_DEFAULT_STREAM) if on_device else \
            value.__dlpack__()
    except Exception as error:  # the producer may raise anything
        raise NotExported(str(error)) from error
    tensor = _tensor_in(capsule)
    dtype = _NAMES.get((tensor.code, tensor.bits))
    if dtype is None or tensor.lanes != 1:
        raise InputError(f"{what}: no element type of Tenon has DLPack's code "
                         f"{tensor.code} with {tensor.bits} bits")
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    if tensor.strides:
        strides = tuple(tensor.strides[i] for i in range(tensor.ndim))
    else:
        strides = dense_strides(shape)
    return Foreign((tensor.data or 0) + tensor.byte_offset, dtype, shape,
                   strides, (capsule, value), on_device)


def dense_strides(shape):
    """The strides of a dense row-major tensor, in elements."""
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))


def as_bfloat16(capsule):
    """Turns numpy's capsule of 16-bit integers into one of bf16; its deleter
    remains numpy's."""
    _tensor_in(capsule).code = _BFLOAT
    return capsule
