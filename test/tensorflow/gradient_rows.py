"""Gradients, compared with finite differences of the operators in double
precision."""
import numpy as np

from numpy_ops import avg_pool, conv, depthwise, max_pool, resize
from op_row import Constant, Row, f32, ints, number, positive


def gradient(function, x, dy, step=1e-5):
    """The gradient of the sum of function(x) * dy. A step of one is exact if
    the function is linear."""
    x = np.array(x, np.float64)
    dx, flat = np.zeros_like(x), x.reshape(-1)
    for i, value in enumerate(flat):
        ends = []
        for end in (value + step, value - step):
            flat[i] = end
            ends.append((function(x) * dy).sum(dtype=np.float64))
        flat[i] = value
        dx.reshape(-1)[i] = (ends[0] - ends[1]) / (2 * step)
    return dx.astype(np.float32)


def linear(function, x, dy):
    return gradient(function, x, dy, 1.0)


def nhwc(x):
    return np.moveaxis(x, 1, -1)


def nchw(x):
    return np.moveaxis(x, -1, 1)


def grouped(x, w, groups):
    return np.concatenate([conv(a, b) for a, b in zip(
        np.split(x, groups, -1), np.split(w, groups, -1))], -1)


def batch_norm(x, scale, axes=(0, 1, 2), epsilon=1e-3):
    shape = [1 if i in axes else n for i, n in enumerate(x.shape)]
    centered = x - x.mean(axes, keepdims=True)
    variance = (centered ** 2).mean(axes, keepdims=True)
    return centered / np.sqrt(variance + epsilon) * scale.reshape(shape)


def lrn(x):
    sums = np.stack([(x[..., max(i - 2, 0):i + 3] ** 2).sum(-1)
                     for i in range(x.shape[-1])], -1)
    return x / (2 + .5 * sums) ** .75


X, DY = f32(3, 5), f32(3, 5)
# Keep away from points where the slope changes.
X[np.abs(X) < .05] = .1
SIGMOID, SELU = 1 / (1 + np.exp(-X)), (1.0507009873554805, 1.6732632423543772)
EDGES = np.array([0, -0., 6, 1, -1, np.nan, np.inf, -np.inf], np.float32)


def by_argument(op, function, **attributes):
    return Row(op, [DY, X], gradient(function, X, DY), 1e-4, **attributes)


def by_result(op, function, y, x):
    return Row(op, [y, DY], gradient(function, x, DY), 1e-3)


ACTIVATIONS = [
    by_argument("ReluGrad", lambda x: np.maximum(x, 0)),
    by_argument("Relu6Grad", lambda x: np.clip(x, 0, 6)),
    by_argument("LeakyReluGrad", lambda x: np.where(x > 0, x, .3 * x),
                alpha=.3),
    by_argument("SoftplusGrad", lambda x: np.log1p(np.exp(x))),
    by_argument("SoftsignGrad", lambda x: x / (1 + np.abs(x))),
    Row("EluGrad", [DY, np.where(X > 0, X, np.expm1(X))], gradient(
        lambda x: np.where(x > 0, x, np.expm1(x)), X, DY), 1e-4),
    Row("SeluGrad", [DY, (SELU[0] * np.where(
        X > 0, X, SELU[1] * np.expm1(X))).astype(np.float32)], gradient(
            lambda x: SELU[0] * np.where(x > 0, x, SELU[1] * np.expm1(x)),
            X, DY), 1e-4),
    by_result("SigmoidGrad", lambda x: 1 / (1 + np.exp(-x)), SIGMOID, X),
    by_result("TanhGrad", np.tanh, np.tanh(X), X),
    by_result("SqrtGrad", np.sqrt, np.sqrt(SIGMOID), SIGMOID),
    by_result("RsqrtGrad", lambda x: 1 / np.sqrt(x), 1 / np.sqrt(SIGMOID),
              SIGMOID),
    by_result("ReciprocalGrad", lambda x: 1 / x, 1 / X, X),
    by_result("InvGrad", lambda x: 1 / x, 1 / X, X),
    # Where their linear pieces meet.
    Row("ReluGrad", [np.full(8, 2, np.float32), EDGES],
        np.array([0, 0, 2, 2, 0, 0, 2, 0], np.float32), static=True),
    Row("Relu6Grad", [np.full(8, 2, np.float32), EDGES],
        np.array([0, 0, 0, 2, 0, 0, 0, 0], np.float32), static=True),
    Row("BiasAddGrad", [f32(2, 3, 4)], lambda x: x.sum((0, 1))),
    Row("BiasAddGrad", [f32(2, 3, 4, 5)], lambda x: x.sum((0, 2, 3)),
        data_format="NCHW"),
]


def convolution_rows(x, w, s, d, p, **options):
    """Both gradients of one convolution."""
    y = conv(x, w, s, d, p)
    dy = f32(*y.shape)
    attributes = dict(strides=[1, *s, 1], dilations=[1, *d, 1], padding=p)
    return [
        Row("Conv2DBackpropInput", [ints(*x.shape), Constant(w), dy],
            linear(lambda v: conv(v, w, s, d, p), x, dy), 1e-4,
            keeps_last=True, **attributes, **options),
        Row("Conv2DBackpropFilter", [x, ints(*w.shape), dy],
            linear(lambda v: conv(x, v, s, d, p), w, dy), 1e-4,
            keeps_last=True, **attributes, **options)]


IMAGE, WIDE = f32(2, 5, 4, 2), f32(1, 4, 3, 18)
GROUPED, KERNEL = f32(2, 4, 4, 4), f32(2, 2, 2, 6)
GROUPED_DY = f32(2, 3, 3, 6)
VOLUME, VOLUME_KERNEL = f32(1, 3, 4, 3, 2), f32(2, 2, 1, 2, 3)
VOLUME_DY = f32(1, 2, 2, 3, 3)
DEPTH_KERNEL, DEPTH_DY = f32(3, 2, 2, 3), f32(2, 3, 2, 6)
FIRST_DY, EDGE_KERNEL = f32(2, 3, 4, 3), f32(3, 2, 2, 3)
PADS = ((0, 0), (0, 0), (0, 1), (0, 0))
FIRST = dict(strides=[1, 1, 1, 1], padding="EXPLICIT", data_format="NCHW",
             explicit_paddings=[0, 0, 0, 0, 0, 0, 0, 1], static=True)
CONVOLUTIONS = [
    *convolution_rows(IMAGE, f32(3, 3, 2, 3), (1, 1), (1, 1), "VALID"),
    *convolution_rows(IMAGE, f32(3, 2, 2, 3), (2, 2), (1, 1), "SAME"),
    *convolution_rows(IMAGE, f32(2, 3, 2, 1), (1, 1), (2, 1), "SAME"),
    *convolution_rows(IMAGE, f32(1, 1, 2, 4), (3, 2), (1, 1), "VALID"),
    *convolution_rows(IMAGE, f32(2, 2, 2, 3), (3, 3), (1, 1), "VALID"),
    *convolution_rows(f32(1, 3, 3, 70), f32(3, 2, 70, 2), (1, 1), (1, 1),
                      "VALID"),
    *convolution_rows(WIDE, f32(3, 2, 18, 2), (1, 2), (1, 1), "SAME"),
    Row("Conv2DBackpropInput", [ints(2, 4, 4, 4), Constant(KERNEL),
                                GROUPED_DY],
        linear(lambda v: grouped(v, KERNEL, 2), GROUPED, GROUPED_DY), 1e-4,
        strides=[1, 1, 1, 1], padding="VALID", keeps_last=True),
    Row("Conv2DBackpropFilter", [GROUPED, ints(2, 2, 2, 6), GROUPED_DY],
        linear(lambda v: grouped(GROUPED, v, 2), KERNEL, GROUPED_DY), 1e-4,
        strides=[1, 1, 1, 1], padding="VALID", keeps_last=True),
    # With channels first and explicit padding.
    Row("Conv2DBackpropInput", [ints(2, 2, 5, 4), Constant(EDGE_KERNEL),
                                nchw(FIRST_DY)],
        nchw(linear(lambda v: conv(np.pad(v, PADS), EDGE_KERNEL), IMAGE,
                    FIRST_DY)), 1e-4, **FIRST),
    Row("Conv2DBackpropFilter", [nchw(IMAGE), ints(3, 2, 2, 3),
                                 nchw(FIRST_DY)],
        linear(lambda v: conv(np.pad(IMAGE, PADS), v), EDGE_KERNEL, FIRST_DY),
        1e-4, **FIRST),
    Row("Conv3DBackpropInputV2", [ints(1, 3, 4, 3, 2),
                                  Constant(VOLUME_KERNEL), VOLUME_DY],
        linear(lambda v: conv(v, VOLUME_KERNEL, (1, 2, 1)), VOLUME, VOLUME_DY),
        1e-4, strides=[1, 1, 2, 1, 1], padding="VALID", keeps_last=True),
    Row("Conv3DBackpropFilterV2", [VOLUME, ints(2, 2, 1, 2, 3), VOLUME_DY],
        linear(lambda v: conv(VOLUME, v, (1, 2, 1)), VOLUME_KERNEL, VOLUME_DY),
        1e-4, strides=[1, 1, 2, 1, 1], padding="VALID", keeps_last=True),
    Row("DepthwiseConv2dNativeBackpropInput", [
        ints(2, 5, 4, 2), Constant(DEPTH_KERNEL), DEPTH_DY],
        linear(lambda v: depthwise(v, DEPTH_KERNEL, (2, 2), "SAME"), IMAGE,
               DEPTH_DY), 1e-4, strides=[1, 2, 2, 1], padding="SAME",
        keeps_last=True),
    Row("DepthwiseConv2dNativeBackpropFilter", [
        IMAGE, ints(3, 2, 2, 3), DEPTH_DY],
        linear(lambda v: depthwise(IMAGE, v, (2, 2), "SAME"), DEPTH_KERNEL,
               DEPTH_DY), 1e-4, strides=[1, 2, 2, 1], padding="SAME",
        keeps_last=True),
]


def pool_rows(x, k, s, p):
    """The gradients of both pools."""
    dy = f32(*max_pool(x, k, s, p).shape)
    attributes = dict(ksize=[1, *k, 1], strides=[1, *s, 1], padding=p)
    three = "3D" if x.ndim == 5 else ""
    return [
        Row(f"MaxPool{three}Grad", [x, max_pool(x, k, s, p), dy],
            gradient(lambda v: max_pool(v, k, s, p), x, dy), 1e-4,
            **attributes),
        Row(f"AvgPool{three}Grad", [ints(*x.shape), dy],
            linear(lambda v: avg_pool(v, k, s, p), x, dy), 1e-4,
            **attributes)]


TIES = np.array([[1, 1, 0], [1, 1, 0]], np.float32).reshape(1, 2, 3, 1)
POOL_DY = f32(2, 2, 3, 2)
SCALE, STATISTICS = positive(2), [f32(2), positive(2)]
NORM_DY = f32(2, 5, 4, 2)
FIRST_MEAN = IMAGE.mean((0, 1, 2))
FIRST_VARIANCE = IMAGE.var((0, 1, 2))
ROOT = 1 / np.sqrt(STATISTICS[1] + np.float32(1e-3))
CHANNELS, CHANNELS_DY = f32(1, 2, 2, 6), f32(1, 2, 2, 6)
WINDOWS = [
    *pool_rows(IMAGE, (2, 2), (2, 2), "VALID"),
    *pool_rows(IMAGE, (3, 2), (2, 1), "SAME"),
    *pool_rows(IMAGE, (5, 4), (1, 1), "VALID"),
    *pool_rows(IMAGE, (5, 4), (2, 2), "SAME"),
    *pool_rows(VOLUME, (2, 2, 2), (1, 2, 1), "VALID"),
    # The first of equal elements gets the whole gradient.
    Row("MaxPoolGrad", [TIES, TIES[:, :1, 1:], np.array(
        [2, 3], np.float32).reshape(1, 1, 2, 1)],
        np.array([[2, 3, 0], [0, 0, 0]], np.float32).reshape(1, 2, 3, 1),
        ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="VALID"),
    Row("MaxPoolGrad", [nchw(IMAGE), nchw(max_pool(IMAGE, (2, 2), (2, 2),
                                                   "VALID")),
                        nchw(f32(2, 2, 2, 2))],
        lambda x, y, dy: nchw(gradient(
            lambda v: max_pool(v, (2, 2), (2, 2), "VALID"), nhwc(x),
            nhwc(dy))), 1e-4, ksize=[1, 1, 2, 2], strides=[1, 1, 2, 2],
        padding="VALID", data_format="NCHW"),
    Row("MaxPoolGradWithArgmax", [
        IMAGE, np.array([2, 3, 5], np.float32).reshape(1, 1, 1, 3)[
            [0, 0]][..., :2], np.array([7, 12], np.int64).reshape(1, 1, 1, 2)[
                [0, 0]]],
        lambda x, dy, at: np.stack([np.eye(40, dtype=np.float32)[7] * 2 +
                                    np.eye(40, dtype=np.float32)[12] * 3] *
                                   2).reshape(2, 5, 4, 2),
        ksize=[1, 5, 4, 1], strides=[1, 1, 1, 1], padding="VALID"),
    Row("FusedBatchNormGradV3", [
        NORM_DY, IMAGE, Constant(SCALE), FIRST_MEAN, FIRST_VARIANCE,
        Constant(0, np.float32)],
        [gradient(lambda v: batch_norm(v, SCALE), IMAGE, NORM_DY),
         (NORM_DY * batch_norm(IMAGE, np.ones(2))).sum((0, 1, 2)).astype(
             np.float32), NORM_DY.sum((0, 1, 2))], 1e-4, epsilon=1e-3),
    Row("FusedBatchNormGrad", [
        nchw(NORM_DY), nchw(IMAGE), SCALE, FIRST_MEAN, FIRST_VARIANCE],
        [nchw(gradient(lambda v: batch_norm(v, SCALE), IMAGE, NORM_DY)),
         (NORM_DY * batch_norm(IMAGE, np.ones(2))).sum((0, 1, 2)).astype(
             np.float32), NORM_DY.sum((0, 1, 2))], 1e-4, epsilon=1e-3,
        data_format="NCHW", keeps_last=True, static=True),
    Row("FusedBatchNormGradV2", [NORM_DY, IMAGE, SCALE, *STATISTICS],
        [NORM_DY * SCALE * ROOT, (NORM_DY * (IMAGE - STATISTICS[0])).sum(
            (0, 1, 2)) * ROOT, NORM_DY.sum((0, 1, 2))], 1e-4, epsilon=1e-3,
        is_training=False),
    # The statistics kept for inference have no bias, and may be an average.
    Row("FusedBatchNormV3", [IMAGE, SCALE, *STATISTICS, positive(2)],
        lambda x, s, b, m, v: [
            (batch_norm(x, s) + b).astype(np.float32),
            np.float32(.75) * m + np.float32(.25) * x.mean((0, 1, 2)),
            np.float32(.75) * v + np.float32(.25 * 40 / 39) * x.var((0, 1, 2)),
            x.mean((0, 1, 2)), x.var((0, 1, 2))], 1e-4, epsilon=1e-3,
        exponential_avg_factor=.25),
    Row("LRNGrad", [CHANNELS_DY, CHANNELS, lrn(CHANNELS)],
        gradient(lrn, CHANNELS, CHANNELS_DY), 1e-4, depth_radius=2, bias=2.0,
        alpha=.5, beta=.75),
] + [
    Row(f"Resize{kind}Grad", [
        dy := f32(2, *size, 2),
        IMAGE if kind == "Bilinear" else ints(5, 4)],
        linear(lambda v: resize(v, size, kind == "Bilinear", aligned, half),
               IMAGE, dy), 1e-4, align_corners=aligned,
        half_pixel_centers=half)
    for kind in ("Bilinear", "NearestNeighbor")
    for size in ((7, 2), (1, 8))
    for aligned, half in ((False, False), (True, False), (False, True))
]


def slice_grad(shape, begin, end, strides, index, **masks):
    dy = f32(*np.zeros(shape)[index].shape)
    dx = np.zeros(shape, np.float32)
    dx[index] = dy
    return Row("StridedSliceGrad", [ints(*shape), ints(*begin), ints(*end),
                                    ints(*strides), dy], dx, **masks)


def mirrored(shape, pads, mode):
    x = np.zeros(shape)
    dy = f32(*np.pad(x, pads).shape)
    return Row("MirrorPadGrad", [dy, Constant(pads, np.int32)],
               linear(lambda v: np.pad(v, pads, mode.lower()), x, dy), 1e-4,
               mode=mode)


A = f32(3, 4)
MOVED = [
    slice_grad((2, 3, 4), [0, 1], [2, 3], [1, 1], np.s_[:, 1:3]),
    slice_grad((2, 3, 7), [0, 2, 6], [0, 0, 1], [1, -1, -2],
               np.s_[:, 2::-1, 6:1:-2], begin_mask=1, end_mask=3),
    slice_grad((2, 3, 7), [1, 0, 1], [0, 2, 7], [1, 1, 3], np.s_[1, 0:2, 1::3],
               shrink_axis_mask=1),
    slice_grad((2, 3, 4), [0, 0, 3], [0, 0, 1], [1, 1, 1],
               np.s_[:, None, 3:1], new_axis_mask=2, begin_mask=1, end_mask=1),
    slice_grad((2, 3, 4), [0, -2], [0, 0], [1, 1], np.s_[..., -2],
               ellipsis_mask=1, shrink_axis_mask=2),
    mirrored((2, 3, 4), ((0, 0), (2, 1), (3, 2)), "REFLECT"),
    mirrored((2, 3, 4), ((0, 0), (3, 1), (4, 2)), "SYMMETRIC"),
    Row("DynamicStitch", [ints(0, 2), number(1), A[:2], A[2]],
        np.stack([A[0], A[2], A[1]])),
    Row("DynamicStitch", [ints(0, 1, 2), ints(1), ints(5, 6, 7), ints(1)],
        np.array([5, 1, 7], np.int32)),
    Row("ConcatOffset", [number(1), ints(2, 3, 4), ints(2, 5, 4),
                         ints(2, 1, 4)],
        [np.array([0, 0, 0], np.int32), np.array([0, 3, 0], np.int32),
         np.array([0, 8, 0], np.int32)]),
    Row("SegmentSum", [A, ints(0, 0, 3)],
        np.stack([A[0] + A[1], 0 * A[0], 0 * A[0], A[2]])),
    Row("SegmentMean", [A, ints(0, 0, 1)],
        np.stack([(A[0] + A[1]) / 2, A[2]])),
    Row("SegmentMax", [A, ints(0, 0, 1)],
        np.stack([np.maximum(A[0], A[1]), A[2]])),
    Row("SegmentMin", [A, ints(0, 1, 1)],
        np.stack([A[0], np.minimum(A[1], A[2])])),
    Row("SegmentProd", [A, ints(0, 1, 1)], np.stack([A[0], A[1] * A[2]])),
]

GRADIENTS = ACTIVATIONS + CONVOLUTIONS + WINDOWS + MOVED
