"""Operators on images and volumes."""
import numpy as np

from numpy_ops import (avg_pool, bicubic, conv, crop_and_resize, depthwise,
                       max_pool, resize, transposed_conv, windows)
from op_row import Constant, Row, f32, ints

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
    Row("ResizeBicubic", [IMAGE, ints(*size)],
        lambda x, s: bicubic(x, s, aligned, half), 1e-4,
        align_corners=aligned, half_pixel_centers=half)
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
