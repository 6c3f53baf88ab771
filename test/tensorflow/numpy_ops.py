"""Windows, resizing and blocks of images in numpy, channels last, written
plainly from TensorFlow's documentation."""
import itertools

import numpy as np


def padding_of(extent, kernel, stride, dilation, padding):
    if padding == "VALID":
        return 0, 0
    reach = (kernel - 1) * dilation + 1
    total = max((-(-extent // stride) - 1) * stride + reach - extent, 0)
    return total // 2, total - total // 2


def windows(x, kernel, strides, dilations, padding, fill):
    """The windows as [n, positions..., window..., channels]."""
    spatial = len(kernel)
    pads = [padding_of(x.shape[i + 1], kernel[i], strides[i], dilations[i],
                       padding) for i in range(spatial)]
    x = np.pad(x, [(0, 0), *pads, (0, 0)], constant_values=fill)
    counts = [(x.shape[i + 1] - (kernel[i] - 1) * dilations[i] - 1)
              // strides[i] + 1 for i in range(spatial)]
    out = np.empty((x.shape[0], *counts, *kernel, x.shape[-1]), x.dtype)
    for place in itertools.product(*map(range, counts)):
        cut = tuple(slice(p * s, p * s + (k - 1) * d + 1, d)
                    for p, s, k, d in zip(place, strides, kernel, dilations))
        out[(slice(None), *place)] = x[(slice(None), *cut)]
    return out


def conv(x, w, strides=None, dilations=None, padding="VALID"):
    kernel = w.shape[:-2]
    ones = (1,) * len(kernel)
    cut = windows(x, kernel, strides or ones, dilations or ones, padding, 0)
    n = len(kernel) + 1
    return np.tensordot(cut, w, (range(n, 2 * n), range(n)))


def depthwise(x, w, strides, padding):
    cut = windows(x, w.shape[:2], strides, (1, 1), padding, 0)
    y = np.einsum("nhwijc,ijcm->nhwcm", cut, w)
    return y.reshape(*y.shape[:3], -1)


def transposed_conv(sizes, w, y, strides, padding):
    """The gradient of a convolution with respect to its input."""
    spatial = len(strides)
    kernel = w.shape[:spatial]
    pads = [padding_of(sizes[i + 1], kernel[i], strides[i], 1, padding)
            for i in range(spatial)]
    out = np.zeros([sizes[0], *(sizes[i + 1] + sum(pads[i])
                                for i in range(spatial)), w.shape[-2]], y.dtype)
    for place in itertools.product(*map(range, y.shape[1:-1])):
        cut = tuple(slice(p * s, p * s + k)
                    for p, s, k in zip(place, strides, kernel))
        out[(slice(None), *cut)] += np.tensordot(
            y[(slice(None), *place)], w, (1, spatial + 1))
    inner = tuple(slice(low, low + n) for (low, _), n in zip(pads, sizes[1:]))
    return out[(slice(None), *inner)]


def max_pool(x, kernel, strides, padding):
    cut = windows(x, kernel, strides, (1,) * len(kernel), padding, -np.inf)
    n = len(kernel) + 1
    return cut.max(tuple(range(n, 2 * n - 1)))


def avg_pool(x, kernel, strides, padding):
    ones = (1,) * len(kernel)
    n = len(kernel) + 1
    axes = tuple(range(n, 2 * n - 1))
    total = windows(x, kernel, strides, ones, padding, 0).sum(axes)
    return total / windows(np.ones_like(x), kernel, strides, ones, padding,
                           0).sum(axes)


def resize(x, sizes, bilinear, aligned, half):
    x = np.asarray(x, np.float32)
    for dim, size in ((2, sizes[1]), (1, sizes[0])):
        extent = x.shape[dim]
        scale = np.float32((extent - 1) / (size - 1) if aligned and size > 1
                           else extent / size)
        at = np.arange(size, dtype=np.float32)
        if half:
            place = (at + np.float32(.5)) * scale - (
                np.float32(.5) if bilinear else 0)
        else:
            place = at * scale
        if not bilinear:
            index = np.floor(place + np.float32(.5)) if aligned else \
                np.floor(place)
            x = x.take(np.clip(index.astype(int), 0, extent - 1), dim)
            continue
        low = np.floor(place)
        part = (place - low).reshape([-1 if i == dim else 1 for i in range(4)])
        a = x.take(np.clip(low.astype(int), 0, extent - 1), dim)
        b = x.take(np.clip(low.astype(int) + 1, 0, extent - 1), dim)
        x = a + (b - a) * part
    return x


def bicubic(x, sizes, aligned, half):
    a = -.5 if half else -.75

    def keys(d):
        if d <= 1:
            return ((a + 2) * d - (a + 3)) * d * d + 1
        return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a

    for dim, size in ((2, sizes[1]), (1, sizes[0])):
        extent, lines = x.shape[dim], []
        scale = np.float32((extent - 1) / (size - 1) if aligned and size > 1
                           else extent / size)
        for i in range(size):
            place = (np.float32(i) + np.float32(.5)) * scale - np.float32(
                .5) if half else np.float32(i) * scale
            low = int(np.floor(place))
            part = np.rint((place - low) * 1024) / 1024
            shares = {}
            for k in range(-1, 3):
                at = min(max(low + k, 0), extent - 1)
                if not half or at == low + k:
                    shares[at] = shares.get(at, 0) + keys(abs(part - k))
            total = sum(shares.values()) if half else 1
            lines.append(sum(x.take(at, dim) * share / total
                             for at, share in shares.items()))
        x = np.stack(lines, dim).astype(np.float32)
    return x


def crop_and_resize(x, boxes, numbers, sizes, outside):
    n, (height, width) = len(boxes), sizes
    out = np.full((n, height, width, x.shape[-1]), outside, np.float32)

    def places(low, high, extent, size):
        if size == 1:
            return [(low + high) / 2 * (extent - 1)]
        step = (high - low) * (extent - 1) / (size - 1)
        return [low * (extent - 1) + i * step for i in range(size)]

    for k, (y1, x1, y2, x2) in enumerate(boxes.astype(np.float64)):
        image = x[numbers[k]]
        for i, y in enumerate(places(y1, y2, image.shape[0], height)):
            for j, z in enumerate(places(x1, x2, image.shape[1], width)):
                # Allow for f32 rounding: such points count as inside.
                if not (-1e-6 <= y <= image.shape[0] - 1 + 1e-6 and
                        -1e-6 <= z <= image.shape[1] - 1 + 1e-6):
                    continue
                y0, z0 = int(np.floor(y)), int(np.floor(z))
                y3, z3 = min(y0 + 1, image.shape[0] - 1), \
                    min(z0 + 1, image.shape[1] - 1)
                top = image[y0, z0] * (1 - (z - z0)) + image[y0, z3] * (z - z0)
                low = image[y3, z0] * (1 - (z - z0)) + image[y3, z3] * (z - z0)
                out[k, i, j] = top * (1 - (y - y0)) + low * (y - y0)
    return out


def depth_to_space(x, block):
    n, h, w, c = x.shape
    return x.reshape(n, h, w, block, block, c // block ** 2).transpose(
        0, 1, 3, 2, 4, 5).reshape(n, h * block, w * block, c // block ** 2)


def space_to_depth(x, block):
    n, h, w, c = x.shape
    return x.reshape(n, h // block, block, w // block, block, c).transpose(
        0, 1, 3, 2, 4, 5).reshape(n, h // block, w // block, c * block ** 2)
