"""Branches and loops, including those that change sizes."""
import numpy as np

from draw import draws
from extents import combine, extent
from graph import NUMPY, Value


def condition(g):
    """A bool of shape [], [1] or [n], given as input or computed from an
    extent."""
    if g.chance(0.4):
        return g.input("bool", g.pick([(), (1,), (g.loose(extent(1)),)]))
    size = g.dim()
    test = g.node(g.pick(["Greater", "Less", "Equal"]),
                  [g.computed(size), g.integers(g.between(1, 6))], "bool",
                  (1,))
    return g.node("Squeeze", [test], "bool", ()) if g.chance(0.5) else test


@draws(2)
def branches(g):
    """A branch whose sides have equal shapes, another size, or another rank."""
    x = g.some()
    c = condition(g)
    axis = g.between(0, x.rank - 1)
    kind = g.pick(["same", "same", "shorter", "empty", "rank"])

    def whole():
        return [g.node(g.pick(["Relu", "Neg"]), [x], x.element, x.shape)]

    def other():
        if kind == "same":
            y = g.tensor(x.element, x.shape)
            return [g.node("Add", [x, y], x.element, x.shape)]
        if kind == "rank":
            # Exporters write this for a tensor without elements.
            g.empty_in_any_shape = True
            empty = g.constant(np.zeros(0, NUMPY[x.element]))
            return [g.node("Identity", [empty], x.element, (0,))]
        shape = [*x.shape]
        shape[axis] = combine("min", shape[axis], extent(2)) \
            if kind == "shorter" else extent(0)
        end = 2 if kind == "shorter" else 0
        return [g.node("Slice", [x, g.integers(0), g.integers(end),
                                 g.integers(axis)], x.element, shape)]

    then, otherwise = (whole, other) if g.chance(0.5) else (other, whole)
    shape = [*x.shape]
    if kind != "same":
        shape[axis] = g.open_size()
    g.node("If", [c], x.element, shape, then_branch=g.inner(then),
           else_branch=g.inner(otherwise))


def body_inputs(g, carried):
    return {"i": "i64[]", "keep": "bool[]",
            **{v.name: f"{v.element}[" + ",".join(
                str(e.number) if e.number is not None else g.fresh("B")
                for e in v.shape) + "]" for v in carried}}


def trips_of(g):
    if g.chance(0.5):
        return g.constant(np.array(g.between(0, 4), np.int64))
    if g.chance(0.5):
        return g.input("i64", (), lambda rng, e: rng.integers(0, 5, e))
    size = g.dim()
    return g.node("Squeeze", [g.computed(size)], "i64", ())


@draws(1.5)
def loop(g):
    """A loop that carries a tensor; it may append rows and stack results."""
    x = g.some(exact=True)
    grows = g.chance(0.4)
    stop = g.chance(0.4)
    trips = None if stop and g.chance(0.4) else trips_of(g)
    declared = x.shape
    if grows:
        declared = (g.open_size(), *x.shape[1:])
    carried = Value(g.fresh("s"), x.element, declared)
    index, keep = Value("i", "i64", ()), Value("keep", "bool", ())

    # The peer gives an extent of 0 to the stack of a loop without iterations.
    g.empty_in_any_shape = True

    def body():
        if stop:
            limit = g.constant(np.array(g.between(1, 3), np.int64))
            going = g.node("Less", [index, limit], "bool", ())
        else:
            going = g.node("Identity", [keep], "bool", ())
        if grows:
            row = g.tensor(x.element, (1, *x.shape[1:]), constant_share=0.5) \
                if all(e.number is not None for e in x.shape[1:]) else \
                g.node("Slice", [x, g.integers(0), g.integers(1),
                                 g.integers(0)], x.element, (1, *x.shape[1:]))
            moved = g.node("Concat", [carried, row], x.element, declared,
                           axis=0)
            return [going, moved]
        half = g.constant(np.array(0.5, np.float32)) if x.element == "f32" \
            else g.constant(np.array(1, np.int64))
        moved = g.node("Add", [carried, half], x.element, declared)
        summed = g.node("ReduceSum", [moved, g.integers(0)], x.element,
                        x.shape[1:], keepdims=0)
        return [going, moved, summed]

    if grows and any(e.op == "dim" and e.parts[0].startswith("U")
                     for e in x.shape):
        return
    encoded = g.inner(body, body_inputs(g, [carried]))
    true = g.constant(np.array(True))
    results = [(x.element, (g.open_size(), *x.shape[1:]) if grows else x.shape)]
    if not grows:
        results.append((x.element, (g.open_size(), *x.shape[1:])))
    g.node_of("Loop", [trips, true, x], results, body=encoded)


@draws(1)
def scan(g):
    """A running sum along the first dim; the state's shape is declared or
    open."""
    steps, width = g.size(), g.size()
    x = g.input("f32", (steps, width))
    state = g.input("f32", (width if g.chance(0.6) else g.loose(width),))
    declared = str(width.number) if width.number is not None else \
        str(g.pick(g.runs)[width.parts[0]]) if g.chance(0.3) else g.fresh("B")
    held, row = g.fresh("s"), g.fresh("s")

    def body():
        total = g.node("Add", [Value(held, "f32", (width,)),
                               Value(row, "f32", (width,))], "f32", (width,))
        return [total, g.node("Identity", [total], "f32", (width,))]

    encoded = g.inner(body, {held: f"f32[{declared}]", row: f"f32[{declared}]"})
    g.node_of("Scan", [state, x], [("f32", (width,)), ("f32", (steps, width))],
              body=encoded, num_scan_inputs=1)


