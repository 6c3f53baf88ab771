"""A row: an operator, its operands and its expected result."""
import numpy as np

RANDOM = np.random.RandomState(7)


class Constant:
    def __init__(self, array, dtype=None):
        self.array = np.asarray(array, dtype)


class Row:
    """`expected` is an array, several arrays, or a function of the operands.
    `static`: all extents must be static; `keeps_last`: the last extents of
    inputs must be."""

    def __init__(self, op, inputs, expected, tolerance=1e-5, static=False,
                 keeps_last=False, **attributes):
        self.op, self.tolerance, self.static = op, tolerance, static
        self.keeps_last = keeps_last
        self.inputs = [i if isinstance(i, Constant) else np.asarray(i)
                       for i in inputs]
        if callable(expected):
            with np.errstate(all="ignore"):
                expected = expected(*[
                    i.array if isinstance(i, Constant) else i
                    for i in self.inputs])
        self.expected = expected if isinstance(expected, list) else [expected]
        self.attributes = attributes


def f32(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def positive(*shape):
    return (np.abs(f32(*shape)) + 0.1).astype(np.float32)


def i32(low, high, *shape):
    return RANDOM.randint(low, high, shape).astype(np.int32)


def cplx(*shape):
    return (f32(*shape) + 1j * f32(*shape)).astype(np.complex64)


def ints(*values):
    return Constant(values, np.int32)


def number(value):
    return Constant(value, np.int32)


def strided(x, begin, end, strides, expected, **masks):
    return Row("StridedSlice", [x, ints(*begin), ints(*end), ints(*strides)],
               expected, **masks)
