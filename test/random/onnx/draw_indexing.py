"""Gathers, scatters, selections, and results with data-dependent sizes."""
import numpy as np

from draw import draws
from extents import combine, extent
from graph import indices


def least(g, size):
    return min(size.at(run) for run in g.runs)


@draws(2)
def gather(g):
    x = g.some()
    axis = g.between(0, x.rank - 1)
    at = g.tensor("i64", g.sizes(g.between(0, 2)),
                  indices(least(g, x.shape[axis])))
    g.node("Gather", [x, at], x.element,
           [*x.shape[:axis], *at.shape, *x.shape[axis + 1:]], axis=axis)


@draws(1)
def gather_elements(g):
    x = g.some()
    axis = g.between(0, x.rank - 1)
    shape = [combine("min", e, extent(g.between(1, 4))) if g.chance(0.3) else e
             for e in x.shape]
    shape[axis] = g.size()
    at = g.tensor("i64", shape, indices(least(g, x.shape[axis])))
    g.node("GatherElements", [x, at], x.element, shape, axis=axis)


def points(g, x, depth):
    """Indices of `depth` coordinates into x."""
    lead = g.sizes(g.between(1, 2))
    sizes = [least(g, e) for e in x.shape[:depth]]

    def fill(rng, extents):
        return np.stack([indices(s)(rng, extents[:-1]) for s in sizes], -1)
    return lead, (*lead, extent(depth)), fill


@draws(1.5)
def gather_nd(g):
    x = g.some()
    depth = g.between(1, x.rank)
    lead, shape, fill = points(g, x, depth)
    at = g.tensor("i64", shape, fill)
    g.node("GatherND", [x, at], x.element, [*lead, *x.shape[depth:]])


@draws(1.5)
def scatter_nd(g):
    """A ScatterND that adds, because the order of equal indices must not
    matter."""
    if g.opset < 16:
        return
    x = g.some()
    depth = g.between(1, x.rank)
    lead, shape, fill = points(g, x, depth)
    at = g.tensor("i64", shape, fill)
    updates = [*lead, *x.shape[depth:]]
    if g.chance(0.3) and updates:
        place = g.between(0, len(updates) - 1)
        updates[place] = g.loose(updates[place])
    g.node("ScatterND", [x, at, g.tensor(x.element, updates)], x.element,
           x.shape, reduction="add")


@draws(1)
def scatter_elements(g):
    if g.opset < 16:
        return
    x = g.some()
    axis = g.between(0, x.rank - 1)
    shape = [combine("min", e, extent(least(g, e))) if i != axis else g.size()
             for i, e in enumerate(x.shape)]
    shape = [extent(least(g, e)) if e.op == "min" else e for e in shape]
    at = g.tensor("i64", shape, indices(least(g, x.shape[axis])))
    g.node("ScatterElements", [x, at, g.tensor("f32", shape)], "f32", x.shape,
           axis=axis, reduction="add")


@draws(1)
def one_hot(g):
    depth = g.between(1, 6)
    at = g.tensor("i64", g.sizes(g.between(1, 2)), indices(depth))
    values = g.constant(np.array([0, 1], np.float32))
    g.node("OneHot", [at, g.integers(depth), values], "f32",
           (*at.shape, depth))


@draws(1)
def top_k(g):
    x = g.some(exact=True)
    axis = g.between(0, x.rank - 1)
    k = combine("min", x.shape[axis], extent(g.between(1, 6)))
    shape = [*x.shape]
    shape[axis] = k
    g.node_of("TopK", [x, g.computed(k)], [(x.element, shape), ("i64", shape)],
              axis=axis, largest=g.between(0, 1))


@draws(0.8)
def range_of(g):
    size = g.dim()
    limit = g.node("Squeeze", [g.computed(size)], "i64", ())
    zero = g.constant(np.array(0, np.int64))
    one = g.constant(np.array(1, np.int64))
    r = g.node("Range", [zero, limit, one], "i64", (size,))
    g.node("Cast", [r], "f32", (size,), to=1)


@draws(1)
def non_zero(g):
    x = g.some(exact=True)
    found = g.open_size()
    at = g.node("NonZero", [x], "i64", (x.rank, found))
    if g.chance(0.5):
        rows = g.node("Transpose", [at], "i64", (found, x.rank), perm=[1, 0])
        g.node("GatherND", [x, rows], "f32", (found,))


@draws(1)
def compress(g):
    x = g.some()
    axis = g.between(0, x.rank - 1)
    keep = g.input("bool", (x.shape[axis],))
    shape = [*x.shape]
    shape[axis] = g.open_size()
    g.node("Compress", [x, keep], x.element, shape, axis=axis)


@draws(1)
def unique(g):
    x = g.some(exact=True)
    found = g.open_size()
    more, shape = {}, (found,)
    if g.chance(0.6):
        more["axis"] = g.between(-x.rank, x.rank - 1)
        shape = [*x.shape]
        shape[more["axis"]] = found
    counts = g.open_size()
    g.node_of("Unique", [x], [(x.element, shape), ("i64", (found,)),
                              ("i64", (x.shape[more["axis"]] if more else
                                       counts,)), ("i64", (found,))],
              sorted=1, **more)


@draws(1)
def suppression(g):
    """NonMaxSuppression with distinct scores, so that their order is unique."""
    boxes, classes = g.size(), g.between(1, 3)
    batch = g.between(1, 2)

    def corners(rng, extents):
        low = rng.integers(0, 8, (*extents[:-1], 2)) * 0.5
        return np.concatenate([low, low + rng.integers(1, 9, low.shape)], -1)

    def scores(rng, extents):
        count = int(np.prod(extents))
        return (rng.permutation(count) / 4 - count / 8).reshape(extents)

    def number(value, dtype):
        return g.constant(np.array([value], dtype))

    g.node("NonMaxSuppression",
           [g.input("f32", (batch, boxes, 4), corners),
            g.input("f32", (batch, classes, boxes), scores),
            number(g.between(0, 5), np.int64),
            number(g.pick([0.0, 0.3, 0.5, 1.0]), np.float32),
            number(g.pick([-9.0, -0.5, 0.0, 0.5]), np.float32)
            if g.chance(0.7) else None],
           "i64", (g.open_size(), 3))
