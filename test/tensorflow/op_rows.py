"""What TensorFlow's operators compute: rows of operands and answers.

Answers are numpy's, by formulas of the operators' documentation. Constant
operands stand in the graph, others are fed.
"""
import math

import numpy as np

from graph_text import Type
from numpy_ops import (avg_pool, conv, crop_and_resize, depth_to_space,
                       depthwise, max_pool, resize, space_to_depth,
                       transposed_conv, windows)

RANDOM = np.random.RandomState(7)


class Constant:
    def __init__(self, array, dtype=None):
        self.array = np.asarray(array, dtype)


class Row:
    """`expected`: an array, several, or a function of the operands. Extents
    that must be known: all (static), the last ones of inputs (keeps_last)."""

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


EDGES = np.array([[0.0, -0.0, 1, -1, 0.5], [-0.5, 2.5, -2.5, np.inf, -np.inf],
                  [np.nan, 1e-30, 1e30, 3.5, -3.5]], np.float32)


def erf(x):
    return np.vectorize(math.erf)(x).astype(x.dtype)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def log_softmax(x):
    y = x - x.max(-1, keepdims=True)
    return y - np.log(np.exp(y).sum(-1, keepdims=True))


UNARY = [
    Row(op, [x], function) for op, function, x in [
        ("Abs", np.abs, EDGES),
        ("Neg", np.negative, EDGES),
        ("Sign", np.sign, EDGES),
        ("Exp", np.exp, f32(3, 5)),
        ("Expm1", np.expm1, f32(3, 5)),
        ("Log", np.log, positive(3, 5)),
        ("Log1p", np.log1p, positive(3, 5)),
        ("Sqrt", np.sqrt, positive(3, 5)),
        ("Rsqrt", lambda x: 1 / np.sqrt(x), positive(3, 5)),
        ("Floor", np.floor, EDGES),
        ("Ceil", np.ceil, EDGES),
        ("Rint", np.rint, EDGES),
        ("Round", np.rint, EDGES),
        ("Sin", np.sin, f32(3, 5)),
        ("Cos", np.cos, f32(3, 5)),
        ("Tan", np.tan, f32(3, 5) * np.float32(0.5)),
        ("Asin", np.arcsin, np.tanh(f32(3, 5))),
        ("Acos", np.arccos, np.tanh(f32(3, 5))),
        ("Atan", np.arctan, EDGES),
        ("Sinh", np.sinh, f32(3, 5)),
        ("Cosh", np.cosh, f32(3, 5)),
        ("Asinh", np.arcsinh, f32(3, 5)),
        ("Acosh", np.arccosh, 1 + positive(3, 5)),
        ("Atanh", np.arctanh, np.tanh(f32(3, 5)) * np.float32(0.9)),
        ("Tanh", np.tanh, EDGES),
        ("Sigmoid", lambda x: 1 / (1 + np.exp(-x)), EDGES),
        ("Erf", erf, f32(3, 5)),
        ("Square", np.square, EDGES),
        ("Reciprocal", np.reciprocal, EDGES),
        ("Inv", np.reciprocal, positive(3, 5)),
        ("Relu", lambda x: np.maximum(x, 0), EDGES),
        ("Relu6", lambda x: np.clip(x, 0, 6), EDGES),
        ("Elu", lambda x: np.where(x < 0, np.expm1(x), x), EDGES),
        ("Selu", lambda x: np.float32(1.0507009873554805) * np.where(
            x < 0, np.float32(1.6732632423543772) * np.expm1(x), x), f32(3, 5)),
        ("Softplus", lambda x: np.log1p(np.exp(x)), f32(3, 5)),
        ("Softsign", lambda x: x / (1 + np.abs(x)), f32(3, 5)),
        ("LeakyRelu", lambda x: np.where(x < 0, x * np.float32(0.2), x),
         EDGES),
        ("IsNan", np.isnan, EDGES),
        ("IsInf", np.isinf, EDGES),
        ("IsFinite", np.isfinite, EDGES),
        ("ZerosLike", np.zeros_like, EDGES),
        ("OnesLike", np.ones_like, EDGES),
        ("Identity", lambda x: x, EDGES),
        ("Softmax", softmax, f32(3, 5)),
        ("LogSoftmax", log_softmax, f32(2, 3, 5)),
        ("L2Loss", lambda x: np.float32((x * x).sum() / 2), f32(3, 5)),
        ("Abs", np.abs, i32(-9, 9, 4, 3)),
        ("Neg", np.negative, i32(-9, 9, 7)),
        ("Sign", np.sign, i32(-9, 9, 7)),
        ("Relu", lambda x: np.maximum(x, 0), i32(-9, 9, 7)),
        ("Square", np.square, i32(-9, 9, 7)),
        ("Invert", np.invert, i32(-9, 9, 7)),
        ("LogicalNot", np.logical_not, i32(0, 2, 7) > 0),
    ]
] + [
    Row("LeakyRelu", [f32(4, 3)], lambda x: np.where(x < 0, x * .5, x).astype(
        np.float32), alpha=0.5),
    Row("Cast", [f32(4, 3) * 5], lambda x: x.astype(np.int32),
        DstT=Type(np.int32)),
    Row("Cast", [i32(-3, 3, 7)], lambda x: x != 0, DstT=Type(np.bool_)),
    Row("Cast", [i32(0, 2, 7) > 0], lambda x: x.astype(np.float32),
        DstT=Type(np.float32)),
    Row("Cast", [i32(0, 99, 7)], lambda x: x.astype(np.uint8),
        DstT=Type(np.uint8)),
    Row("ClipByValue", [f32(4, 3), Constant(-0.5, np.float32),
                        Constant(0.25, np.float32)],
        lambda x, a, b: np.clip(x, a, b)),
    Row("FakeQuantWithMinMaxArgs", [np.array([-7, -1, 0, .01, 3, 9],
                                             np.float32)],
        np.array([-6.023529, -0.9882353, 0, 0, 3.0117648, 5.976471],
                 np.float32), 1e-4),
]

A, B = f32(3, 4), f32(3, 4)
POSITIVE = positive(3, 4)
I, J = i32(-20, 20, 3, 5), i32(1, 7, 3, 5) * np.where(
    i32(0, 2, 3, 5) > 0, 1, -1).astype(np.int32)
ZEROS = np.where(i32(0, 2, 3, 4) > 0, B, 0).astype(np.float32)
P, Q = i32(0, 2, 3, 4) > 0, i32(0, 2, 3, 4) > 0


def trunc_div(a, b):
    return np.trunc(a / b).astype(a.dtype)


BINARY = [
    Row(op, [a, b], function) for op, function, a, b in [
        ("Add", np.add, A, B), ("AddV2", np.add, A, f32(4)),
        ("Sub", np.subtract, A, f32(3, 1)), ("Mul", np.multiply, A, f32(4)),
        ("RealDiv", np.divide, A, POSITIVE), ("Div", trunc_div, I, J),
        ("TruncateDiv", trunc_div, I, J), ("FloorDiv", np.floor_divide, I, J),
        ("FloorMod", np.mod, I, J), ("Mod", np.fmod, I, J),
        ("TruncateMod", np.fmod, I, J),
        ("FloorMod", lambda a, b: np.mod(a, b), A, POSITIVE),
        ("FloorDiv", lambda a, b: np.floor(a / b), A, POSITIVE),
        ("Maximum", np.maximum, A, B), ("Minimum", np.minimum, I, J),
        ("Maximum", np.maximum, EDGES, EDGES[::-1].copy()),
        ("Pow", np.power, POSITIVE, B), ("Atan2", np.arctan2, A, B),
        ("SquaredDifference", lambda a, b: (a - b) ** 2, A, B),
        ("DivNoNan", lambda a, b: np.where(b == 0, 0, a / b).astype(a.dtype),
         A, ZEROS),
        ("MulNoNan", lambda a, b: np.where(b == 0, 0, a * b).astype(a.dtype),
         np.where(ZEROS == 0, np.inf, A).astype(np.float32), ZEROS),
        ("Xlogy", lambda a, b: np.where(a == 0, 0, a * np.log(b)).astype(
            a.dtype), ZEROS, POSITIVE),
        ("Xdivy", lambda a, b: np.where(a == 0, 0, a / b).astype(a.dtype),
         ZEROS, POSITIVE),
        ("LogicalAnd", np.logical_and, P, Q), ("LogicalOr", np.logical_or, P, Q),
        ("BitwiseAnd", np.bitwise_and, I, J), ("BitwiseOr", np.bitwise_or, I, J),
        ("BitwiseXor", np.bitwise_xor, I, J),
        ("LeftShift", np.left_shift, I, np.abs(J)),
        ("RightShift", np.right_shift, I, np.abs(J)),
        ("RightShift", np.right_shift, np.abs(I).astype(np.uint8),
         np.abs(J).astype(np.uint8)),
        ("Less", np.less, A, B), ("LessEqual", np.less_equal, I, J),
        ("Greater", np.greater, A, f32(4)),
        ("GreaterEqual", np.greater_equal, I, J),
        ("Equal", np.equal, EDGES, EDGES), ("NotEqual", np.not_equal, I, J),
        ("Equal", np.equal, P, Q),
        ("BiasAdd", np.add, f32(2, 3, 4), f32(4)),
    ]
] + [
    Row("AddN", [A, B, A], lambda a, b, c: a + b + c),
    Row("BiasAdd", [f32(2, 4, 3, 2), f32(4)],
        lambda x, b: x + b[:, None, None], data_format="NCHW"),
    Row("SelectV2", [P, A, f32(4)], np.where),
    Row("Select", [np.array([True, False, True]), A, B],
        lambda c, a, b: np.where(c[:, None], a, b)),
    Row("FakeQuantWithMinMaxVars", [
        np.array([-7, -1, 0, .01, 3, 9], np.float32),
        Constant(-6, np.float32), Constant(6, np.float32)],
        np.array([-6.023529, -0.9882353, 0, 0, 3.0117648, 5.976471],
                 np.float32), 1e-4),
    Row("FakeQuantWithMinMaxVarsPerChannel", [
        np.array([[-7, -7], [3, 3]], np.float32),
        Constant([-6, -1], np.float32), Constant([6, 3], np.float32)],
        np.array([[-6.023529, -1.0039216], [3.0117648, 2.9960785]],
                 np.float32), 1e-4),
]

X = f32(2, 3, 4)


def strided(x, begin, end, strides, expected, **masks):
    return Row("StridedSlice", [x, ints(*begin), ints(*end), ints(*strides)],
               expected, **masks)


MOVEMENT = [
    Row("Reshape", [X, ints(4, -1)], X.reshape(4, -1), static=True),
    Row("Reshape", [X, ints(2, 12)], X.reshape(2, 12)),
    Row("Squeeze", [f32(1, 3, 1)], lambda x: x.reshape(3), static=True),
    Row("Squeeze", [f32(2, 1, 3)], lambda x: x.reshape(2, 3),
        squeeze_dims=[1]),
    Row("ExpandDims", [X, number(-2)], X[:, :, None]),
    Row("Transpose", [X, ints(2, 0, 1)], X.transpose(2, 0, 1)),
    Row("ConcatV2", [X, X, number(1)], np.concatenate([X, X], 1)),
    Row("Concat", [number(-1), X, X], np.concatenate([X, X], 2)),
    Row("Pack", [X, X], np.stack([X, X], 1), axis=1),
    Row("Unpack", [X], [X[:, 0], X[:, 1], X[:, 2]], axis=1, num=3),
    Row("Split", [number(2), X], [X[..., :2], X[..., 2:]], num_split=2),
    Row("SplitV", [X, ints(1, -1), number(1)], [X[:, :1], X[:, 1:]],
        num_split=2),
    Row("Tile", [X, ints(2, 1, 3)], np.tile(X, (2, 1, 3))),
    Row("Fill", [ints(2, 3), Constant(7, np.float32)],
        np.full((2, 3), 7, np.float32)),
    Row("BroadcastTo", [f32(3, 1), ints(2, 3, 4)],
        lambda x, s: np.broadcast_to(x, s).copy(), static=True),
    Row("BroadcastArgs", [ints(3, 1), ints(2, 1, 4)],
        np.array([2, 3, 4], np.int32)),
    Row("Range", [number(3), number(18), number(4)],
        np.arange(3, 18, 4, np.int32)),
    Row("Range", [Constant(1, np.float32), Constant(0, np.float32),
                  Constant(-0.3, np.float32)],
        np.arange(1, 0, -0.3).astype(np.float32)),
    Row("LinSpace", [Constant(2, np.float32), Constant(-1, np.float32),
                     number(7)], np.linspace(2, -1, 7).astype(np.float32)),
    Row("LinSpace", [Constant(2, np.float32), Constant(5, np.float32),
                     number(1)], np.array([2], np.float32)),
    Row("Shape", [X], np.array([2, 3, 4], np.int32)),
    Row("ShapeN", [X, A], [np.array([2, 3, 4], np.int32),
                           np.array([3, 4], np.int32)]),
    Row("Size", [X], np.int32(24)),
    Row("Rank", [X], np.int32(3)),
    Row("OneHot", [np.array([[0, 2], [3, -1]], np.int32), number(3),
                   Constant(5, np.float32), Constant(-1, np.float32)],
        np.where(np.array([[0, 2], [3, -1]])[..., None] == np.arange(3), 5,
                 -1).astype(np.float32)),
    Row("OneHot", [np.array([1, 0], np.int32), number(3),
                   Constant(True), Constant(False)],
        np.array([[False, True], [True, False], [False, False]]), axis=0),
    Row("Pad", [X, Constant([[0, 0], [1, 2], [0, 3]], np.int32)],
        np.pad(X, ((0, 0), (1, 2), (0, 3)))),
    Row("PadV2", [X, Constant([[1, 0], [0, 0], [0, 3]], np.int32),
                  Constant(9, np.float32)],
        np.pad(X, ((1, 0), (0, 0), (0, 3)), constant_values=9)),
    Row("MirrorPad", [X, Constant([[0, 0], [2, 1], [3, 2]], np.int32)],
        np.pad(X, ((0, 0), (2, 1), (3, 2)), "reflect"), mode="REFLECT"),
    Row("MirrorPad", [X, Constant([[0, 0], [3, 1], [4, 2]], np.int32)],
        np.pad(X, ((0, 0), (3, 1), (4, 2)), "symmetric"), mode="SYMMETRIC"),
    Row("DepthToSpace", [f32(2, 3, 2, 8)], lambda x: depth_to_space(x, 2),
        block_size=2),
    Row("SpaceToDepth", [f32(2, 4, 6, 3)], lambda x: space_to_depth(x, 2),
        block_size=2),
    Row("DepthToSpace", [f32(2, 8, 3, 2)],
        lambda x: depth_to_space(x.transpose(0, 2, 3, 1), 2).transpose(
            0, 3, 1, 2), block_size=2, data_format="NCHW"),
    Row("SpaceToBatchND", [np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1),
                           ints(2, 2), Constant([[0, 0], [0, 0]], np.int32)],
        lambda x, b, p: x.reshape(2, 2, 2, 2).transpose(1, 3, 0, 2).reshape(
            4, 2, 2, 1)),
    Row("BatchToSpaceND", [np.arange(16, dtype=np.float32).reshape(4, 2, 2, 1),
                           ints(2, 2), Constant([[0, 1], [1, 0]], np.int32)],
        lambda x, b, p: x.reshape(2, 2, 2, 2).transpose(2, 0, 3, 1).reshape(
            1, 4, 4, 1)[:, :3, 1:]),
    Row("ReverseV2", [X, ints(0, -1)], X[::-1, :, ::-1]),
    Row("Reverse", [X, Constant([False, True, False])], X[:, ::-1]),
    Row("Roll", [X, ints(1, -5), ints(0, 2)], np.roll(X, (1, -5), (0, 2))),
    Row("Roll", [X, number(7), number(1)], np.roll(X, 7, 1)),
    Row("ReverseSequence", [X, np.array([1, 3], np.int32)],
        lambda x, n: np.stack([np.concatenate([r[:k][::-1], r[k:]])
                               for r, k in zip(x, n)]), seq_dim=1),
    Row("ReverseSequence", [X, np.array([4, 0, 2], np.int32)],
        lambda x, n: np.stack([np.concatenate(
            [x[:, i, :k][:, ::-1], x[:, i, k:]], 1) for i, k in enumerate(n)],
            1), seq_dim=2, batch_dim=1),
    Row("Slice", [X, ints(1, 0, 1), ints(1, -1, 2)], X[1:2, :, 1:3]),
    strided(X, [0, 1], [2, 3], [1, 1], X[:, 1:3]),
    strided(X, [-1, 0], [0, 9], [-1, 2], X[-1:0:-1, 0:9:2]),
    strided(X, [0, 2, 9], [0, 0, 1], [1, -1, -2], X[:, 2::-1, 9:1:-2],
            begin_mask=1, end_mask=3),
    strided(X, [1, 0], [0, 2], [1, 1], X[1, 0:2], shrink_axis_mask=1),
    strided(X, [0, -2], [0, 0], [1, 1], X[..., -2], ellipsis_mask=1,
            shrink_axis_mask=2),
    strided(X, [0, 0, 1], [0, 0, 3], [1, 1, 1], X[:, None, 1:3],
            new_axis_mask=2, begin_mask=1, end_mask=1),
    strided(X, [0, 0, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1],
            X[None, ..., None, 2:][..., 0:0], new_axis_mask=5,
            ellipsis_mask=2),
]

INDEXING = [
    Row("Gather", [A, np.array([2, 0, 1, 2], np.int32)], A[[2, 0, 1, 2]]),
    Row("GatherV2", [X, np.array([[3, 0], [1, 1]], np.int64), number(-1)],
        X[..., np.array([[3, 0], [1, 1]])]),
    Row("GatherV2", [X, np.array([[2, 0], [1, 1]], np.int32), number(1)],
        np.stack([X[0][[2, 0]], X[1][[1, 1]]]), batch_dims=1),
    Row("GatherV2", [X, np.array([[3], [1]], np.int32), number(2)],
        np.stack([X[0][:, [3]], X[1][:, [1]]]), batch_dims=1),
    Row("GatherV2", [A, np.array([3, 0, 2], np.int32), number(1)],
        A[:, [3, 0, 2]], batch_dims=-1),
    Row("GatherNd", [X, np.array([[0, 2], [1, 1]], np.int32)],
        X[[0, 1], [2, 1]], keeps_last=True),
    Row("GatherNd", [X, np.array([[[0, 2, 3]], [[1, 1, 0]]], np.int32)],
        X[[[0], [1]], [[2], [1]], [[3], [0]]], keeps_last=True),
    Row("ScatterNd", [np.array([[4], [1], [4]], np.int32),
                      np.array([1, 2, 3], np.float32), ints(6)],
        np.array([0, 2, 0, 0, 4, 0], np.float32), keeps_last=True),
    Row("ScatterNd", [np.array([[1], [0]], np.int32), f32(2, 3),
                      ints(4, 3)],
        lambda i, u, s: np.stack([u[1], u[0], 0 * u[0], 0 * u[0]]),
        keeps_last=True),
    Row("TensorScatterUpdate", [A, np.array([[0, 3], [2, 1]], np.int32),
                                np.array([7, 8], np.float32)],
        lambda a, i, u: np.array([[*a[0, :3], 7], a[1], [a[2, 0], 8,
                                                         *a[2, 2:]]],
                                 np.float32), keeps_last=True),
    Row("TensorScatterAdd", [A, np.array([[1], [1]], np.int32), f32(2, 4)],
        lambda a, i, u: np.stack([a[0], a[1] + u[0] + u[1], a[2]]),
        keeps_last=True),
    Row("TensorScatterSub", [A, np.array([[1]], np.int32), f32(1, 4)],
        lambda a, i, u: np.stack([a[0], a[1] - u[0], a[2]]),
        keeps_last=True),
    Row("TensorScatterMax", [A, np.array([[1]], np.int32), f32(1, 4)],
        lambda a, i, u: np.stack([a[0], np.maximum(a[1], u[0]), a[2]]),
        keeps_last=True),
    Row("TensorScatterMin", [A, np.array([[1]], np.int32), f32(1, 4)],
        lambda a, i, u: np.stack([a[0], np.minimum(a[1], u[0]), a[2]]),
        keeps_last=True),
    Row("SparseToDense", [np.array([[0, 1], [1, 2]], np.int32), ints(2, 3),
                          np.array([5, 6], np.float32),
                          Constant(-1, np.float32)],
        np.array([[-1, 5, -1], [-1, -1, 6]], np.float32), static=True),
    Row("SparseToDense", [np.array([0, 2], np.int32), ints(4),
                          Constant(5, np.float32), Constant(0, np.float32)],
        np.array([5, 0, 5, 0], np.float32)),
    Row("UnsortedSegmentSum", [A, np.array([1, -1, 1], np.int32), number(3)],
        np.stack([0 * A[0], A[0] + A[2], 0 * A[0]])),
    Row("UnsortedSegmentProd", [A, np.array([1, 0, 1], np.int32), number(2)],
        np.stack([A[1], A[0] * A[2]])),
    Row("UnsortedSegmentMax", [A, np.array([1, 0, 1], np.int32), number(2)],
        np.stack([A[1], np.maximum(A[0], A[2])])),
    Row("UnsortedSegmentMin", [A, np.array([1, 0, 1], np.int32), number(2)],
        np.stack([A[1], np.minimum(A[0], A[2])])),
    Row("Bincount", [np.array([1, 3, 1, 9], np.int32), number(4),
                     Constant([], np.int32)], np.array([0, 2, 0, 1], np.int32)),
    Row("Bincount", [np.array([1, 3, 1], np.int32), number(4),
                     Constant([.5, 1, 2], np.float32)],
        np.array([0, 2.5, 0, 1], np.float32)),
    Row("Where", [P], np.argwhere(P)),
    Row("Where", [ZEROS], np.argwhere(ZEROS)),
    Row("Unique", [np.array([4, 1, 4, 7, 1], np.int32)],
        [np.array([4, 1, 7], np.int32), np.array([0, 1, 0, 2, 1], np.int32)]),
    Row("UniqueWithCounts", [np.array([4, 1, 4, 7, 1], np.int32)],
        [np.array([4, 1, 7], np.int32), np.array([0, 1, 0, 2, 1], np.int32),
         np.array([2, 2, 1], np.int32)]),
    Row("UniqueV2", [np.array([[1, 2], [3, 4], [1, 2]], np.int32),
                     Constant([0], np.int64)],
        [np.array([[1, 2], [3, 4]], np.int32), np.array([0, 1, 0], np.int32)],
        static=True),
    Row("ListDiff", [np.array([1, 2, 3, 2, 5], np.int32),
                     np.array([2, 9], np.int32)],
        [np.array([1, 3, 5], np.int32), np.array([0, 2, 4], np.int32)]),
    Row("InTopK", [np.array([[.1, .5, .3], [.9, .2, .2], [.1, .2, np.nan]],
                            np.float32), np.array([2, 2, 0], np.int32)],
        np.array([True, True, True]), k=2),
    Row("InTopKV2", [np.array([[.1, .5, .3], [.9, .2, .3]], np.float32),
                     np.array([0, 7], np.int32), number(2)],
        np.array([False, False])),
    Row("Bucketize", [np.array([[-5, 100], [0, 10], [3, 9.99]], np.float32)],
        np.array([[0, 3], [1, 2], [1, 1]], np.int32),
        boundaries=[0.0, 10.0, 100.0]),
    Row("LowerBound", [np.array([[0, 3, 3, 9]], np.float32),
                       np.array([[3, 4, -1]], np.float32)],
        np.array([[1, 3, 0]], np.int32)),
    Row("UpperBound", [np.array([[0, 3, 3, 9]], np.float32),
                       np.array([[3, 4, 9]], np.float32)],
        np.array([[3, 3, 4]], np.int32)),
    Row("InvertPermutation", [np.array([2, 0, 3, 1], np.int32)],
        np.array([1, 3, 0, 2], np.int32)),
    Row("TopKV2", [np.array([[1, 5, 5, 2], [8, 8, 0, 9]], np.float32),
                   number(3)],
        [np.array([[5, 5, 2], [9, 8, 8]], np.float32),
         np.array([[1, 2, 3], [3, 0, 1]], np.int32)]),
    Row("TopKV2", [A, np.int32(2)],
        lambda x, k: [np.sort(x)[:, ::-1][:, :2],
                      np.argsort(-x)[:, :2].astype(np.int32)]),
    Row("DenseBincount", [np.array([[1, 3, 1], [0, 9, 0]], np.int32), number(4),
                          Constant([], np.float32)],
        np.array([[0, 2, 0, 1], [2, 0, 0, 0]], np.float32)),
    Row("DenseBincount", [np.array([[1, 3, 1], [0, 9, 0]], np.int32), number(4),
                          Constant([], np.float32)],
        np.array([[0, 1, 0, 1], [1, 0, 0, 0]], np.float32),
        binary_output=True),
    Row("NonMaxSuppressionV3", [
        np.array([[0, 0, 1, 1], [0, .1, 1, 1.1], [0, 5, 1, 6], [0, -.1, 1, .9]],
                 np.float32), np.array([.9, .75, .6, .95], np.float32),
        number(3), Constant(.5, np.float32), Constant(.1, np.float32)],
        np.array([3, 2], np.int32), static=True),
    Row("NonMaxSuppressionV4", [
        np.array([[0, 0, 1, 1], [0, .1, 1, 1.1], [0, 5, 1, 6], [0, -.1, 1, .9]],
                 np.float32), np.array([.9, .75, .6, .95], np.float32),
        number(5), Constant(.5, np.float32), Constant(.1, np.float32)],
        [np.array([3, 2, 0, 0, 0], np.int32), np.int32(2)], static=True,
        pad_to_max_output_size=True),
]


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

REDUCTIONS = [
    Row(op, [x, axes], function, keep_dims=keep)
    for op, function, x, axes, keep in [
        ("Sum", lambda x, a: x.sum(1), X, ints(1), False),
        ("Sum", lambda x, a: x.sum((0, 2), keepdims=True), X, ints(0, -1),
         True),
        ("Sum", lambda x, a: x.sum((0, 1, 2)), X, ints(0, 1, 2), False),
        ("Sum", lambda x, a: x, X, Constant([], np.int32), False),
        ("Prod", lambda x, a: x.prod(1, dtype=np.int32), I, ints(1), False),
        ("Max", lambda x, a: x.max(2), X, ints(-1), False),
        ("Min", lambda x, a: x.min(0), X, number(0), False),
        ("Mean", lambda x, a: x.mean(1, keepdims=True), X, ints(1), True),
        ("Any", lambda x, a: x.any(1), P, ints(1), False),
        ("All", lambda x, a: x.all(0), P, ints(0), False),
        ("EuclideanNorm", lambda x, a: np.sqrt((x * x).sum(1)), X, ints(1),
         False),
    ]
] + [
    Row("ArgMax", [X, number(1)], X.argmax(1).astype(np.int64)),
    Row("ArgMin", [X, number(-1)], X.argmin(-1).astype(np.int32),
        output_type=Type(np.int32)),
    Row("Cumsum", [X, number(1)], X.cumsum(1)),
    Row("Cumsum", [X, number(2)],
        X[..., ::-1].cumsum(2)[..., ::-1] - X, exclusive=True, reverse=True,
        tolerance=1e-4),
    Row("Cumprod", [X, number(-1)], X.cumprod(2)),
]

IMAGE = f32(2, 7, 6, 3)
VOLUME = f32(1, 5, 4, 6, 2)


def window_row(op, x, function, **attributes):
    return Row(op, [x], function, **attributes)


IMAGES = [
    Row("Conv2D", [IMAGE, Constant(k)], lambda x, w: conv(x, w, s, d, p),
        1e-4, strides=[1, *s, 1], dilations=[1, *d, 1], padding=p,
        keeps_last=True)
    for k, s, d, p in [
        (f32(3, 3, 3, 4), (1, 1), (1, 1), "VALID"),
        (f32(3, 2, 3, 5), (2, 2), (1, 1), "SAME"),
        (f32(2, 3, 3, 2), (1, 1), (2, 2), "SAME"),
        (f32(1, 1, 3, 8), (3, 2), (1, 1), "VALID")]
] + [
    Row("Conv2D", [f32(2, 5, 6, 4), Constant(f32(3, 3, 2, 6))],
        lambda x, w: np.concatenate([
            conv(x[..., :2], w[..., :3]), conv(x[..., 2:], w[..., 3:])], -1),
        1e-4, strides=[1, 1, 1, 1], padding="VALID", static=True),
    Row("Conv2D", [f32(2, 3, 5, 6), Constant(f32(3, 3, 3, 2))],
        lambda x, w: conv(x.transpose(0, 2, 3, 1), w).transpose(0, 3, 1, 2),
        1e-4, strides=[1, 1, 1, 1], padding="VALID", data_format="NCHW",
        static=True),
    Row("Conv2D", [IMAGE, Constant(f32(3, 3, 3, 2))],
        lambda x, w: conv(np.pad(x, ((0, 0), (1, 2), (0, 3), (0, 0))), w),
        1e-4, strides=[1, 1, 1, 1], padding="EXPLICIT",
        explicit_paddings=[0, 0, 1, 2, 0, 3, 0, 0], static=True),
    Row("Conv3D", [VOLUME, Constant(f32(2, 3, 3, 2, 3))],
        lambda x, w: conv(x, w, (1, 2, 1), (1, 1, 1), "SAME"), 1e-4,
        strides=[1, 1, 2, 1, 1], padding="SAME", static=True),
    Row("DepthwiseConv2dNative", [IMAGE, Constant(f32(3, 3, 3, 2))],
        lambda x, w: depthwise(x, w, (2, 2), "SAME"), 1e-4,
        strides=[1, 2, 2, 1], padding="SAME", static=True),
    Row("Conv2DBackpropInput", [ints(2, 8, 7, 3), Constant(f32(3, 3, 3, 5)),
                                f32(2, 4, 4, 5)],
        lambda n, w, y: transposed_conv(n, w, y, (2, 2), "SAME"), 1e-4,
        strides=[1, 2, 2, 1], padding="SAME", static=True),
    Row("Conv3DBackpropInputV2", [
        ints(1, 5, 4, 6, 2), Constant(f32(2, 2, 3, 2, 3)), f32(1, 4, 3, 4, 3)],
        lambda n, w, y: transposed_conv(n, w, y, (1, 1, 1), "VALID"), 1e-4,
        strides=[1, 1, 1, 1, 1], padding="VALID", static=True),
    window_row("MaxPool", IMAGE, lambda x: max_pool(x, (3, 2), (2, 2), "SAME"),
               ksize=[1, 3, 2, 1], strides=[1, 2, 2, 1], padding="SAME",
               static=True),
    window_row("AvgPool", IMAGE, lambda x: avg_pool(x, (3, 3), (2, 1), "SAME"),
               ksize=[1, 3, 3, 1], strides=[1, 2, 1, 1], padding="SAME",
               static=True),
    window_row("AvgPool", IMAGE, lambda x: avg_pool(x, (2, 2), (2, 2), "VALID"),
               ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID"),
    window_row("MaxPool3D", VOLUME,
               lambda x: max_pool(x, (2, 2, 2), (2, 2, 2), "VALID"),
               ksize=[1, 2, 2, 2, 1], strides=[1, 2, 2, 2, 1],
               padding="VALID", static=True),
    window_row("AvgPool3D", VOLUME,
               lambda x: avg_pool(x, (3, 2, 2), (1, 2, 3), "SAME"),
               ksize=[1, 3, 2, 2, 1], strides=[1, 1, 2, 3, 1],
               padding="SAME", static=True),
    window_row("MaxPoolWithArgmax",
               np.arange(32, dtype=np.float32).reshape(2, 4, 2, 2)[:, ::-1],
               [np.array([[[[14, 15]], [[6, 7]]], [[[30, 31]], [[22, 23]]]],
                         np.float32),
                np.array([[[[2, 3]], [[10, 11]]]] * 2, np.int64)],
               ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID",
               static=True),
    window_row("ExtractImagePatches", IMAGE, lambda x: windows(
        x, (3, 2), (2, 2), (1, 2), "SAME", 0).reshape(2, 4, 3, -1),
        ksizes=[1, 3, 2, 1], strides=[1, 2, 2, 1], rates=[1, 1, 2, 1],
        padding="SAME", static=True),
    window_row("LRN", f32(1, 2, 2, 6), lambda x: x / np.sqrt(2 + .5 * np.stack(
        [(x[..., max(i - 2, 0):i + 3] ** 2).sum(-1) for i in range(6)], -1)),
        depth_radius=2, bias=2.0, alpha=.5, beta=.5),
] + [
    Row(op, [IMAGE, ints(*size)],
        lambda x, s: resize(x, s, op == "ResizeBilinear", aligned, half), 1e-4,
        align_corners=aligned, half_pixel_centers=half)
    for op in ("ResizeNearestNeighbor", "ResizeBilinear")
    for size in ((14, 3), (5, 9), (1, 6))
    for aligned, half in ((False, False), (True, False), (False, True))
] + [
    Row("CropAndResize", [
        IMAGE, np.array([[0, 0, 1, 1], [.2, .9, .7, -.1], [-.5, 0, .5, 1.5]],
                        np.float32), np.array([1, 0, 1], np.int32),
        ints(3, 4)],
        lambda x, b, n, s: crop_and_resize(x, b, n, s, -1), 1e-4,
        extrapolation_value=-1.0, static=True),
    Row("CropAndResize", [
        IMAGE, np.array([[.1, 0, .6, 1]], np.float32),
        np.array([0], np.int32), ints(1, 1)],
        lambda x, b, n, s: crop_and_resize(x, b, n, s, 0), 1e-4, static=True),
]

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

FAMILIES = {
    "unary": UNARY, "binary": BINARY, "movement": MOVEMENT,
    "indexing": INDEXING, "matrices": MATRICES, "reductions": REDUCTIONS,
    "images": IMAGES, "complex": COMPLEX,
}
