"""Layers: convolutions, pools, norms, recurrent layers, quantization, resize."""
import numpy as np

from draw import draws, window_extent, windows
from extents import extent
from graph import NUMPY


@draws(2)
def convolution(g):
    rank = g.between(1, 2)
    group, depth, filters = g.pick([(1, 3, 4), (1, 1, 8), (2, 4, 6), (3, 3, 3)])
    kernel, strides, pads = windows(g, rank)
    spatial = g.sizes(rank)
    x = g.input("f32", (g.size(), depth, *spatial))
    w = g.tensor("f32", (filters, depth // group, *kernel), constant_share=0.8)
    bias = None
    if g.chance(0.7):
        wanted = extent(filters)
        bias = g.input("f32", (g.loose(wanted),)) if g.chance(0.4) else \
            g.tensor("f32", (wanted,))
    out = [window_extent(e, k, s, pads[i], pads[i + rank])
           for i, (e, k, s) in enumerate(zip(spatial, kernel, strides))]
    g.node("Conv", [x, w, bias], "f32", (x.shape[0], filters, *out),
           kernel_shape=kernel, strides=strides, pads=pads, group=group)


@draws(2)
def pool(g):
    rank = g.between(1, 2)
    kernel, strides, pads = windows(g, rank)
    ceil = g.between(0, 1)
    spatial = g.sizes(rank)
    if not ceil:
        # The peer accepts a window that exceeds the image by less than a stride
        # (docs/differences.md).
        kernel = [min(k, *(e.at(run) for run in g.runs))
                  for k, e in zip(kernel, spatial)]
    x = g.input("f32", (g.size(), g.pick([1, 3]), *spatial))
    pads = [min(p, 1) if kernel[i % rank] > 2 else 0
            for i, p in enumerate(pads)]
    out = [window_extent(e, k, s, pads[i], pads[i + rank], 1, ceil)
           for i, (e, k, s) in enumerate(zip(spatial, kernel, strides))]
    more = {}
    op = g.pick(["MaxPool", "AveragePool"])
    if op == "AveragePool":
        more["count_include_pad"] = g.between(0, 1)
    g.node(op, [x], "f32", (*x.shape[:2], *out), exact=op == "MaxPool",
           kernel_shape=kernel, strides=strides, pads=pads, ceil_mode=ceil,
           **more)


@draws(2)
def normalization(g):
    """Scale and bias may be inputs with dynamic extents."""
    ops = ["InstanceNormalization", "BatchNormalization", "LpNormalization"]
    op = g.pick(ops + ["LayerNormalization"] if g.opset >= 17 else ops)
    depth = extent(g.pick([1, 2, 3, 5, 8]))

    def vector(fill=None):
        if g.chance(0.4):
            return g.input("f32", (g.loose(depth),), fill)
        return g.tensor("f32", (depth,), fill)

    if op == "LayerNormalization":
        x = g.input("f32", (*g.sizes(g.between(1, 2)), depth))
        bias = vector() if g.chance(0.6) else None
        g.node(op, [x, vector(), bias], "f32", x.shape, exact=False, axis=-1)
        return
    if op == "LpNormalization":
        x = g.input("f32", g.sizes(g.between(1, 3)), mostly_zero)
        g.node(op, [x], "f32", x.shape, exact=False, p=g.between(1, 2),
               axis=g.between(-1, x.rank - 1))
        return
    x = g.input("f32", (g.size(), depth, *g.sizes(g.between(1, 2))))
    operands = [x, vector(), vector()]
    if op == "BatchNormalization":
        operands += [vector(), vector(positive)]
    g.node(op, operands, "f32", x.shape, exact=False)


def mostly_zero(rng, extents):
    return rng.integers(-2, 3, extents) * (rng.random(extents) < 0.3)


def positive(rng, extents):
    return rng.integers(1, 5, extents) * 0.5


@draws(2)
def recurrent(g):
    """A recurrent layer; optional inputs are constants, inputs or absent."""
    op, gates = g.pick([("RNN", 1), ("GRU", 3), ("LSTM", 4)])
    steps, batch = g.size(), g.size(0.7)
    depth, hidden = g.between(1, 4), g.between(1, 4)
    direction = g.pick(["forward", "reverse", "bidirectional"])
    ways = 2 if direction == "bidirectional" else 1

    def small(rng, extents):
        return rng.integers(-3, 4, extents) * 0.25

    x = g.input("f32", (steps, batch, depth), small)
    w = g.tensor("f32", (ways, gates * hidden, depth), small, 0.9)
    r = g.tensor("f32", (ways, gates * hidden, hidden), small, 0.9)
    b = g.tensor("f32", (ways, 2 * gates * hidden), small, 0.7) \
        if g.chance(0.5) else None
    lengths = None
    if g.chance(0.4):
        rows = min(run[batch.parts[0]] for run in g.runs) \
            if batch.op == "dim" else batch.number
        steps_least = min(steps.at(run) for run in g.runs)
        shape = (rows,) if g.chance(0.4) else (batch,)
        lengths = g.tensor("i32", shape, lambda rng, e: rng.integers(
            1, steps_least + 1, e), 0.6)
    states = []
    for _ in range(2 if op == "LSTM" else 1):
        rows = batch
        if batch.op == "dim" and g.chance(0.4):
            rows = extent(batch.at(g.pick(g.runs)))
        states.append(g.tensor("f32", (ways, rows, hidden), small, 0.7)
                      if g.chance(0.5) else None)
    results = [("f32", (steps, ways, batch, hidden)),
               ("f32", (ways, batch, hidden))]
    if op == "LSTM":
        results.append(results[1])
    g.node_of(op, [x, w, r, b, lengths, *states], results, exact=False,
              hidden_size=hidden, direction=direction)


@draws(1.5)
def quantization(g):
    x = g.input("f32", g.sizes(g.between(1, 3)))
    axis = g.between(0, x.rank - 1)
    per_axis = g.chance(0.6)
    shape = ()
    if per_axis:
        size = x.shape[axis]
        shape = (g.loose(size) if g.chance(0.5) else size,)
    scale = g.tensor("f32", shape, lambda rng, e: 2.0 ** rng.integers(-2, 1, e))
    zero = g.tensor("ui8", shape) if g.chance(0.7) else None
    more = {"axis": axis} if per_axis else {}
    q = g.node("QuantizeLinear", [x, scale, zero], "ui8", x.shape, **more)
    g.node("DequantizeLinear", [q, scale, zero], "f32", x.shape, **more)


@draws(2)
def quantized_product(g):
    """A product of dequantized bytes, quantized again. Weights have seven bits,
    so that the peer does not saturate sums of two products."""
    kind = g.pick(["ui8", "i8"])
    low = 0 if kind == "ui8" else -128

    def parameters():
        zero = g.constant(np.array(low + g.pick([0, 3, 128, 255]),
                                   NUMPY[kind]))
        return g.constant(np.array(2.0 ** g.between(-3, 0), np.float32)), zero

    def real(x):
        scale, zero = parameters()
        q = g.node("QuantizeLinear", [x, scale, zero], kind, x.shape)
        return g.node("DequantizeLinear", [q, scale, zero], "f32", x.shape), \
            scale

    depth, columns = g.pick([1, 3, 8, 17]), g.pick([1, 4, 19, 32])
    op, group = g.pick(["Conv", "MatMul", "Gemm"]), 1
    if op == "Conv":
        kernel, strides, pads = windows(g, 2)
        if g.chance(0.3):
            group = depth
            columns = depth * g.pick([1, 2])
        spatial = g.sizes(2)
        x, scale = real(g.input("f32", (g.size(), depth, *spatial)))
        shape, axis = (columns, depth // group, *kernel), 0
        out = (x.shape[0], columns,
               *(window_extent(e, k, s, pads[i], pads[i + 2])
                 for i, (e, k, s) in enumerate(zip(spatial, kernel, strides))))
        more = dict(kernel_shape=kernel, strides=strides, pads=pads,
                    group=group)
    else:
        x, scale = real(g.input("f32", (g.size(), depth)))
        turned = op == "Gemm" and g.chance(0.5)
        shape, axis = ((columns, depth), 0) if turned else ((depth, columns), 1)
        out, more = (x.shape[0], columns), {"transB": 1} if turned else {}
    count = (columns,) if g.chance(0.7) else ()
    scales = 2.0 ** g.rng.integers(-4, 0, count)
    w = g.node("DequantizeLinear", [
        g.constant(g.rng.integers(-63, 64, shape).astype(np.int8)),
        g.constant(np.array(scales, np.float32))], "f32", shape, axis=axis)
    bias = None
    if op != "MatMul" and g.chance(0.7):
        held = np.array(scales * g.constants[scale.name], np.float32)
        if count or g.chance(0.5):
            bias = g.node("DequantizeLinear", [
                g.constant(g.rng.integers(-99, 99, columns).astype(np.int32)),
                g.constant(held)], "f32", (columns,), axis=0)
        else:
            bias = g.tensor("f32", (columns,))
    operands = [x, w] if op == "MatMul" else [x, w, bias]
    y = g.node(op, operands, "f32", out, **more)
    if g.chance(0.5):
        y = g.node("Relu", [y], "f32", out)
    real(y)


@draws(1.5)
def matmul_integer(g):
    m, k, n = g.size(0.6), g.size(0.4), g.size(0.4)
    a = g.input("ui8", (m, k))
    b = g.tensor("i8", (k, n), constant_share=0.7)
    zero_a = zero_b = None
    if g.chance(0.6):
        zero_a = g.tensor("ui8", ())
    if g.chance(0.6):
        zero_b = g.tensor("i8", g.pick([(), (g.loose(n),), (n,)]))
    out = g.node("MatMulInteger", [a, b, zero_a, zero_b], "i32", (m, n))
    g.node("Cast", [out], "f32", out.shape, to=1)


FACTORS = [(1.0, 1, 1), (2.0, 2, 1), (3.0, 3, 1), (0.5, 1, 2), (1.5, 3, 2),
           (0.75, 3, 4), (0.625, 5, 8)]


@draws(1.5)
def resize(g):
    """A Resize by constant factors or to computed sizes."""
    x = g.input("f32", (g.size(), g.pick([1, 2]), *g.sizes(2)))
    mode = g.pick(["nearest", "linear", "cubic"])
    where = g.pick(["half_pixel", "asymmetric", "align_corners",
                    "pytorch_half_pixel"])
    more = {"nearest_mode": g.pick(["floor", "round_prefer_floor"])} \
        if mode == "nearest" else {}
    empty = g.constant(np.zeros(0, np.float32))
    if g.chance(0.6):
        # Each factor is (float, numerator, denominator); the size is rounded
        # down. With align_corners the peer rounds the size first
        # (docs/differences.md).
        known = FACTORS[:3] if where == "align_corners" else FACTORS
        factors = [g.pick(known) for _ in range(2)]
        scales = g.constant(np.array([1, 1, *(f[0] for f in factors)],
                                     np.float32))
        out = [e * f[1] // f[2] for e, f in zip(x.shape[2:], factors)]
        g.node("Resize", [x, empty, scales], "f32", (*x.shape[:2], *out),
               exact=False, mode=mode, coordinate_transformation_mode=where,
               **more)
        return
    out = [e * g.between(1, 3) for e in x.shape[2:]]
    sizes = g.computed_list([*x.shape[:2], *out])
    g.node("Resize", [x, empty, empty, sizes], "f32", (*x.shape[:2], *out),
           exact=False, mode=mode, coordinate_transformation_mode=where,
           **more)


@draws(1)
def roi_align(g):
    """A RoiAlign; the number of samples 0 means that each box determines it."""
    if g.opset < 16:
        return
    height, width = g.size(), g.size()
    x = g.input("f32", (g.between(1, 2), g.pick([1, 2]), height, width))
    boxes = g.size()

    def corners(rng, extents):
        # No sample lies on the border of the image, where the rounding of its
        # coordinate decides if it counts.
        low = rng.integers(0, 5, (*extents[:-1], 2)) * 0.5 + 0.03
        return np.concatenate([low, low + rng.integers(1, 9, low.shape)], -1)

    rois = g.tensor("f32", (boxes, 4), corners)
    image = g.tensor("i64", (boxes,), lambda rng, e: np.zeros(e))
    out = g.between(1, 3), g.between(1, 3)
    g.node("RoiAlign", [x, rois, image], "f32", (boxes, x.shape[1], *out),
           exact=False, output_height=out[0], output_width=out[1],
           sampling_ratio=g.pick([0, 0, 1, 2]), spatial_scale=g.pick([1.0, 0.5]),
           coordinate_transformation_mode=g.pick(
               ["half_pixel", "output_half_pixel"]))


@draws(1.5)
def loss(g):
    """A loss; the weights of classes may be an input with a dynamic extent."""
    classes = g.between(1, 6)
    rows = (g.size(), *g.sizes(g.between(0, 1)))
    x = g.input("f32", (rows[0], classes, *rows[1:]))
    target = g.tensor("i64", rows,
                      lambda rng, e: rng.integers(0, classes, e))
    weight = None
    if g.chance(0.7):
        wanted = extent(classes)
        weight = g.tensor("f32", (g.loose(wanted) if g.chance(0.5) else wanted,),
                          positive)
    reduction = g.pick(["none", "sum", "mean"])
    g.node(g.pick(["NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"]),
           [x, target, weight], "f32", rows if reduction == "none" else (),
           exact=False, reduction=reduction)
