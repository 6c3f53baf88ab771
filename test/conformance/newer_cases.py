"""Cases for the operators of opsets 18 to 22, which Debian's ONNX lacks.

Each is a model of several nodes with expected outputs from numpy, written from
the operators' text. `write(folder)` makes folders like those of the suites.
"""
import os
import sys

import numpy as np

import onnx_wire

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "bad"))
import onnx_build

TYPES = {"float32": "f32", "float64": "f64", "float16": "f16", "int64": "i64",
         "int32": "i32", "int16": "i16", "int8": "i8", "uint8": "ui8",
         "uint16": "ui16", "bool": "bool"}
rng = np.random.default_rng(7)


def f32(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def i64(*values):
    return np.array(values, np.int64)


class Given:
    """An operand that the run provides, with static or dynamic extents."""

    def __init__(self, array, is_open=False):
        self.array, self.is_open = np.asarray(array), is_open


class Case:
    def __init__(self, name, opset):
        self.name, self.opset = name, opset
        self.nodes, self.inputs, self.constants, self.wanted = [], {}, {}, []
        self.given = []

    def add(self, op, operands, *wanted, **attributes):
        """Adds a node. Arrays are constants; None is an omitted operand."""
        number, names = len(self.nodes), []
        for i, operand in enumerate(operands):
            name = "" if operand is None else f"x{number}_{i}"
            names.append(name)
            if isinstance(operand, Given):
                array = operand.array
                extents = ",".join(
                    f"{name}_{d}" if operand.is_open else str(e)
                    for d, e in enumerate(array.shape))
                self.inputs[name] = f"{TYPES[array.dtype.name]}[{extents}]"
                self.given.append(array)
            elif operand is not None:
                self.constants[name] = operand
        results = [f"y{number}_{i}" for i in range(len(wanted))]
        self.nodes.append(onnx_build.node(op, names, results,
                                          name=f"{op}{number}", **attributes))
        self.wanted += list(zip(results, wanted))

    def write(self, target):
        folder = os.path.join(target, f"{self.name}_opset{self.opset}")
        data = os.path.join(folder, "test_data_set_0")
        os.makedirs(data)
        with open(os.path.join(folder, "model.onnx"), "wb") as file:
            file.write(onnx_build.model(
                self.nodes, self.inputs, [name for name, _ in self.wanted],
                self.constants, self.opset))
        for i, array in enumerate(self.given):
            onnx_wire.write_tensor(f"{data}/input_{i}.pb", array)
        for i, (_, array) in enumerate(self.wanted):
            onnx_wire.write_tensor(f"{data}/output_{i}.pb", np.asarray(array))
        return folder


def reductions(opset):
    case = Case("reductions", opset)
    x = np.abs(f32(2, 3, 4)) + np.float32(0.5)
    axes, keep = (0, -1), {"axis": (0, 2), "keepdims": True}
    rules = {
        "ReduceL1": lambda **k: np.sum(np.abs(x), **k),
        "ReduceL2": lambda **k: np.sqrt(np.sum(x * x, **k)),
        "ReduceLogSum": lambda **k: np.log(np.sum(x, **k)),
        "ReduceLogSumExp": lambda **k: np.log(np.sum(np.exp(x), **k)),
        "ReduceMax": lambda **k: np.max(x, **k),
        "ReduceMean": lambda **k: np.mean(x, **k),
        "ReduceMin": lambda **k: np.min(x, **k),
        "ReduceProd": lambda **k: np.prod(x, **k),
        "ReduceSumSquare": lambda **k: np.sum(x * x, **k),
    }
    for op, rule in rules.items():
        case.add(op, [Given(x, True), i64(*axes)], rule(**keep))
        case.add(op, [Given(x), Given(i64(*axes))], rule(axis=(0, 2)),
                 keepdims=0)
    case.add("ReduceMean", [Given(x)], np.mean(x), keepdims=0)
    case.add("ReduceSumSquare", [Given(x), i64()], x * x,
             noop_with_empty_axes=1)
    if opset >= 20:
        flags = rng.random((3, 4)) < 0.5
        case.add("ReduceMax", [Given(flags, True), i64(1)],
                 flags.any(1), keepdims=0)
        case.add("ReduceMin", [Given(flags), i64(0)], flags.all(0)[None])
    return case


def movement():
    case = Case("movement", 18)
    x = f32(7, 3)
    parts = [x[0:3], x[3:6], x[6:7]]
    case.add("Split", [Given(x)], *parts, num_outputs=3)
    case.add("Split", [Given(x, True)], *parts, num_outputs=3)
    case.add("Pad", [Given(x), i64(1, 2), np.float32(5), i64(-1)],
             np.pad(x, ((0, 0), (1, 2)), constant_values=5))
    case.add("Pad", [Given(x, True), i64(2, 1), None, i64(0)],
             np.pad(x, ((2, 1), (0, 0)), mode="edge"), mode="edge")
    wide = f32(4, 9)
    middle = np.zeros((7, 4), np.float32)
    middle[1:5] = wide[:, 2:6]
    case.add("CenterCropPad", [Given(wide), i64(7, 4)], middle)
    case.add("CenterCropPad", [Given(wide, True), i64(4)], wide[:, 2:6],
             axes=[-1])
    case.add("CenterCropPad", [Given(wide, True), Given(i64(7, 4))], middle)
    index = i64(1, 1, 0)[:, None]
    data, updates = f32(2, 4), f32(3, 4)
    for kind, least in (("max", np.maximum), ("min", np.minimum)):
        want = data.copy()
        for at, row in zip(index[:, 0], updates):
            want[at] = least(want[at], row)
        case.add("ScatterND", [Given(data), index, Given(updates)], want,
                 reduction=kind)
        where = np.broadcast_to(index, updates.shape).copy()
        case.add("ScatterElements", [Given(data), where, Given(updates)], want,
                 reduction=kind)
    # Indices may be fewer than elements along other dimensions, too.
    columns = i64(2, 0, -1, 1, 4, 3, -5, 2, 0, 1, 1, 3).reshape(3, 4)
    many = f32(5, 8)
    taken = np.take_along_axis(many[:3], columns, 1)
    for is_open in (False, True):
        case.add("GatherElements", [Given(many, is_open),
                                    Given(columns, is_open)], taken, axis=1)
    case.add("OptionalHasElement", [Given(x)], np.array(True))
    case.add("OptionalHasElement", [], np.array(False))
    case.add("OptionalGetElement", [Given(x)], x)
    return case


def wrapped():
    case = Case("wrap", 19)
    x = f32(2, 5)
    case.add("Pad", [Given(x, True), i64(0, 2, 1, 3)],
             np.pad(x, ((0, 1), (2, 3)), mode="wrap"), mode="wrap")
    case.add("Equal", [Given(x > 0), Given(x > 1)], (x > 0) == (x > 1))
    case.add("Reshape", [Given(np.zeros((0, 3), np.float32)), i64(3, 0)],
             np.zeros((3, 0), np.float32), allowzero=1)
    return case


def elementwise():
    case = Case("elementwise", 20)
    x = f32(3, 5)
    soft = np.log1p(np.exp(x.astype(np.float64)))
    case.add("Mish", [Given(x)], (x * np.tanh(soft)).astype(np.float32))
    inner = np.sqrt(2 / np.pi) * (x + 0.044715 * x.astype(np.float64) ** 3)
    case.add("Gelu", [Given(x)],
             (0.5 * x * (1 + np.tanh(inner))).astype(np.float32),
             approximate="tanh")
    a, b = rng.integers(0, 256, (2, 3, 4)).astype(np.uint8)
    for op, rule in (("And", np.bitwise_and), ("Or", np.bitwise_or),
                     ("Xor", np.bitwise_xor)):
        case.add("Bitwise" + op, [Given(a), Given(b)], rule(a, b))
    case.add("BitwiseNot", [Given(a)], np.invert(a))
    special = np.array([1, np.inf, -np.inf, np.nan], np.float16)
    case.add("IsNaN", [Given(special)], np.isnan(special))
    case.add("IsInf", [Given(special)], special == np.inf, detect_negative=0)
    return case


def normalization(opset):
    case = Case("groups", opset)
    x = f32(2, 4, 3)
    per = 2 if opset < 21 else 4
    scale, bias = f32(per), f32(per)
    grouped = x.reshape(2, 2, -1)
    y = (grouped - grouped.mean(-1, keepdims=True)) / \
        np.sqrt(grouped.var(-1, keepdims=True) + 1e-5)
    y = y.reshape(x.shape)
    spread = np.repeat if per == 2 else lambda values, _: values
    want = y * spread(scale, 2)[:, None] + spread(bias, 2)[:, None]
    case.add("GroupNormalization", [Given(x, True), scale, bias], want,
             num_groups=2)
    return case


def windows(x, kernel, dilation, stride):
    """The values in each window along the last dimension, without padding."""
    reach = (kernel - 1) * dilation + 1
    count = -(-(x.shape[-1] - reach) // stride) + 1
    for i in range(count):
        at = [i * stride + k * dilation for k in range(kernel)]
        yield x[..., [a for a in at if a < x.shape[-1]]]


def pools():
    case = Case("pools", 19)
    x = f32(1, 2, 8)
    shape = {"kernel_shape": [3], "dilations": [2], "strides": [2],
             "ceil_mode": 1}
    parts = list(windows(x, 3, 2, 2))
    case.add("AveragePool", [Given(x)],
             np.stack([p.mean(-1) for p in parts], -1), **shape)
    case.add("LpPool", [Given(x)],
             np.stack([np.sqrt((p * p).sum(-1)) for p in parts], -1), **shape)
    # A window that is larger than the input.
    small = f32(1, 1, 3, 4)
    large = {"kernel_shape": [4, 4], "strides": [2, 2], "ceil_mode": 1}
    for is_open in (False, True):
        case.add("MaxPool", [Given(small, is_open)],
                 small.max((2, 3), keepdims=True), **large)
        case.add("AveragePool", [Given(small, is_open)],
                 small.mean((2, 3), keepdims=True), **large)
    return case


def sampled(image, y, x):
    """`image`, [C, H, W], interpolated between its pixels; zero outside."""
    total = np.zeros(image.shape[0])
    for dy in (0, 1):
        for dx in (0, 1):
            iy, ix = int(np.floor(y)) + dy, int(np.floor(x)) + dx
            weight = (1 - abs(y - iy)) * (1 - abs(x - ix))
            if 0 <= iy < image.shape[1] and 0 <= ix < image.shape[2]:
                total += weight * image[:, iy, ix]
    return total


def columns():
    case = Case("columns", 19)
    blocks = f32(2, 3 * 2 * 3, 6)
    padded = np.zeros((2, 3, 6, 7), np.float32)
    split = blocks.reshape(2, 3, 2, 3, 2, 3)
    for ky in range(2):
        for kx in range(3):
            for oy in range(2):
                for ox in range(3):
                    padded[:, :, ky * 2 + oy * 3, kx + ox * 2] += \
                        split[:, :, ky, kx, oy, ox]
    want = padded[:, :, 1:6, 0:6]
    shape = {"dilations": [2, 1], "strides": [3, 2], "pads": [1, 0, 0, 1]}
    case.add("Col2Im", [Given(blocks, True), i64(5, 6), i64(2, 3)], want,
             **shape)
    case.add("Col2Im", [Given(blocks), Given(i64(5, 6)), Given(i64(2, 3))],
             want, **shape)
    x, w = f32(1, 4, 5, 6), f32(2, 2, 3, 2)
    offset, mask = f32(1, 2 * 6 * 2, 5, 3), np.abs(f32(1, 2 * 6, 5, 3))
    bias, want = f32(2), np.zeros((1, 2, 5, 3), np.float32)
    for o in range(2):  # one output of the group `o`
        for c in range(2):
            channel = 2 * o + c
            part = channel // 2
            for k in range(6):
                for i in range(5):
                    for j in range(3):
                        move = offset[0, (part * 6 + k) * 2:, i, j]
                        value = sampled(x[0, channel:channel + 1],
                                        i - 1 + k // 2 + move[0],
                                        j * 2 + k % 2 + move[1])[0]
                        want[0, o, i, j] += value * mask[0, part * 6 + k, i, j] \
                            * w[o, c, k // 2, k % 2]
    want += bias[:, None, None]
    shape = {"pads": [1, 0, 1, 0], "strides": [1, 2], "group": 2,
             "offset_group": 2}
    for is_open in (False, True):
        case.add("DeformConv", [Given(x), w, Given(offset, is_open), bias,
                                Given(mask, is_open)], want, **shape)
    return case


def aligned_regions(image, rois, batches, bins, half):
    out = np.zeros((len(rois), image.shape[1], bins, bins))
    _, _, height, width = image.shape
    for r, (x1, y1, x2, y2) in enumerate(rois - (0.5 if half else 0)):
        rows, cols = y2 - y1, x2 - x1
        if not half:
            rows, cols = max(rows, 1), max(cols, 1)
        down, across = int(np.ceil(rows / bins)), int(np.ceil(cols / bins))
        for i in range(bins):
            for j in range(bins):
                for a in range(down):
                    for b in range(across):
                        y = y1 + rows / bins * (i + (a + .5) / down)
                        x = x1 + cols / bins * (j + (b + .5) / across)
                        if y < -1 or y > height or x < -1 or x > width:
                            continue
                        y = min(max(y, 0), height - 1)
                        x = min(max(x, 0), width - 1)
                        out[r, :, i, j] += sampled(image[batches[r]], y, x)
        out[r] /= max(down * across, 1)
    return out.astype(np.float32)


def regions(opset):
    case = Case("regions", opset)
    image, batches = f32(2, 3, 9, 8), i64(0, 1, 1)
    rois = np.array([[0.3, 0.2, 6.1, 7.9], [1, 2, 3.5, 4], [-2, -1, 3, 11]],
                    np.float32)
    for mode in ("half_pixel", "output_half_pixel"):
        want = aligned_regions(image, rois, batches, 2, mode == "half_pixel")
        case.add("RoiAlign", [Given(image), Given(rois, True),
                              Given(batches, True)], want, output_height=2,
                 output_width=2, coordinate_transformation_mode=mode)
    return case


def grids():
    case = Case("grids", 20)
    for extents in ((2, 3), (2, 3, 4)):
        rank = len(extents)
        theta = f32(2, rank, rank + 1)
        for align in (0, 1):
            axes = [(2 * np.arange(n) / (n - 1) - 1) if align
                    else (2 * np.arange(n) + 1) / n - 1 for n in extents]
            places = np.stack(np.meshgrid(*axes, indexing="ij")[::-1] +
                              [np.ones(extents)], -1)
            want = np.einsum("nij,...j->n...i", theta, places)
            case.add("AffineGrid", [Given(theta, True), i64(2, 1, *extents)],
                     want.astype(np.float32), align_corners=align)
    volume, grid = f32(1, 2, 3, 4, 5), np.clip(f32(1, 2, 2, 2, 3), -1, 1)
    want = np.zeros((1, 2, 2, 2, 2), np.float32)
    for place in np.ndindex(2, 2, 2):
        x, y, z = [(g + 1) / 2 * (n - 1)
                   for g, n in zip(grid[0][place], (5, 4, 3))]
        low = int(min(np.floor(z), 1))
        want[(0, slice(None), *place)] = \
            sampled(volume[0, :, low], y, x) * (low + 1 - z) + \
            sampled(volume[0, :, low + 1], y, x) * (z - low)
    case.add("GridSample", [Given(volume), Given(grid, True)], want,
             mode="linear", align_corners=1)
    return case


def transforms():
    case = Case("transforms", 20)
    z = f32(2, 5, 3, 2)
    pairs = z[..., 0] + 1j * z[..., 1]

    def parts(value):
        return np.stack([value.real, value.imag], -1).astype(np.float32)
    case.add("DFT", [Given(z), None, np.array(1)], parts(np.fft.fft(pairs, axis=1)))
    case.add("DFT", [Given(z)], parts(np.fft.fft(pairs, axis=2)))
    case.add("DFT", [Given(z), np.array(6), np.array(-3)],
             parts(np.fft.ifft(pairs, 6, axis=1)), inverse=1)
    for length in (8, 7):
        case.add("DFT", [Given(z), np.array(length), np.array(1)],
                 np.fft.irfft(pairs, length, axis=1)[..., None]
                 .astype(np.float32), inverse=1, onesided=1)
    return case


def quantized():
    case = Case("blocks", 21)
    q = rng.integers(-90, 90, (3, 10)).astype(np.int8)
    scale = np.abs(f32(3, 3)) + np.float32(0.1)
    zero = rng.integers(-9, 9, (3, 3)).astype(np.int8)
    spread = lambda p: np.repeat(p, 4, 1)[:, :10]  # noqa: E731
    want = (q.astype(np.float32) - spread(zero)) * spread(scale)
    case.add("DequantizeLinear", [Given(q), scale, zero], want, axis=1,
             block_size=4)
    case.add("DequantizeLinear", [Given(q, True), Given(scale), Given(zero)],
             want, axis=-1, block_size=4)
    x = f32(3, 10) * 3
    codes = np.clip(np.rint(x / spread(scale)) + spread(zero), -128, 127)
    case.add("QuantizeLinear", [Given(x), scale, zero], codes.astype(np.int8),
             axis=1, block_size=4)
    wide = np.clip(np.rint(x / np.float32(0.001)), -32768, 32767)
    case.add("QuantizeLinear", [Given(x), np.float32(0.001)],
             wide.astype(np.int16), output_dtype=5)
    words = rng.integers(0, 65535, (3, 10)).astype(np.uint16)
    case.add("DequantizeLinear", [Given(words), np.float32(0.5),
                                  np.uint16(30000)],
             (words.astype(np.float32) - 30000) * np.float32(0.5))
    a, b = rng.integers(0, 255, (2, 4, 4)).astype(np.uint8)
    zeros = [np.uint8(z) for z in (120, 130, 100)]
    scales = [np.float16(s) for s in (0.25, 0.5, 32)]
    total = (a.astype(int) - 120) @ (b.astype(int) - 130)
    case.add("QLinearMatMul", [Given(a), scales[0], zeros[0], Given(b),
                               scales[1], zeros[1], scales[2], zeros[2]],
             np.clip(np.rint(total / 256) + 100, 0, 255).astype(np.uint8))
    return case


def stretched(x, out, scale, offset=0.0, antialias=False):
    """The last dimension resized linearly, with half-pixel coordinates."""
    length = x.shape[-1]
    want = np.zeros(x.shape[:-1] + (out,))
    narrow = min(scale, 1) if antialias else 1
    for o in range(out):
        at = offset + (o + 0.5) / scale - 0.5
        reach = int(np.ceil(1 / narrow)) + 1
        places = range(int(np.floor(at)) - reach, int(np.floor(at)) + reach + 1)
        weights = [max(0, 1 - abs(p - at) * narrow) for p in places]
        for place, weight in zip(places, weights):
            want[..., o] += x[..., min(max(place, 0), length - 1)] * weight \
                / sum(weights)
    return want.astype(np.float32)


def resizes():
    case = Case("resizes", 19)
    x = f32(2, 6, 7)
    down = stretched(stretched(x, 3, 3 / 7, antialias=True).swapaxes(1, 2),
                     3, 0.5, antialias=True).swapaxes(1, 2)
    case.add("Resize", [Given(x), None, None, i64(3, 3)], down, mode="linear",
             antialias=1, axes=[1, -1])
    case.add("Resize", [Given(x, True), None, np.array([0.5], np.float32)],
             stretched(x.swapaxes(1, 2), 3, 0.5).swapaxes(1, 2),
             mode="linear", axes=[1])
    # 7 * 0.7 = 4.9 positions are rounded down to four.
    scale = np.float32(0.7)
    middle = 7 / 2 * (1 - 4 / (7 * scale))
    for is_open in (False, True):
        case.add("Resize", [Given(x, is_open), None, np.array([scale])],
                 stretched(x, 4, scale, middle), mode="linear", axes=[2],
                 coordinate_transformation_mode="half_pixel_symmetric")
    # The product of 10 and 0.7 in f32 is exactly 7, the number of positions.
    ten = f32(10)
    case.add("Resize", [Given(ten, True), None, np.array([scale])],
             ten[np.floor(np.arange(7, dtype=np.float32) / scale).astype(int)],
             mode="nearest", nearest_mode="floor",
             coordinate_transformation_mode="asymmetric")
    for policy, kept, rows, places in (("not_larger", 4 / 7, 3, 4),
                                       ("not_smaller", 4 / 6, 4, 5)):
        want = stretched(stretched(x, places, kept).swapaxes(1, 2), rows, kept)
        case.add("Resize", [Given(x), None, None, i64(4, 4)],
                 want.swapaxes(1, 2), mode="linear", axes=[1, 2],
                 keep_aspect_ratio_policy=policy)
    return case


def byte_products():
    """Products with constant weights, which are stored in words."""
    case = Case("byte_products", 21)
    limits = np.iinfo(np.uint8), np.iinfo(np.int8)

    def codes(total, factor, zero):
        real = total.astype(np.float32) * np.float32(factor)
        return np.clip(np.rint(real) + zero, 0, 255).astype(np.uint8)

    def drawn(limit, *shape):
        return rng.integers(limit.min, limit.max, shape, limit.dtype,
                            endpoint=True)
    for channels, outputs, group in ((3, 20, 1), (8, 33, 1), (12, 12, 12),
                                     (8, 12, 2)):
        x = drawn(limits[0], 2, channels, 5, 6)
        w = drawn(limits[1], outputs, channels // group, 3, 3)
        bias = rng.integers(-9999, 9999, outputs).astype(np.int32)
        padded = np.pad(x.astype(np.int64) - 7,
                        ((0, 0), (0, 0), (1, 1), (1, 1)))
        total = np.zeros((2, outputs, 5, 6), np.int64)
        each, made = channels // group, outputs // group
        for g, i, j in np.ndindex(group, 3, 3):
            total[:, g * made:(g + 1) * made] += np.einsum(
                "nchw,oc->nohw",
                padded[:, g * each:(g + 1) * each, i:i + 5, j:j + 6],
                w[g * made:(g + 1) * made, :, i, j].astype(np.int64))
        total += bias[:, None, None]
        scales = np.float32(0.5), np.float32(0.25), np.float32(64)
        case.add("QLinearConv", [
            Given(x), scales[0], np.uint8(7), w, scales[1], np.int8(0),
            scales[2], np.uint8(128), bias],
            codes(total, scales[0] * scales[1] / scales[2], 128),
            pads=[1, 1, 1, 1], group=group)
    for depth in (1, 13, 64):
        a, b = drawn(limits[0], 5, depth), drawn(limits[1], depth, 21)
        total = (a.astype(np.int64) - 200) @ b.astype(np.int64)
        case.add("MatMulInteger", [Given(a), b, np.uint8(200)],
                 total.astype(np.int32))
        case.add("MatMulInteger", [Given(a, True), b, Given(np.uint8(200))],
                 total.astype(np.int32))
        signed = drawn(limits[1], 5, depth)
        case.add("MatMulInteger", [Given(signed), b],
                 (signed.astype(np.int64) @ b).astype(np.int32))
    return case


CASES = [lambda: reductions(18), lambda: reductions(20), movement, wrapped,
         elementwise, lambda: normalization(18), lambda: normalization(21),
         pools, columns, lambda: regions(16), lambda: regions(22), grids,
         transforms, quantized, resizes, byte_products]


def write(target):
    """Makes the folders of all cases under `target`."""
    return [make().write(target) for make in CASES]
