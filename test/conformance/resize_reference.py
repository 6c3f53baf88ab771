"""ONNX's Resize in numpy: one matrix of weights per axis.

Written from the operator's text, axis by axis: the input coordinate of each
output coordinate, the input elements that it uses, and their weights.
"""
import numpy as np


def source(out, scale, in_extent, out_extent, transform, roi):
    """The input coordinate of the output coordinate `out`."""
    if transform == "half_pixel":
        return (out + 0.5) / scale - 0.5
    if transform == "pytorch_half_pixel":
        return (out + 0.5) / scale - 0.5 if out_extent > 1 else 0.0
    if transform == "align_corners":
        # The specification's reference program divides by the unrounded extent.
        return out * (in_extent - 1) / (scale * in_extent - 1) \
            if out_extent > 1 else 0.0
    if transform == "asymmetric":
        return out / scale
    if transform == "tf_half_pixel_for_nn":
        return (out + 0.5) / scale
    assert transform == "tf_crop_and_resize", transform
    start, end = roi
    if out_extent > 1:
        return start * (in_extent - 1) + \
            out * (end - start) * (in_extent - 1) / (out_extent - 1)
    return 0.5 * (start + end) * (in_extent - 1)


def nearest(x, rounding):
    return int({"round_prefer_floor": lambda: np.ceil(x - 0.5),
                "round_prefer_ceil": lambda: np.floor(x + 0.5),
                "floor": lambda: np.floor(x),
                "ceil": lambda: np.ceil(x)}[rounding]())


def cubic_weights(t, a):
    def near(d):
        return ((a + 2) * d - (a + 3)) * d * d + 1

    def far(d):
        return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return [far(1 + t), near(t), near(1 - t), far(2 - t)]


def taps(x, extent, mode, rounding, cubic, exclude_outside):
    """Yields (index, weight); weights of taps beyond the edge go to the
    edge."""
    if mode == "nearest":
        found = [(nearest(x, rounding), 1.0)]
    else:
        low = int(np.floor(x))
        part = x - low
        if mode == "linear":
            found = [(low, 1 - part), (low + 1, part)]
        else:
            found = list(zip(range(low - 1, low + 3),
                             cubic_weights(part, cubic)))
            if exclude_outside:
                found = [(i, w) for i, w in found if 0 <= i < extent]
                total = sum(w for _, w in found)
                found = [(i, w / total) for i, w in found]
    for index, weight in found:
        yield min(max(index, 0), extent - 1), weight


def resize(data, scales, sizes, roi, mode, transform, rounding, cubic,
           exclude_outside, outside):
    out = data.astype(np.float64)
    beyond = np.zeros(sizes, bool)
    for axis, (scale, extent) in enumerate(zip(scales, sizes)):
        length = data.shape[axis]
        if length == extent and scale == 1 and roi is None:
            continue
        window = (roi[axis], roi[axis + data.ndim]) if roi is not None \
            else None
        matrix = np.zeros((extent, length))
        for o in range(extent):
            x = source(o, scale, length, extent, transform, window)
            if roi is not None and not 0 <= x <= length - 1:
                place = [slice(None)] * data.ndim
                place[axis] = o
                beyond[tuple(place)] = True
            for index, weight in taps(x, length, mode, rounding, cubic,
                                      exclude_outside):
                matrix[o, index] += weight
        out = np.moveaxis(np.tensordot(matrix, out, (1, axis)), 0, axis)
    return np.where(beyond, outside, out).astype(data.dtype)
