"""Elementwise operators."""
import math

import numpy as np

from graph_text import Type
from op_row import Constant, Row, f32, i32, positive

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
