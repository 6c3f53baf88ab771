"""Operators on complex numbers, and Fourier transforms."""
import numpy as np

from elementwise_rows import A, B, P
from graph_text import Type
from op_row import Constant, Row, cplx, f32, ints, number, strided

Z, W = cplx(3, 4), cplx(3, 4)
SIGNAL, SPECTRUM = f32(2, 9), cplx(2, 5)


def irfft(z, n):
    return np.fft.irfft(z, n).astype(np.float32)


COMPLEX = [
    Row("Complex", [A, B], A + 1j * B),
    Row("Real", [Z], Z.real.copy()),
    Row("Imag", [Z], Z.imag.copy()),
    Row("Conj", [Z], Z.conj()),
    Row("ComplexAbs", [Z * 1e25], np.abs((Z * 1e25).astype(np.complex128))
        .astype(np.float32), 1e-5),
    Row("Angle", [Z], np.angle(Z)),
    Row("Add", [Z, W], Z + W), Row("AddV2", [Z, W[0]], Z + W[0]),
    Row("Sub", [Z, W], Z - W), Row("Mul", [Z, W], Z * W),
    Row("Mul", [Z, Constant(W[1])], Z * W[1]),
    Row("RealDiv", [Z, W], Z / W), Row("Neg", [Z], -Z),
    Row("Square", [Z], Z * Z), Row("Reciprocal", [Z], 1 / Z),
    Row("Exp", [Z], np.exp(Z)),
    Row("Equal", [Z, np.where(P, Z, W)], P),
    Row("NotEqual", [Z, np.where(P, Z, W)], ~P),
    Row("Cast", [A], A.astype(np.complex64), DstT=Type(np.complex64)),
    Row("Cast", [Z], Z.real.copy(), DstT=Type(np.float32)),
    Row("Shape", [Z], np.array([3, 4], np.int32)),
    Row("Reshape", [Z, ints(2, 6)], Z.reshape(2, 6), static=True),
    Row("Transpose", [Z, ints(1, 0)], Z.T),
    Row("ConcatV2", [Z, W, number(0)], np.concatenate([Z, W])),
    Row("Slice", [Z, ints(1, 1), ints(2, 2)], Z[1:3, 1:3]),
    strided(Z, [0, 1], [3, 2], [1, 1], Z[:, 1], shrink_axis_mask=2),
    Row("Unpack", [Z], [Z[0], Z[1], Z[2]], num=3),
    Row("Sum", [Z, ints(0)], Z.sum(0)),
    Row("SelectV2", [P, Z, W], np.where(P, Z, W)),
    Row("OnesLike", [Z], np.ones_like(Z)),
    Row("FFT", [Z], np.fft.fft(Z).astype(np.complex64)),
    Row("IFFT", [Z], np.fft.ifft(Z).astype(np.complex64)),
    Row("FFT2D", [Z], np.fft.fft2(Z).astype(np.complex64)),
    Row("IFFT2D", [Z], np.fft.ifft2(Z).astype(np.complex64)),
    Row("RFFT", [SIGNAL, ints(9)], np.fft.rfft(SIGNAL).astype(np.complex64)),
    Row("RFFT", [SIGNAL, ints(6)], np.fft.rfft(SIGNAL, 6).astype(
        np.complex64)),
    Row("RFFT", [SIGNAL, ints(12)], np.fft.rfft(SIGNAL, 12).astype(
        np.complex64)),
    Row("RFFT2D", [f32(3, 4), ints(3, 4)],
        lambda x, n: np.fft.rfft2(x).astype(np.complex64)),
    Row("IRFFT", [SPECTRUM, ints(8)], irfft(SPECTRUM, 8)),
    Row("IRFFT", [SPECTRUM, ints(9)], irfft(SPECTRUM, 9)),
    Row("IRFFT", [SPECTRUM, ints(5)], irfft(SPECTRUM, 5)),
    Row("IRFFT", [SPECTRUM, ints(14)], irfft(SPECTRUM, 14)),
    Row("IRFFT2D", [cplx(4, 3), ints(4, 4)],
        lambda z, n: np.fft.irfft2(z, (4, 4)).astype(np.float32)),
]
