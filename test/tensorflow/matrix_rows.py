"""Operators on matrices, and losses over rows of matrices."""
import numpy as np

from elementwise_rows import log_softmax, softmax
from op_row import Constant, Row, f32, i32, number, positive


def diag_set(x, d):
    y = x.copy()
    for i in range(d.shape[-1]):
        y[..., i, i] = d[..., i]
    return y


LOGITS = f32(3, 5)
CLASSES = np.eye(5, dtype=np.float32)[[4, 0, 2]]

MATRICES = [
    Row("MatMul", [f32(3, 5), f32(5, 4)], np.matmul),
    Row("MatMul", [f32(5, 3), f32(4, 5)], lambda a, b: a.T @ b.T,
        transpose_a=True, transpose_b=True),
    Row("MatMul", [i32(-5, 5, 3, 5), i32(-5, 5, 5, 4)], np.matmul),
    Row("BatchMatMul", [f32(2, 3, 5), f32(2, 5, 4)], np.matmul),
    Row("BatchMatMulV2", [f32(2, 1, 3, 5), f32(3, 4, 5)],
        lambda a, b: a @ b.swapaxes(-1, -2), adj_y=True, static=True),
    Row("BatchMatMulV3", [f32(2, 5, 3), f32(2, 5, 4)],
        lambda a, b: a.swapaxes(-1, -2) @ b, adj_x=True),
    Row("Einsum", [f32(2, 3, 4), f32(4, 5, 6)],
        lambda a, b: np.einsum("abc,cde->abde", a, b),
        equation="abc,cde->abde"),
    Row("Einsum", [f32(2, 3, 4, 5), f32(2, 6, 4, 5)],
        lambda a, b: np.einsum("aecd,abcd->acbe", b, a),
        equation="abcd,aecd->acbe", static=True),
    Row("Einsum", [f32(2, 3, 3)], lambda a: np.einsum("bii->bi", a),
        equation="bii->bi"),
    Row("Einsum", [f32(2, 3, 4), f32(4, 5)],
        lambda a, b: np.einsum("...i,ij->...j", a, b),
        equation="...i,ij->...j"),
    Row("MatrixBandPart", [f32(2, 4, 5), number(1), number(0)],
        lambda x, a, b: np.triu(np.tril(x), -1)),
    Row("MatrixBandPart", [f32(4, 5), number(-1), number(2)],
        lambda x, a, b: np.tril(x, 2)),
    Row("MatrixDiag", [f32(2, 3)],
        lambda d: diag_set(np.zeros((2, 3, 3), np.float32), d)),
    Row("MatrixDiagV3", [f32(3), number(0), number(-1), number(-1),
                         Constant(7, np.float32)],
        lambda d, *_: diag_set(np.full((3, 3), 7, np.float32), d)),
    Row("MatrixDiagPart", [f32(2, 3, 5)],
        lambda x: np.diagonal(x, axis1=1, axis2=2)),
    Row("MatrixDiagPartV3", [f32(5, 3), number(0), Constant(0, np.float32)],
        lambda x, *_: np.diagonal(x)),
    Row("MatrixSetDiag", [f32(2, 3, 4), f32(2, 3)], diag_set, static=True),
    Row("MatrixSetDiagV3", [f32(4, 3), f32(3), number(0)],
        lambda x, d, k: diag_set(x, d), static=True),
    Row("SoftmaxCrossEntropyWithLogits", [LOGITS, CLASSES],
        [-(CLASSES * log_softmax(LOGITS)).sum(1), softmax(LOGITS) - CLASSES]),
    Row("SparseSoftmaxCrossEntropyWithLogits",
        [LOGITS, np.array([4, 0, 2], np.int32)],
        [-(CLASSES * log_softmax(LOGITS)).sum(1), softmax(LOGITS) - CLASSES]),
    Row("FusedBatchNormV3", [f32(2, 3, 4, 5), *(
        Constant(v) for v in (f32(5), f32(5), f32(5), positive(5)))],
        lambda x, s, b, m, v: (x - m) / np.sqrt(v + np.float32(1e-3)) * s + b,
        1e-4, is_training=False, epsilon=1e-3),
    Row("FusedBatchNorm", [f32(1, 6, 5, 1), *(
        Constant(v) for v in (np.ones(6, np.float32), np.zeros(
            6, np.float32), np.zeros(0, np.float32), np.zeros(0, np.float32)))],
        lambda x, s, b, m, v: (x - x.mean((0, 2, 3), keepdims=True)) / np.sqrt(
            x.var((0, 2, 3), keepdims=True) + np.float32(1e-3)), 1e-4,
        data_format="NCHW", epsilon=1e-3),
]
