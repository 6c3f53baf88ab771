"""A random ONNX graph with the properties of each value in every run.

`Graph` collects inputs, constants and nodes while the `draw_*` functions
extend it. Extents of inputs are numbers or named dims. A graph is run several
times, and each run gives every dim its size. A dim is `loose` if an op needs
it to equal another extent and the model does not declare that. A run may then
violate it, and both sides must refuse.
"""
from dataclasses import dataclass

import numpy as np

import onnx_build
from extents import Extent, extent

NUMPY = {"f32": "float32", "f64": "float64", "i64": "int64", "i32": "int32",
         "ui8": "uint8", "i8": "int8", "bool": "bool"}
SIZES = (1, 2, 2, 3, 4, 5, 7, 8, 11, 16, 19)


@dataclass(frozen=True)
class Value:
    name: str
    element: str
    shape: tuple
    # False if the value was rounded in a way that may differ between
    # implementations: it must then not decide anything discontinuous.
    exact: bool = True

    @property
    def rank(self):
        return len(self.shape)

    @property
    def is_float(self):
        return self.element in ("f32", "f64")


class Graph:
    def __init__(self, rng, runs=3, opset=17):
        self.rng, self.opset = rng, opset
        self.runs = [{} for _ in range(runs)]
        self.inputs, self.constants, self.nodes = {}, {}, []
        self.fills, self.values, self.ops = {}, [], []
        self.read = set()
        # True if empty results may have another rank on the other side.
        self.empty_in_any_shape = False
        self.count = 0

    # Choices.

    def chance(self, share):
        return self.rng.random() < share

    def pick(self, items):
        items = list(items)
        return items[int(self.rng.integers(len(items)))]

    def between(self, least, most):
        return int(self.rng.integers(least, most + 1))

    def fresh(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    # Sizes.

    def dim(self):
        """A named dim: often an existing one, and often 1 in a run."""
        known = [name for name in self.runs[0] if name.startswith("D")]
        if known and self.chance(0.5):
            return Extent("dim", self.pick(known))
        name = self.fresh("D")
        for run in self.runs:
            run[name] = 1 if self.chance(0.25) else self.pick(SIZES)
        return Extent("dim", name)

    def dim_above_one(self):
        name = self.fresh("D")
        for run in self.runs:
            run[name] = self.pick(SIZES[1:])
        return Extent("dim", name)

    def loose(self, wanted):
        """A new dim that should equal `wanted`."""
        name = self.fresh("U")
        for run in self.runs:
            size = wanted.at(run)
            choice = self.rng.random()
            run[name] = (size if choice < 0.6 else 1 if choice < 0.85
                         else max(1, size + self.pick((-1, 1, 2))))
        return Extent("dim", name)

    def size(self, open_share=0.5):
        return self.dim() if self.chance(open_share) else extent(
            self.pick(SIZES))

    def sizes(self, rank):
        return tuple(self.size() for _ in range(rank))

    # Values.

    def input(self, element, shape, fill=None):
        """Adds an input; `fill(rng, extents)` makes its array in a run."""
        name = self.fresh("x")
        shape = tuple(extent(e) for e in shape)
        self.inputs[name] = f"{element}[{','.join(map(str, shape))}]"
        self.fills[name] = (element, shape, fill)
        return self.record(Value(name, element, shape))

    def record(self, value):
        self.values.append(value)
        return value

    def constant(self, array, element=None):
        name = self.fresh("c")
        array = np.asarray(array)
        self.constants[name] = array
        element = next(e for e, n in NUMPY.items() if n == array.dtype.name)
        return Value(name, element, tuple(map(extent, array.shape)))

    def tensor(self, element, shape, fill=None, constant_share=0.4):
        """An operand: an input, or a constant if its shape is static."""
        shape = tuple(extent(e) for e in shape)
        if all(e.number is not None for e in shape) and \
                self.chance(constant_share):
            extents = [e.number for e in shape]
            return self.constant(
                (fill or draw_array(element))(self.rng, extents).astype(
                    NUMPY[element]))
        return self.input(element, shape, fill)

    def node(self, op, inputs, element, shape, exact=None, **attributes):
        """Adds a node with one result."""
        return self.node_of(op, inputs, [(element, shape)], exact,
                            **attributes)[0]

    def node_of(self, op, inputs, results, exact=None, **attributes):
        held = [i for i in inputs if i is not None]
        self.read.update(i.name for i in held)
        exact = all(i.exact for i in held) if exact is None else exact
        outs = [Value(self.fresh("v"), element,
                      tuple(extent(e) for e in shape), exact)
                for element, shape in results]
        self.nodes.append(onnx_build.node(
            op, ["" if i is None else i.name for i in inputs],
            [o.name for o in outs], name=f"{op}_{outs[0].name}", **attributes))
        self.ops.append(op)
        for out in outs:
            self.record(out)
        return outs

    def integers(self, *numbers):
        return self.constant(np.array(numbers, np.int64))

    def open_size(self):
        """An extent that is unknown until the run."""
        return Extent("run", self.fresh("r"))

    # Extents as values.

    def shape_of(self, value):
        return self.node("Shape", [value], "i64", (value.rank,))

    def holder(self, dim):
        """An input that has the dim, new if there is none, and the dim's
        position."""
        for name, (element, shape, _) in self.fills.items():
            for axis, held in enumerate(shape):
                if held == dim:
                    return Value(name, element, shape), axis
        return self.input("f32", (dim,)), 0

    def computed(self, size):
        """The extent as an i64[1] value that nodes compute from shapes."""
        if size.op == "number":
            return self.integers(size.number)
        if size.op == "dim":
            value, axis = self.holder(size)
            shape = self.shape_of(value)
            if self.chance(0.5):
                return self.node("Gather", [shape, self.integers(axis)], "i64",
                                 (1,), axis=0)
            return self.node("Slice", [shape, self.integers(axis),
                                       self.integers(axis + 1)], "i64", (1,))
        if size.op == "/" and size.parts[1].number and self.chance(0.4):
            return self.computed_as_float(*size.parts)
        left, right = (self.computed(part) for part in size.parts)
        op = {"+": "Add", "-": "Sub", "*": "Mul", "/": "Div", "%": "Mod",
              "max": "Max", "min": "Min"}[size.op]
        return self.node(op, [left, right], "i64", (1,))

    def computed_as_float(self, left, right):
        """A quotient as `interpolate` computes sizes: the floor of a float."""
        element = self.pick(["f32", "f64"])
        value = self.node("Cast", [self.computed(left)], element, (1,),
                          to=1 if element == "f32" else 11)
        divisor = self.constant(np.array(right.number, NUMPY[element]))
        value = self.node("Div", [value, divisor], element, (1,))
        value = self.node("Floor", [value], element, (1,))
        return self.node("Cast", [value], "i64", (1,), to=7)

    def turned_list(self, sizes):
        """A list of two halves made from pairs in opposite order, as for
        `F.pad`."""
        half = len(sizes) // 2
        pairs = [size for i in reversed(range(half))
                 for size in (sizes[i], sizes[half + i])]
        rows = self.node("Reshape", [self.computed_list(pairs, turned=False),
                                     self.integers(-1, 2)], "i64", (half, 2))
        rows = self.node("Slice", [rows, self.integers(-1),
                                   self.integers(-2 ** 63), self.integers(0),
                                   self.integers(-1)], "i64", (half, 2))
        columns = self.node("Transpose", [rows], "i64", (2, half), perm=[1, 0])
        return self.node("Reshape", [columns, self.integers(-1)], "i64",
                         (2 * half,))

    def computed_list(self, sizes, turned=True):
        """Several extents as one i64 vector."""
        if not sizes:
            return self.constant(np.zeros(0, np.int64))
        if turned and len(sizes) % 2 == 0 and self.chance(0.4):
            return self.turned_list(sizes)
        if all(s.number is not None for s in sizes):
            return self.integers(*(s.number for s in sizes))
        return self.node("Concat", [self.computed(s) for s in sizes], "i64",
                         (len(sizes),), axis=0)

    # Operands for new ops.

    def some(self, *, elements=("f32",), ranks=range(1, 5), exact=False,
             known=True):
        """An existing value or a new input."""
        fitting = [v for v in self.values if v.element in elements
                   and v.rank in ranks and (v.exact or not exact)
                   and (not known or all(e.known for e in v.shape))
                   and not (v.element == "i64" and v.rank == 1
                            and self.chance(0.7))]
        if fitting and self.chance(0.75):
            return self.pick(fitting[-6:])
        return self.input(self.pick(elements), self.sizes(self.pick(ranks)))

    # The graph of a body.

    def inner(self, draw, inputs=None):
        """Encodes a subgraph; `draw()` adds its nodes and returns its
        results."""
        held_nodes, held_values = self.nodes, list(self.values)
        held_constants = self.constants
        self.nodes, self.constants = [], {}
        results = draw()
        names = {}
        for value in results:
            # Every result of a body must be computed by a node of the body.
            name = self.fresh("b")
            self.read.add(value.name)
            self.nodes.append(onnx_build.node("Identity", [value.name],
                                              [name], name="Identity_" + name))
            names[name] = (f"{value.element}[" + ",".join(
                str(e.number) if e.number is not None else self.fresh("B")
                for e in value.shape) + "]")
        body = onnx_build.graph(self.nodes, inputs or {}, names,
                                self.constants)
        self.nodes, self.values = held_nodes, held_values
        self.constants = held_constants
        return body

    def model(self):
        """Encodes the model. Its outputs are the values that no node reads.

                Most outputs declare their rank, as exporters do, and no
        sizes."""
        outputs = {}
        for value in self.values:
            if value.name.startswith("v") and value.name not in self.read:
                names = [self.fresh("B") for _ in value.shape]
                outputs[value.name] = f"{value.element}[{','.join(names)}]" \
                    if self.chance(0.7) else None
        return onnx_build.model(self.nodes, self.inputs, outputs,
                                self.constants, opset=self.opset)

    def arrays(self, run):
        """The inputs of one run."""
        made = {}
        for name, (element, shape, fill) in self.fills.items():
            # A window that is larger than its image makes the extent negative:
            # no valid run.
            extents = [max(0, e.at(self.runs[run])) for e in shape]
            made[name] = np.asarray(
                (fill or draw_array(element))(self.rng, extents),
                NUMPY[element])
        return made


def draw_array(element):
    """Small numbers whose sums and products are exact in f32."""
    def fill(rng, extents):
        if element in ("f32", "f64"):
            return rng.integers(-6, 7, extents) * 0.5
        if element == "bool":
            return rng.integers(0, 2, extents).astype(bool)
        if element == "ui8":
            return rng.integers(0, 9, extents)
        return rng.integers(-4, 5, extents)
    return fill


def indices(most):
    """Indices below `most`; some count from the end."""
    def fill(rng, extents):
        return rng.integers(-most, most, extents) if most else \
            np.zeros(extents)
    return fill
