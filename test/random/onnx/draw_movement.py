"""Ops that move elements; sizes of slices, pads and reshapes come from
extents."""
import numpy as np

from draw import draws
from extents import combine, extent


@draws(1)
def transpose(g):
    x = g.some()
    order = [int(i) for i in g.rng.permutation(x.rank)]
    g.node("Transpose", [x], x.element, [x.shape[i] for i in order], perm=order)


@draws(2)
def reshape(g):
    """Merges two dims or splits one, by constants or computed extents."""
    x = g.some()
    if x.rank >= 2 and g.chance(0.5):
        at = g.between(0, x.rank - 2)
        shape = [*x.shape[:at], x.shape[at] * x.shape[at + 1],
                 *x.shape[at + 2:]]
    else:
        at = g.between(0, x.rank - 1)
        shape = [*x.shape[:at], extent(1), *x.shape[at:]]
        number = x.shape[at].number
        if number and number % 2 == 0:
            shape[at:at + 2] = [extent(2), extent(number // 2)]
    given = list(shape)
    if g.chance(0.5):
        given[g.between(0, len(shape) - 1)] = extent(-1)
    target = g.computed_list(given)
    g.node("Reshape", [x, target], x.element, shape)


@draws(1)
def flatten(g):
    x = g.some()
    axis = g.between(0, x.rank)
    before = after = extent(1)
    for e in x.shape[:axis]:
        before = before * e
    for e in x.shape[axis:]:
        after = after * e
    g.node("Flatten", [x], x.element, (before, after), axis=axis)


@draws(1)
def unsqueeze_squeeze(g):
    x = g.some()
    at = g.between(0, x.rank)
    y = g.node("Unsqueeze", [x, g.integers(at)], x.element,
               [*x.shape[:at], extent(1), *x.shape[at:]])
    if g.chance(0.5):
        ones = [i for i, e in enumerate(y.shape) if e.number == 1]
        gone = g.pick(ones)
        g.node("Squeeze", [y, g.integers(gone)], x.element,
               [e for i, e in enumerate(y.shape) if i != gone])


@draws(0.7)
def squeeze_all(g):
    """A Squeeze without axes removes all 1s. Dynamic extents are larger in
    each run."""
    wide = g.dim_above_one()
    shape = [g.pick([wide, extent(1), extent(3)])
             for _ in range(g.between(1, 4))]
    x = g.input("f32", shape)
    g.node("Squeeze", [x], "f32", [e for e in shape if e.number != 1])


@draws(1.5)
def expand(g):
    x = g.some()
    lead = g.size()
    shape = [lead, *(g.size() if e.number == 1 else e for e in x.shape)]
    target = g.computed_list(shape)
    g.node("Expand", [x, target], x.element, shape)


@draws(1)
def tile(g):
    x = g.some()
    repeats = [g.size(0.3) if g.chance(0.3) else extent(g.between(1, 2))
               for _ in x.shape]
    g.node("Tile", [x, g.computed_list(repeats)], x.element,
           [e * r for e, r in zip(x.shape, repeats)])


@draws(4)
def slice_by_extent(g):
    """`x[..., : W - W % 8]`, halves, crops to another tensor's size, steps."""
    x = g.some()
    axis = g.between(0, x.rank - 1)
    size = x.shape[axis]
    step = g.pick([1, 1, 1, 2, -1])
    kind = g.pick(["multiple", "half", "first", "last", "crop"])
    unit = g.pick([2, 4, 8])
    start, end = extent(0), size
    if kind == "multiple":
        end = size - size % unit
    elif kind == "half":
        start, end = size // 2, size
    elif kind == "first":
        end = combine("min", size, extent(g.between(1, 5)))
    elif kind == "last":
        start = combine("max", size - g.between(1, 3), extent(0))
    else:
        other = g.some()
        end = combine("min", size, g.pick(other.shape))
    length = end - start
    if step == 2:
        length = (length + 1) // 2
    starts, ends = g.computed(start), g.computed(end)
    if step == -1:
        # From the last element of the range to the first.
        starts = g.node("Sub", [g.computed(end), g.integers(1)], "i64", (1,))
        ends = g.node("Sub", [g.computed(start), g.node(
            "Add", [g.computed(size), g.integers(1)], "i64", (1,))],
            "i64", (1,))
    axes = g.integers(axis - x.rank if g.chance(0.3) else axis)
    g.node("Slice", [x, starts, ends, axes, g.integers(step)], x.element,
           [*x.shape[:axis], length, *x.shape[axis + 1:]])


@draws(4)
def pad_by_extent(g):
    """Pads to a multiple, to another tensor's size, or by unequal constants."""
    x = g.some(elements=("f32", "f32", "i64"))
    before = [extent(0)] * x.rank
    after = [extent(0)] * x.rank
    for axis in range(x.rank):
        kind = g.pick(["none", "constant", "multiple", "other", "same"])
        size = x.shape[axis]
        if kind == "constant":
            before[axis], after[axis] = (extent(g.between(0, 3))
                                         for _ in range(2))
        elif kind == "multiple":
            unit = g.pick([2, 4, 8])
            after[axis] = (extent(unit) - size % unit) % unit
        elif kind == "other":
            least = g.pick(g.some().shape)
            missing = combine("max", least - size, extent(0))
            before[axis] = missing // 2
            after[axis] = missing - missing // 2
        elif kind == "same":
            total = g.between(0, 3)
            before[axis], after[axis] = extent(total // 2), \
                extent(total - total // 2)
    mode = g.pick(["constant", "constant", "edge", "reflect"])
    value = None
    if mode == "constant" and g.chance(0.5):
        value = g.tensor(x.element, ())
    if mode == "reflect":
        before = [extent(0)] * x.rank
        after = [extent(0)] * x.rank
        before[-1] = combine("min", extent(g.between(0, 2)), x.shape[-1] - 1)
    amounts = g.computed_list([*before, *after])
    g.node("Pad", [x, amounts, value], x.element,
           [b + e + a for b, e, a in zip(before, x.shape, after)], mode=mode)


@draws(1.5)
def concat(g):
    x = g.some()
    axis = g.between(0, x.rank - 1)
    parts = [x]
    for _ in range(g.between(1, 2)):
        shape = [*x.shape]
        shape[axis] = g.size()
        other = g.between(0, x.rank - 1)
        if other != axis and shape[other].number is None and g.chance(0.1):
            shape[other] = g.loose(shape[other])
        parts.append(g.tensor(x.element, shape))
    size = parts[0].shape[axis]
    for part in parts[1:]:
        size = size + part.shape[axis]
    g.node("Concat", parts, x.element,
           [*x.shape[:axis], size, *x.shape[axis + 1:]], axis=axis)


@draws(1.5)
def split(g):
    """Splits into two equal parts, or by sizes computed from the extent."""
    x = g.some()
    axis = g.between(0, x.rank - 1)
    size = x.shape[axis]
    first = size // 2
    sizes = [first, size - first]
    outs = [(x.element, [*x.shape[:axis], s, *x.shape[axis + 1:]])
            for s in sizes]
    g.node_of("Split", [x, g.computed_list(sizes)], outs, axis=axis)


@draws(1)
def roll(g):
    """A roll as exporters write it: two slices joined in the opposite order."""
    x = g.some()
    axis = g.between(0, x.rank - 1)
    size = x.shape[axis]
    by = size // 2 if g.chance(0.5) else combine("min", size,
                                                 extent(g.between(1, 3)))
    axes = g.integers(axis)
    lead, tail = x.shape[:axis], x.shape[axis + 1:]
    head = g.node("Slice", [x, g.integers(0), g.computed(by), axes],
                  x.element, (*lead, by, *tail))
    rest = g.node("Slice", [x, g.computed(by), g.integers(2 ** 62), axes],
                  x.element, (*lead, size - by, *tail))
    g.node("Concat", [rest, head], x.element, x.shape, axis=axis)


@draws(1)
def windows_of_image(g):
    """Pads to a multiple, cuts into windows, joins them and crops, as Swin
    does."""
    batch, height, width = g.size(), g.dim(), g.dim()
    unit, depth = g.pick([2, 4]), g.pick([1, 3, 4])
    x = g.input("f32", (batch, height, width, depth))
    more = [(extent(unit) - e % unit) % unit for e in (height, width)]
    zero = extent(0)
    amounts = g.computed_list([zero, zero, zero, zero,
                               zero, more[0], more[1], zero])
    rows, columns = height + more[0], width + more[1]
    p = g.node("Pad", [x, amounts], "f32", (batch, rows, columns, depth))
    shape = (batch, rows // unit, extent(unit), columns // unit, extent(unit),
             extent(depth))
    w = g.node("Reshape", [p, g.computed_list(shape)], "f32", shape)
    t = g.node("Transpose", [w], "f32", [shape[i] for i in (0, 1, 3, 2, 4, 5)],
               perm=[0, 1, 3, 2, 4, 5])
    count = batch * (rows // unit) * (columns // unit)
    flat = (count, extent(unit * unit), extent(depth))
    f = g.node("Reshape", [t, g.computed_list(
        [extent(-1), flat[1], flat[2]])], "f32", flat)
    f = g.node("Relu", [f], "f32", flat)
    b = g.node("Reshape", [f, g.computed_list(t.shape)], "f32", t.shape)
    b = g.node("Transpose", [b], "f32", shape, perm=[0, 1, 3, 2, 4, 5])
    whole = (batch, rows, columns, extent(depth))
    b = g.node("Reshape", [b, g.computed_list(whole)], "f32", whole)
    g.node("Slice", [b, g.integers(0, 0), g.computed_list([height, width]),
                     g.integers(1, 2)], "f32", x.shape)


@draws(1)
def constant_of_shape(g):
    sizes = g.sizes(g.between(1, 3))
    if all(s.number is not None for s in sizes):
        return
    g.node("ConstantOfShape", [g.computed_list(sizes)], "f32", sizes,
           value=np.array([1.5], np.float32))

