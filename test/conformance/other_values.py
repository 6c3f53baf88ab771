"""Further inputs for cases whose shapes depend on input *values*.

A case of the suite runs its model with one target shape, one slice, one k.
This file has other values for that model, with outputs computed by numpy. They
run with the artifact that passed the case's own data. `CASES` maps a pattern
of case names to a function (case) -> [(inputs, outputs)]. `case.inputs` are
the suite's arrays; `case.integer` reads attributes of the last node.

If a model declares static extents for an output, they hold for its author's
values only; other values may give other extents of equal rank.
"""
import fnmatch
import os

import numpy as np

import onnx_wire
import resize_reference
import signal_reference


class Case:
    def __init__(self, path):
        self.name = os.path.basename(path)
        self.graph = onnx_wire.Model(os.path.join(path, "model.onnx")).graph
        self.node = self.graph.nodes[-1]
        first = os.path.join(path, "test_data_set_0")
        self.inputs = [
            onnx_wire.read_tensor(f"{first}/input_{i}.pb").array()
            for i in range(len(self.graph.inputs))]

    def integer(self, name, default):
        return self.node.integer(name, default)

    def text(self, name, default):
        held = self.node.attributes.get(name)
        return held.text(4) if held else default

    def number(self, name, default):
        held = self.node.attributes.get(name)
        return float(np.frombuffer(held.all(2)[-1], "<f4")[0]) if held \
            else default


def ints(*values):
    return np.array(values, np.int64)


def scalar(value, dtype=np.int64):
    return np.array(value, dtype)


def reshape(case):
    data = case.inputs[0]
    keeps_zero = case.integer("allowzero", 0)
    targets = {
        "test_reshape_allowzero_reordered": [(0, 1, 7), (5, 0, 2)],
        "test_reshape_extended_dims": [(2, 2, 3, 2), (1, -1, 1, 2)],
        "test_reshape_negative_dim": [(4, 2, -1), (-1, 1, 1), (0, 4, -1)],
        "test_reshape_negative_extended_dims": [(1, -1, 2, 3), (2, 1, 12, -1)],
        "test_reshape_one_dim": [(-1,)],
        "test_reshape_reduced_dims": [(4, 6), (1, 24), (-1, 3), (0, -1)],
        "test_reshape_reordered_all_dims": [(3, 4, 2), (1, 24, 1), (6, -1, 2)],
        "test_reshape_reordered_last_dims": [(4, 3, 2), (12, 2, 1)],
        "test_reshape_zero_and_negative_dim": [(1, 0, -1, 2), (2, 3, 2, -1)],
        "test_reshape_zero_dim": [(2, 0, 1, 4), (1, 2, 3, 4)],
    }
    for target in targets[case.name]:
        shape = [data.shape[i] if d == 0 and not keeps_zero else d
                 for i, d in enumerate(target)]
        yield [data, ints(*target)], [data.reshape(shape)]


def expand(case):
    data = case.inputs[0]
    rank = case.inputs[1].shape[0]
    for extents in [(1,) * rank, tuple(range(2, rank + 2))]:
        shape = list(extents)
        # Extents of the data other than 1 must be kept.
        for i, extent in enumerate(reversed(data.shape), 1):
            if i <= rank and extent != 1 and shape[-i] != 1:
                shape[-i] = extent
        whole = np.broadcast_shapes(data.shape, tuple(shape))
        yield [data, ints(*shape)], [np.broadcast_to(data, whole).copy()]


def sliced(case):
    data, starts, ends = case.inputs[:3]
    axes = case.inputs[3] if len(case.inputs) > 3 else \
        np.arange(len(starts))
    count = len(starts)
    variants = [([1] * count, [3] * count, [1] * count),
                ([-4] * count, [-1] * count, [1] * count),
                ([0] * count, [2 ** 63 - 1] * count, [2] * count),
                ([2] * count, [2] * count, [1] * count),
                ([-1] * count, [-2 ** 63] * count, [-3] * count)]
    for begin, end, step in variants:
        if len(case.inputs) < 5 and step != [1] * count:
            continue
        index = [slice(None)] * data.ndim
        for axis, b, e, s in zip(axes, begin, end, step):
            extent = data.shape[axis]
            clamp = (lambda v: max(0, min(extent, v + extent * (v < 0)))) \
                if s > 0 else \
                (lambda v: max(-1, min(extent - 1, v + extent * (v < 0))))
            low, high = clamp(b), clamp(e)
            index[axis] = slice(low, None if s < 0 and high < 0 else high, s)
        given = [data, ints(*begin), ints(*end)]
        if len(case.inputs) > 3:
            given.append(axes)
        if len(case.inputs) > 4:
            given.append(ints(*step))
        given = [g.astype(i.dtype) for g, i in zip(given, case.inputs)]
        yield given, [np.ascontiguousarray(data[tuple(index)])]


def tile(case):
    data, repeats = case.inputs
    rank = len(repeats)
    for counts in [(1,) * rank, tuple(range(1, rank + 1)),
                   (0,) + (2,) * (rank - 1)]:
        yield [data, ints(*counts)], [np.tile(data, counts)]


def pad(case):
    data, pads = case.inputs[:2]
    mode = case.text("mode", "constant")
    rank = data.ndim
    for before, after in [((0,) * rank, (1,) * rank),
                          ((0,) * (rank - 1) + (2,), (0,) * rank),
                          ((0,) * (rank - 2) + (1, 2), (0,) * (rank - 2) + (2, 1))]:
        widths = [(b, a) for b, a in zip(before, after)]
        if mode == "reflect" and any(
                max(w) >= e for w, e in zip(widths, data.shape)):
            continue
        rest = case.inputs[2:]
        if mode == "constant":
            out = np.pad(data, widths, "constant",
                         constant_values=rest[0] if rest else 0)
        else:
            out = np.pad(data, widths, mode)
        yield [data, ints(*before, *after), *rest], [out]


def constant_of_shape(case):
    held = case.node.attributes.get("value")
    value = onnx_wire.Tensor(held.all(5)[-1]).array() if held else \
        np.zeros(1, np.float32)
    rank = len(case.inputs[0])
    for shape in [(1,) * rank, tuple(range(2, rank + 2)),
                  (0,) * rank, (5,) * rank]:
        yield [ints(*shape)], [np.full(shape, value[0], value.dtype)]


def arange(case):
    dtype = case.inputs[0].dtype
    for start, limit, delta in [(2, 11, 3), (7, 7, 1), (0, 1, 1), (9, 2, -2),
                                (3, 1, 5)]:
        count = max(0, -((start - limit) // delta))
        out = np.array([start + i * delta for i in range(count)], dtype)
        yield [scalar(start, dtype), scalar(limit, dtype),
               scalar(delta, dtype)], [out]


def top_k(case):
    data = case.inputs[0]
    axis = case.integer("axis", -1)
    largest = case.integer("largest", 1)
    for k in (0, 1, 2, data.shape[axis]):
        order = np.argsort(-data if largest else data, axis, kind="stable")
        chosen = np.take(order, range(k), axis)
        yield [data, ints(k)], [np.take_along_axis(data, chosen, axis),
                                chosen.astype(np.int64)]


def squeeze(case):
    data, axes = case.inputs
    other = [a - data.ndim if a >= 0 else a + data.ndim for a in axes]
    yield [data, ints(*other)], [data.squeeze(tuple(other))]


def unsqueeze(case):
    if len(case.inputs) < 2:
        return
    data, axes = case.inputs
    count = len(axes)
    rank = data.ndim + count
    for chosen in [range(count), range(-count, 0), range(1, count + 1),
                   reversed(range(count))]:
        chosen = list(chosen)
        places = {c % rank for c in chosen}
        extents = iter(data.shape)
        shape = [1 if i in places else next(extents) for i in range(rank)]
        yield [data, ints(*chosen)], [data.reshape(shape)]


def reduce_sum(case):
    data, axes = case.inputs
    keep = bool(case.integer("keepdims", 1))
    for axis in range(-data.ndim, data.ndim):
        yield [data, ints(axis)], [data.sum(axis, keepdims=keep)]


def split(case):
    data, sizes = case.inputs
    axis = case.integer("axis", 0)
    extent, parts = data.shape[axis], len(sizes)
    for first in (0, 1, extent):
        chosen = [first] + [0] * (parts - 2) + [extent - first]
        yield [data, ints(*chosen)], \
            [p.copy() for p in np.split(data, np.cumsum(chosen)[:-1], axis)]


def one_hot(case):
    indices, _, values = case.inputs
    depth_type = case.inputs[1].dtype
    axis = case.integer("axis", -1)
    for depth in (1, 4, 15):
        at = indices.astype(np.int64)
        at = np.where(at < 0, at + depth, at)
        place = axis % (indices.ndim + 1)
        shape = [1] * (indices.ndim + 1)
        shape[place] = depth
        hot = np.arange(depth).reshape(shape) == np.expand_dims(at, place)
        out = np.where(hot, values[1], values[0]).astype(values.dtype)
        given = np.array(depth, depth_type).reshape(case.inputs[1].shape)
        yield [indices, given, values], [out]


def cum_sum(case):
    data, given = case.inputs
    exclusive = case.integer("exclusive", 0)
    backward = case.integer("reverse", 0)
    for axis in range(-data.ndim, data.ndim):
        x = np.flip(data, axis) if backward else data
        out = x.cumsum(axis, dtype=data.dtype)
        if exclusive:
            out = out - x
        out = np.flip(out, axis) if backward else out
        yield [data, scalar(axis, given.dtype)], [np.ascontiguousarray(out)]


def trilu(case):
    if len(case.inputs) < 2:
        return
    data = case.inputs[0]
    upper = case.integer("upper", 1)
    for k in (-9, -1, 0, 2, 9):
        yield [data, scalar(k)], [np.triu(data, k) if upper
                                  else np.tril(data, k)]


def resize(case):
    data = case.inputs[0]
    names = [v.name for v in case.graph.inputs]
    by_scale = "scales" in names
    given = np.array(case.inputs[-1])
    roi = None
    if case.text("coordinate_transformation_mode", "") == \
            "tf_crop_and_resize":
        roi = case.inputs[names.index("roi")]
    spatial = data.shape[2:]
    for factors in [(1.5, 2.5), (1.0, 0.5), (3.0, 1.0), (0.75, 1.25)]:
        # The specification is unclear about a crop along an axis of unchanged
        # length.
        if roi is not None and 1.0 in factors:
            continue
        if by_scale:
            scales = [1.0, 1.0, *factors]
            last = np.array(scales, np.float32)
            sizes = [int(np.floor(e * s)) for e, s in zip(data.shape, scales)]
        else:
            sizes = [*data.shape[:2], *(int(e * f) for e, f in
                                        zip(spatial, factors))]
            scales = [s / e for s, e in zip(sizes, data.shape)]
            last = ints(*sizes)
        inputs = [*case.inputs[:-1], last.astype(given.dtype)]
        yield inputs, [resize_reference.resize(
            data, scales, sizes, roi,
            mode=case.text("mode", "nearest"),
            transform=case.text("coordinate_transformation_mode",
                                "half_pixel"),
            rounding=case.text("nearest_mode", "round_prefer_floor"),
            cubic=case.number("cubic_coeff_a", -0.75),
            exclude_outside=case.integer("exclude_outside", 0),
            outside=case.number("extrapolation_value", 0.0))]


def upsample(case):
    data = case.inputs[0]
    for scales in [(1, 1, 1, 1), (1, 1, 3, 2), (1, 1, 4, 5)]:
        out = data
        for axis, times in enumerate(scales):
            out = out.repeat(times, axis)
        yield [data, np.array(scales, np.float32)], [out]


def window(case):
    kind = next(k for k in signal_reference.WINDOWS if k in case.name)
    for size in (2, 5, 33):
        yield [scalar(size, case.inputs[0].dtype)], \
            [signal_reference.window(kind, size, "symmetric" in case.name)]


def compress(case):
    data, keep = case.inputs
    axis = case.integer("axis", None)
    for pattern in ([0] * len(keep), [1] * len(keep),
                    [i % 2 for i in range(len(keep))]):
        mask = np.array(pattern, bool)
        yield [data, mask], [np.compress(mask, data, axis)]


def non_zero(case):
    shape, dtype = case.inputs[0].shape, case.inputs[0].dtype
    for data in (np.zeros(shape, dtype), np.ones(shape, dtype),
                 np.eye(*shape, k=1).astype(dtype)):
        yield [data], [np.array(np.nonzero(data), np.int64)]


def unique(case):
    axis = case.integer("axis", None)
    data = case.inputs[0]
    if not case.integer("sorted", 1):
        return
    for other in (np.zeros_like(data), data[::-1].copy(),
                  np.arange(data.size).reshape(data.shape)
                  .astype(data.dtype)):
        values, first, back, counts = np.unique(
            other, True, True, True, axis=axis)
        yield [other], [values, first.astype(np.int64),
                        back.reshape(-1).astype(np.int64),
                        counts.astype(np.int64)]


def max_unpool(case):
    """Indices refer to the pooled extents, 4x4, whatever output shape is
    given."""
    data, where, shape = case.inputs
    pooled = np.zeros((1, 1, 4, 4), data.dtype)
    pooled.reshape(-1)[where.reshape(-1)] = data.reshape(-1)
    for height, width in ((4, 4), (6, 5), (4, 7)):
        out = np.zeros((1, 1, height, width), data.dtype)
        out[:, :, :4, :4] = pooled
        yield [data, where, ints(*out.shape)], [out]


def stft(case):
    signal, step = case.inputs[:2]
    with_window = "window" in case.name
    for hop, length in ((4, 16), (16, 16), (7, 16), (8, 32), (5, 9)):
        if with_window and length != 16:
            continue
        shape = case.inputs[2] if with_window else np.ones(length)
        yield [signal, scalar(hop), case.inputs[2] if with_window
               else scalar(length)], \
            [signal_reference.stft(signal, shape, hop)]


def corners(box, centered):
    if centered:
        x, y, width, height = box
        return y - height / 2, x - width / 2, y + height / 2, x + width / 2
    y1, x1, y2, x2 = box
    return min(y1, y2), min(x1, x2), max(y1, y2), max(x1, x2)


def overlap(a, b):
    """The intersection over the union of two boxes."""
    height = min(a[2], b[2]) - max(a[0], b[0])
    width = min(a[3], b[3]) - max(a[1], b[1])
    shared = max(height, 0) * max(width, 0)
    whole = sum((c[2] - c[0]) * (c[3] - c[1]) for c in (a, b)) - shared
    return shared / whole if shared > 0 else 0.0


def non_max_suppression(case):
    boxes, scores, most, limit, least = case.inputs
    centered = case.integer("center_point_box", 0)
    for count in (0, 1, 2, 50):
        chosen = []
        for batch in range(scores.shape[0]):
            for kind in range(scores.shape[1]):
                row, kept = scores[batch, kind], []
                for i in np.argsort(-row, kind="stable"):
                    here = corners(boxes[batch, i], centered)
                    if row[i] > least[0] and len(kept) < count and \
                            all(overlap(here, corners(boxes[batch, j],
                                                      centered)) <= limit[0]
                                for j in kept):
                        kept.append(i)
                chosen += [(batch, kind, i) for i in kept]
        out = np.array(chosen, np.int64).reshape(-1, 3)
        yield [boxes, scores, np.array([count], most.dtype), limit, least], \
            [out]


def mel_weights(case):
    rest = case.inputs[2:]
    kinds = [i.dtype for i in case.inputs]
    for bands, length in ((4, 16), (8, 32), (12, 64)):
        yield [scalar(bands, kinds[0]), scalar(length, kinds[1]), *rest], \
            [signal_reference.mel_weights(bands, length, *rest)]


def loop_sum(case):
    """loop11: the running sum of the first trip_count of five numbers."""
    _, _, start = case.inputs
    terms = np.array([1, 2, 3, 4, 5], np.float32)
    for trips in (1, 2, 4):
        sums = start + np.cumsum(terms[:trips])
        yield [scalar(trips), scalar(True, bool), start], \
            [sums[-1:].astype(np.float32).reshape(start.shape),
             sums.astype(np.float32).reshape((trips,) + start.shape)]


CASES = [
    ("test_reshape_*", reshape),
    ("test_expand_*", expand),
    ("test_slice*", sliced),
    ("test_tile*", tile),
    ("test_constant_pad", pad),
    ("test_edge_pad", pad),
    ("test_reflect_pad", pad),
    ("test_constantofshape_*", constant_of_shape),
    ("test_range_*", arange),
    ("test_top_k*", top_k),
    ("test_squeeze*", squeeze),
    ("test_unsqueeze_*", unsqueeze),
    ("test_reduce_sum_do_not_keepdims_*", reduce_sum),
    ("test_reduce_sum_keepdims_*", reduce_sum),
    ("test_reduce_sum_negative_axes_keepdims_example", reduce_sum),
    ("test_split_variable_parts_*", split),
    ("test_onehot_*", one_hot),
    ("test_cumsum_*", cum_sum),
    ("test_tri[lu]_*", trilu),
    ("test_resize_*", resize),
    ("test_upsample_nearest", upsample),
    ("test_*mmingwindow*", window),
    ("test_hannwindow*", window),
    ("test_blackmanwindow*", window),
    ("test_compress_*", compress),
    ("test_nonzero_example", non_zero),
    ("test_unique_*", unique),
    ("test_maxunpool_export_with_output_shape", max_unpool),
    ("test_stft", stft),
    ("test_stft_with_window", stft),
    ("test_nonmaxsuppression_*", non_max_suppression),
    ("test_melweightmatrix", mel_weights),
    ("test_loop11", loop_sum),
]


def variants(path):
    """The data sets of a case folder, checked against its declared types."""
    name = os.path.basename(path)
    for pattern, make in CASES:
        if fnmatch.fnmatch(name, pattern):
            return list(make(Case(path)))
    return []


def write(data, target, wanted=None):
    """Writes every data set as test data under `target`; returns their
    number."""
    count = 0
    for suite in ("node", "simple"):
        for name in sorted(os.listdir(os.path.join(data, suite))):
            if wanted is not None and name not in wanted:
                continue
            made = variants(os.path.join(data, suite, name))
            for number, (inputs, outputs) in enumerate(made):
                folder = os.path.join(target, name,
                                      f"test_data_set_other{number}")
                os.makedirs(folder)
                for stem, arrays in (("input", inputs), ("output", outputs)):
                    for i, array in enumerate(arrays):
                        onnx_wire.write_tensor(f"{folder}/{stem}_{i}.pb",
                                               array)
                count += 1
    return count
