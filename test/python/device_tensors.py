"""Runs a model on tensors in device memory, which it passes as DLPack
capsules: device_tensors.py MODEL. The driver is the stand-in; test_device.py
starts this in a process that finds it."""
import ctypes
import sys

import numpy as np
import tenon
from tenon import _dlpack

driver = ctypes.CDLL("libcuda.so.1")
driver.cuMemcpyHtoDAsync_v2.argtypes = [ctypes.c_uint64, ctypes.c_void_p,
                                        ctypes.c_size_t, ctypes.c_void_p]
driver.cuMemcpyDtoHAsync_v2.argtypes = [ctypes.c_void_p, ctypes.c_uint64,
                                        ctypes.c_size_t, ctypes.c_void_p]
driver.cuMemFree_v2.argtypes = [ctypes.c_uint64]
new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def check(result):
    assert result == 0, result


def copies():
    """How many copies between host and device there were."""
    return sum(driver.tenonStandInCalls(name.encode())
               for name in ("cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2"))


class DeviceTensor:
    """A tensor of f32 in memory of the device."""

    def __init__(self, array, strides=None):
        self.array = np.ascontiguousarray(array, np.float32)
        self.streams, self.strides = [], strides
        self.address = ctypes.c_uint64()
        check(driver.cuMemAlloc_v2(ctypes.byref(self.address),
                                   max(1, self.array.nbytes)))
        check(driver.cuMemcpyHtoDAsync_v2(
            self.address, self.array.ctypes.data, self.array.nbytes, None))
        check(driver.cuStreamSynchronize(None))

    def get(self):
        """The elements, read back."""
        check(driver.cuMemcpyDtoHAsync_v2(self.array.ctypes.data, self.address,
                                          self.array.nbytes, None))
        check(driver.cuStreamSynchronize(None))
        return self.array

    def free(self):
        check(driver.cuMemFree_v2(self.address))

    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        shape = self.array.shape
        self.extents = (ctypes.c_int64 * len(shape))(*shape)
        steps = self.strides and (ctypes.c_int64 * len(shape))(*self.strides)
        self.tensor = _dlpack.DLTensor(
            data=self.address.value, device_type=2, device_id=0,
            ndim=len(shape), code=2, bits=32, lanes=1, shape=self.extents,
            strides=steps, byte_offset=0)
        return new_capsule(ctypes.addressof(self.tensor), b"dltensor", None)


def refused(words, call, *arguments):
    try:
        call(*arguments)
    except tenon.InputError as error:
        assert words in str(error), error
        return
    raise AssertionError(f"not refused: {words}")


def main(path):
    f = tenon.compile(path, device="cuda", options=["--device=cpu,nvptx"])
    context = ctypes.c_void_p()
    check(driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
    check(driver.cuCtxPushCurrent_v2(context))
    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    x, y, z = DeviceTensor(values), DeviceTensor(values + 1), \
        DeviceTensor(np.zeros((2, 3)))

    # Inputs lie on the device, the result on the host.
    np.testing.assert_array_equal(f(x, y), 2 * values + 1)
    # All lie on the device: a run copies its record of faults alone.
    before = copies()
    assert f.into([z], x, y) == ((2, 3),)
    assert copies() == before + 1, copies() - before
    np.testing.assert_array_equal(z.get(), 2 * values + 1)
    # The producer makes the default stream wait for its own.
    assert set(x.streams) == {1}, x.streams
    # Both places in one run.
    here = np.zeros((2, 3), np.float32)
    assert f.into((here,), values, x) == ((2, 3),)
    np.testing.assert_array_equal(here, 2 * values)
    # The stride of one row has no meaning.
    row = DeviceTensor(values[:1], strides=(77, 1))
    np.testing.assert_array_equal(f(row, row), 2 * values[:1])

    refused('input "x": expected a dense tensor on the device', f,
            DeviceTensor(values, strides=(1, 2)), y)
    refused('output "z": expected a dense tensor', f.into,
            [DeviceTensor(values, strides=(1, 2))], x, y)
    refused("expected the shape (2, 3), got (1, 3)", f.into, [row], x, y)
    refused("expected f32, got f64", f.into, [np.zeros((2, 3))], x, y)
    refused("expected 1 outputs, got 2", f.into, [z, z], x, y)
    refused("overlap", f.into, [x], x, y)
    x.free()
    refused('input "x"', f, x, y)
    refused("a dense tensor that may be written to", f.into, [7], y, y)
    with tenon.load(f.path) as cpu:
        refused("expected a tensor in the memory of the CPU", cpu, y, y)
    print(f.version, f.device)


main(sys.argv[1])
