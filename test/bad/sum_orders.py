"""The possible results of sums and products of a few numbers: those of every
order and grouping, with each step rounded once to the type of the sum.

If all of them are close to one another, the order does not matter and the
result is known up to rounding. If some overflow, cancel or meet an infinity
and others do not, the order matters: a result must then equal one of them.
"""
import functools
import itertools

import numpy as np


def rounded(value, kind):
    """A double as bits of `kind`; all NaN are equal, zeros keep their signs."""
    with np.errstate(over="ignore", invalid="ignore"):
        value = kind(value)
    return "nan" if np.isnan(value) else (float(value), bool(np.signbit(value)))


def number(key):
    return float("nan") if key == "nan" else key[0]


def splits(items):
    """All ways to split a tuple into two nonempty parts."""
    first, rest = items[0], items[1:]
    for size in range(len(rest)):
        for picked in itertools.combinations(range(len(rest)), size):
            yield ((first,) + tuple(rest[i] for i in picked),
                   tuple(rest[i] for i in range(len(rest)) if i not in picked))


def combined(a, b, op, kind):
    with np.errstate(all="ignore"):
        x, y = kind(number(a)), kind(number(b))
        return rounded(x + y if op == "add" else x * y, kind)


@functools.lru_cache(maxsize=None)
def orders(items, op, kind):
    """All results of combining `items`, as keys of `rounded`."""
    if len(items) == 1:
        return frozenset(items)
    return frozenset(combined(a, b, op, kind)
                     for left, right in splits(items)
                     for a in orders(left, op, kind)
                     for b in orders(right, op, kind))


def reachable(values, op, kind):
    """The results of `values` in every order, with the identity among them: a
    sum may begin with it, or pad its lanes with it."""
    identity = 0.0 if op == "add" else 1.0
    return orders(tuple(sorted([rounded(v, kind) for v in values] + [rounded(identity, kind)], key=str)), op, kind)
