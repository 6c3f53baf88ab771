"""Elementwise ops, contractions and reductions."""
import numpy as np

from draw import draws
from extents import combine, extent

UNARY = {"Abs": True, "Neg": True, "Relu": True, "Sigmoid": False,
         "Tanh": False, "Exp": False, "Floor": True, "Sign": True,
         "Erf": False, "Softplus": False, "HardSigmoid": False,
         "LeakyRelu": False, "Elu": False}


@draws(3)
def unary(g):
    x = g.some()
    op = g.pick([o for o in UNARY if x.exact or o not in ("Floor", "Sign")])
    g.node(op, [x], x.element, x.shape, exact=x.exact and UNARY[op])


def partner_shape(g, shape):
    """A shape that broadcasts with `shape`, with equal extents or ones."""
    kept = shape[g.between(0, len(shape)):] if g.chance(0.4) else shape
    return tuple(extent(1) if g.chance(0.2) else
                 g.loose(e) if e.number is None and g.chance(0.1) else e
                 for e in kept)


def joined(g, left, right):
    """The broadcast shape; None if only the run determines it."""
    rank = max(len(left), len(right))
    left = (extent(1),) * (rank - len(left)) + tuple(left)
    right = (extent(1),) * (rank - len(right)) + tuple(right)
    out = []
    for a, b in zip(left, right):
        if a == b or b.number == 1:
            out.append(a)
        elif a.number == 1:
            out.append(b)
        elif a.number is not None:
            out.append(a)
        elif b.number is not None:
            out.append(b)
        else:
            out.append(combine("max", a, b))
    return tuple(out)


@draws(4)
def binary(g):
    x = g.some(elements=("f32", "f32", "i64", "i32"))
    op = g.pick(["Add", "Sub", "Mul", "Max", "Min", "Where", "Less"])
    if op == "Less" and not x.exact:
        op = "Add"
    y = g.tensor(x.element, partner_shape(g, x.shape))
    shape = joined(g, x.shape, y.shape)
    if op == "Where":
        c = g.tensor("bool", partner_shape(g, shape))
        g.node(op, [c, x, y], x.element, joined(g, c.shape, shape))
    elif op == "Less":
        less = g.node(op, [x, y], "bool", shape)
        g.node("Cast", [less], "f32", shape, to=1)
    else:
        operands = [x, y] if g.chance(0.5) else [y, x]
        g.node(op, operands, x.element, shape)


@draws(1)
def clip(g):
    x = g.some()
    least = g.tensor("f32", ()) if g.chance(0.7) else None
    most = g.tensor("f32", (), lambda rng, e: np.array(4.0)) \
        if g.chance(0.7) else None
    g.node("Clip", [x, least, most], x.element, x.shape)


@draws(2)
def gemm(g):
    m, k, n = g.size(0.6), g.size(0.3), g.size(0.3)
    ta, tb = g.between(0, 1), g.between(0, 1)
    a = g.tensor("f32", (k, m) if ta else (m, k))
    b = g.tensor("f32", (n, k) if tb else (k, n), constant_share=0.7)
    bias = None
    if g.chance(0.8):
        shape = g.pick([(n,), (1,), (m, n), (1, n), (m, 1), ()])
        shape = tuple(g.loose(extent(e)) if g.chance(0.4) else e for e in shape)
        bias = g.tensor("f32", shape)
    g.node("Gemm", [a, b, bias], "f32", (m, n), transA=ta, transB=tb,
           alpha=g.pick([1.0, 0.5]), beta=g.pick([1.0, 2.0]))


@draws(2)
def matmul(g):
    rank = g.between(2, 4)
    x = g.some(ranks=range(2, 5)) if g.chance(0.6) else \
        g.input("f32", g.sizes(rank))
    k, n = x.shape[-1], g.size(0.4)
    lead = x.shape[:-2] if g.chance(0.4) else ()
    y = g.tensor("f32", (*lead, k, n), constant_share=0.8)
    g.node("MatMul", [x, y], "f32", (*x.shape[:-1], n))


@draws(2)
def reduce(g):
    x = g.some()
    op = g.pick(["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin",
                 "ReduceL2", "ReduceLogSumExp"])
    if op in ("ReduceMax", "ReduceMin") and not x.exact:
        op = "ReduceSum"
    axes = sorted(a for a in range(x.rank) if g.chance(0.5)) or [x.rank - 1]
    keep = g.between(0, 1)
    shape = tuple(extent(1) if i in axes else e
                  for i, e in enumerate(x.shape) if keep or i not in axes)
    # ONNX Runtime computes a wrong rank if axes have mixed signs, and for
    # negative axes of an operand without elements.
    named = [a - x.rank for a in axes] if g.chance(0.3) else axes
    g.empty_in_any_shape |= named is not axes and not keep
    exact = x.exact and op in ("ReduceSum", "ReduceMax", "ReduceMin")
    if op == "ReduceSum" or g.opset >= 18:
        g.node(op, [x, g.integers(*named)], "f32", shape, exact, keepdims=keep)
    else:
        g.node(op, [x], "f32", shape, exact, axes=named, keepdims=keep)


@draws(1)
def softmax(g):
    x = g.some()
    g.node(g.pick(["Softmax", "LogSoftmax"]), [x], "f32", x.shape, exact=False,
           axis=g.between(-x.rank, x.rank - 1))


@draws(1)
def arg_reduce(g):
    x = g.some(exact=True)
    axis, keep = g.between(0, x.rank - 1), g.between(0, 1)
    shape = [*x.shape]
    shape[axis:axis + 1] = [extent(1)] if keep else []
    g.node(g.pick(["ArgMax", "ArgMin"]), [x], "i64", shape, axis=axis,
           keepdims=keep, select_last_index=g.between(0, 1))


@draws(0.7)
def cumsum(g):
    x = g.some()
    axis = g.constant(np.array(g.between(-x.rank, x.rank - 1), np.int64))
    g.node("CumSum", [x, axis], "f32", x.shape, exclusive=g.between(0, 1),
           reverse=g.between(0, 1))


@draws(1.5)
def attention(g):
    """Attention: a product of queries and keys, a scale, a mask, a product
    with values."""
    batch, heads = g.size(), g.pick([1, 2, 4])
    queries, keys, width = g.size(0.7), g.size(0.7), g.pick([2, 4, 8, 16])
    q = g.input("f32", (batch, heads, queries, width))
    k = g.input("f32", (batch, heads, width, keys))
    v = g.input("f32", (batch, heads, keys, width))
    scores = (batch, extent(heads), queries, keys)
    if g.chance(0.3):
        q = g.node("Mul", [q, g.constant(np.float32(0.25))], "f32", q.shape)
    s = g.node("MatMul", [q, k], "f32", scores)
    if g.chance(0.5):
        scale = g.constant(np.float32(0.125)) if g.chance(0.5) else \
            g.tensor("f32", g.pick([(1,), (1, 1), (heads, 1, 1)]))
        s = g.node(g.pick(["Mul", "Add"]), [s, scale], "f32", scores)
    if g.chance(0.5):
        shape = g.pick([(queries, keys), (batch, 1, 1, keys), (1, 1, 1, keys),
                        (keys,), (batch, heads, queries, keys)])
        s = g.node("Add", [s, g.tensor("f32", shape)], "f32", scores)
    p = g.node("Softmax", [s], "f32", scores, exact=False, axis=-1)
    g.node("MatMul", [p, v], "f32", (batch, heads, queries, width), exact=False)
