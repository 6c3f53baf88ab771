"""Sizes in a random graph: numbers, named dims and arithmetic on them.

`at` gives the value of an extent in a run. `Graph.computed` builds the nodes
that compute it from the shapes of inputs, as exporters write them.
"""


class Extent:
    """`op` is "number", "dim", "run" (known only in the run) or an operator."""

    def __init__(self, op, *parts):
        self.op, self.parts = op, parts

    def __str__(self):
        if self.op in ("number", "dim", "run"):
            return str(self.parts[0])
        return f"({self.parts[0]} {self.op} {self.parts[1]})"

    def __eq__(self, other):
        return str(self) == str(other)

    def __hash__(self):
        return hash(str(self))

    @property
    def number(self):
        return self.parts[0] if self.op == "number" else None

    @property
    def known(self):
        """False if only the run determines the size."""
        return self.op != "run" and all(
            part.known for part in self.parts if isinstance(part, Extent))

    def at(self, dims):
        if self.op == "number":
            return self.parts[0]
        if self.op == "dim":
            return dims[self.parts[0]]
        left, right = (part.at(dims) for part in self.parts)
        return OPERATORS[self.op](left, right)

    def __add__(self, other):
        return combine("+", self, other)

    def __sub__(self, other):
        return combine("-", self, other)

    def __mul__(self, other):
        return combine("*", self, other)

    def __floordiv__(self, other):
        return combine("/", self, other)

    def __mod__(self, other):
        return combine("%", self, other)


OPERATORS = {"+": lambda a, b: a + b, "-": lambda a, b: a - b,
             "*": lambda a, b: a * b, "/": lambda a, b: a // b,
             "%": lambda a, b: a % b, "max": max, "min": min}


def extent(value):
    return value if isinstance(value, Extent) else Extent("number", int(value))


def combine(op, left, right):
    left, right = extent(left), extent(right)
    if left.op == right.op == "number":
        return extent(OPERATORS[op](left.number, right.number))
    for neutral, side, other in ((0, right, left), (0, left, right)):
        if op == "+" and side.number == neutral:
            return other
    if op in ("*", "/") and right.number == 1:
        return left
    if op == "*" and left.number == 1:
        return right
    return Extent(op, left, right)
