"""Tests NaN, both zeros, both infinities, denormals and the ends of each float
type in every op that computes or orders. Code for this machine and for
x86-64-v3 must give equal bits. They must agree with the oracle up to rounding,
including signs of zeros and kinds of numbers. A sum must equal the result of
some order of its terms; if orders differ, it need not be the oracle's.

    check_specials.py --build=BUILD [--only=TYPE]
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

from sum_orders import number, reachable

os.environ["TENON_CACHE_LIMIT"] = "0"  # compile every model: no cache
TYPES = {"f32": ("i32", 8, 23), "f64": ("i64", 11, 52), "f16": ("i16", 5, 10), "bf16": ("i16", 8, 7)}
UNARY = """abs negate sign ceil floor round_nearest_even round_nearest_afz sqrt rsqrt cbrt exponential
           exponential_minus_one log log_plus_one sine cosine tan asin acos atan sinh cosh tanh asinh acosh atanh logistic
           erf""".split()
BINARY = "add subtract multiply divide remainder power maximum minimum atan2".split()
COMPARE = "eq ne lt le gt ge".split()
ROWS = 4  # the values of one row


def special_bits(exponent, mantissa):
    """The bits of sixteen values: 4 rows, for ops that work on rows."""
    top, one = ((1 << exponent) - 1) << mantissa, ((1 << exponent - 1) - 1) << mantissa
    sign = 1 << exponent + mantissa
    quiet = 1 << mantissa - 1
    return [one, top | quiet, sign | one, 0,
            0, sign, sign, 0,
            top, sign | top, one + quiet, 1,
            sign | 1, (1 << mantissa) - 1, top - 1, sign | top - 1]


def module(element):
    """The text of @main, which maps the bits of sixteen values to bits, and
    the names of its outputs."""
    bits = TYPES[element][0]
    x, rows, table = f"tensor<16x{element}>", f"tensor<4x4x{element}>", f"tensor<16x16x{element}>"
    lines, results, names = [], [], []

    def value(text):
        lines.append(f"  %v{len(lines)} = {text}")
        return f"%v{len(lines) - 1}"

    def output(name, value_, type_):
        shape = type_[len("tensor<"):].rsplit("x", 1)[0]
        kind = type_.rstrip(">").rsplit("x", 1)[-1]
        if kind == element:
            type_ = f"tensor<{shape}x{bits}>"
            value_ = value(f"tenon.bitcast_convert {value_} to {bits} : (tensor<{shape}x{element}>) -> {type_}")
        results.append((value_, type_))
        names.append(name)

    a = value(f"tenon.bitcast_convert %bits to {element} : (tensor<16x{bits}>) -> {x}")
    r = value(f"tenon.reshape {a} sizes [4, 4] : ({x}) -> {rows}")
    left = value(f"tenon.broadcast_in_dim {a} dims [0] sizes [16, 16] : ({x}) -> {table}")
    right = value(f"tenon.broadcast_in_dim {a} dims [1] sizes [16, 16] : ({x}) -> {table}")
    for op in UNARY:
        output(op, value(f"tenon.{op} {a} : ({x}) -> {x}"), x)
    output("is_nan", value(f"tenon.is_nan {a} : ({x}) -> tensor<16xi1>"), "tensor<16xi1>")
    for op in BINARY:
        output(op, value(f"tenon.{op} {left}, {right} : ({table}, {table}) -> {table}"), table)
    for op in COMPARE:
        output(f"compare {op}", value(f"tenon.compare {op} {left}, {right} : ({table}, {table}) -> tensor<16x16xi1>"),
               "tensor<16x16xi1>")
    low = value(f"tenon.reverse {left} [0] : {table}")
    output("clamp", value(f"tenon.clamp {low}, {left}, {right} : ({table}, {table}, {table}) -> {table}"), table)
    row, column = f"tensor<4x{element}>", "tensor<4xi64>"
    for dim in (0, 1):
        for kind in ("add", "multiply", "maximum", "minimum"):
            output(f"reduce {kind} {dim}", value(f"tenon.reduce {kind} {r} over [{dim}] : ({rows}) -> {row}"), row)
            if kind != "multiply":
                for flag in ("", " exclusive", " reverse"):
                    output(f"cumulative {kind} {dim}{flag}", value(f"tenon.cumulative {kind} {r} over {dim}{flag} : {rows}"), rows)
        for kind in ("maximum", "minimum"):
            for last in ("", " last"):
                output(f"arg_reduce {kind} {dim}{last}", value(f"tenon.arg_reduce {kind} {r} over {dim}{last} : ({rows}) -> {column}"),
                       column)
        for order in ("", " descending"):
            lines.append(f"  %s{len(lines)}:2 = tenon.sort {r} dim {dim}{order} : ({rows}) -> ({rows}, tensor<4x4xi64>)")
            pair = f"%s{len(lines) - 1}"
            output(f"sort {dim}{order}", f"{pair}#0", rows)
            output(f"sort {dim}{order} positions", f"{pair}#1", "tensor<4x4xi64>")
    window = "window [1, 3] strides [1, 1] dilations [1, 1] padding [0, 0, 1, 1]"
    for kind in ("add", "maximum", "minimum"):
        output(f"reduce_window {kind}", value(f"tenon.reduce_window {kind} {r} {window} : ({rows}) -> {rows}"), rows)
    for kind in ("maximum", "minimum"):
        output(f"arg_reduce_window {kind}",
               value(f"tenon.arg_reduce_window {kind} {r} {window} : ({rows}) -> tensor<4x4xi64>"), "tensor<4x4xi64>")
    places = value("tenon.constant dense<[[0], [1], [1], [0]]> : tensor<4x1xi64>")
    for kind in ("set", "add", "multiply", "maximum", "minimum"):
        output(f"scatter {kind}", value(
            f"tenon.scatter {kind} {r}, {places}, {r} window_dims [1] inserted [0] batching [] x [] map [0] vector_dim 1 : "
            f"({rows}, tensor<4x1xi64>, {rows}) -> {rows}"), rows)
    output("dot_general", value(f"tenon.dot_general {r}, {r} batch [] x [] contract [1] x [1] : ({rows}, {rows}) -> {rows}"), rows)
    for op in ("softmax", "log_softmax"):
        output(op, value(f"tenon.{op} {r} over 1 : {rows}"), rows)
    output("gelu", value(f"tenon.gelu {a} : {x}"), x)
    for to in ("f32", "f64", "f16", "bf16", "i8", "ui8", "i32", "ui32", "i64", "ui64", "i1"):
        wide = {"f32": "i32", "f64": "i64", "f16": "i16", "bf16": "i16"}.get(to)
        if to == element:
            continue
        converted = value(f"tenon.convert {a} to {to} : ({x}) -> tensor<16x{to}>")
        if wide:
            converted = value(f"tenon.bitcast_convert {converted} to {wide} : (tensor<16x{to}>) -> tensor<16x{wide}>")
        output(f"convert to {to}", converted, f"tensor<16x{wide or to}>")
    types = ", ".join(type_ for _, type_ in results)
    attributes = ", ".join(f'{type_} {{tenon.name = "y{i}"}}' for i, (_, type_) in enumerate(results))
    text = f'func.func @main(%bits: tensor<16x{bits}> {{tenon.name = "bits", tenon.dims = [16]}}) -> ({attributes}) {{\n'
    text += "\n".join(lines)
    text += f"\n  return {', '.join(v for v, _ in results)} : {types}\n}}\n"
    return text, names, [type_ for _, type_ in results]


def numbers(bits, element):
    """The doubles that the bits of a float type represent."""
    if element == "bf16":
        return (bits.astype(np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return bits.view({"f32": np.float32, "f64": np.float64, "f16": np.float16}[element]).astype(np.float64)


def to_element(value, element):
    """A double, the value of a float32 or float64, rounded to the type."""
    with np.errstate(over="ignore"):
        if element != "bf16":
            return float({"f32": np.float32, "f64": np.float64, "f16": np.float16}[element](value))
        bits = int(np.float32(value).view(np.uint32))
        if not np.isnan(value):
            bits += 0x7fff + (bits >> 16 & 1)
        return float(np.uint32(bits & 0xffff0000).view(np.float32))


def sums(name):
    """The combining op, and for each output element the positions of its terms
    in the sixteen values. None if the op is no sum."""
    words = re.fullmatch(r"(reduce|cumulative|reduce_window) (add|multiply)(?: (\d))?(?: (\w+))?", name)
    if not words:
        return None
    op, kind, dim, flag = words.groups()
    grid = np.arange(ROWS * ROWS).reshape(ROWS, ROWS)
    if op == "reduce":
        return kind, [list(line) for line in (grid.T if dim == "0" else grid)]
    if op == "reduce_window":
        return kind, [list(line[max(i - 1, 0):i + 2]) for line in grid for i in range(ROWS)]
    lines = grid.T if dim == "0" else grid
    first = {"exclusive": lambda i: slice(0, i), "reverse": lambda i: slice(i, ROWS), None: lambda i: slice(0, i + 1)}[flag]
    terms = np.empty((ROWS, ROWS), object)
    for row in range(ROWS):
        for i in range(ROWS):
            terms[(i, row) if dim == "0" else (row, i)] = list(lines[row][first(i)])
    return kind, list(terms.reshape(-1))


def undecided(name, data, got, element):
    """The elements of a sum that depend on the order of its terms, and the
    errors of those elements that no order gives."""
    found = sums(name)
    if not found:
        return np.zeros(got.shape, bool), None
    op, terms = found
    values = numbers(data, element)
    kept = np.float64 if element == "f64" else np.float32
    results = numbers(got, element)
    open_ = np.zeros(len(terms), bool)
    for i, positions in enumerate(terms):
        could = [to_element(number(key), element) for key in reachable(values[positions], op, kept)]
        g = results[i]
        if not any((np.isnan(c) and np.isnan(g)) or (c == g and np.signbit(c) == np.signbit(g)) for c in could):
            return open_, f"element {i}: got {g}, which no order of {values[positions]} comes to"
        wrong = differences(np.full(len(could), could[0]), np.array(could), element)
        open_[i] = wrong.any()
    return open_, None


def result_type(name, element):
    """The float type that an output's bits represent; None if there is none."""
    if name.startswith("convert to "):
        element = name.split()[-1]
    return None if re.match("compare|arg_|is_nan|.*positions", name) or element not in TYPES else element


def other_bits(name, a, b, element):
    """True if any bits differ, other than those of a NaN."""
    element = result_type(name, element)
    differ = a != b
    if element:
        differ &= ~(np.isnan(numbers(a, element)) & np.isnan(numbers(b, element)))
    return differ.any()


def disagreement(name, want, got, element, skipped):
    """The error of an output without the `skipped` elements, or None."""
    element = result_type(name, element)
    if not element:
        if want.shape != got.shape:
            return f"expected shape {want.shape}, got {got.shape}"
        wrong = np.nonzero(want != got)[0]
        return None if not wrong.size else f"element {wrong[0]}: expected {want[wrong[0]]}, got {got[wrong[0]]}"
    w, g = numbers(want, element), numbers(got, element)
    wrong = np.nonzero(differences(w, g, element) & ~skipped)[0]
    return None if not wrong.size else f"element {wrong[0]}: expected {w[wrong[0]]}, got {g[wrong[0]]}"


def differences(w, g, element):
    """True where numbers differ by more than some roundings."""
    step = 2.0 ** -TYPES[element][2]
    least = 2.0 ** (2 - 2 ** (TYPES[element][1] - 1) - TYPES[element][2])
    with np.errstate(invalid="ignore", over="ignore"):
        near = np.abs(w - g) <= 4 * step * np.abs(w) + 2 * least
    same = (np.isnan(w) & np.isnan(g)) | ((w == g) & (np.signbit(w) == np.signbit(g))) | \
        (near & np.isfinite(w) & np.isfinite(g) & (w != g))
    return ~same


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"{' '.join(command[:3])}: status {done.returncode}\n{done.stderr.decode()[:3000]}")
    return done.stdout.decode()


def check(build, element, folder):
    """The names of wrong outputs, each with its error."""
    bits, exponent, mantissa = TYPES[element]
    text, names, types = module(element)
    path = os.path.join(folder, f"{element}.mlir")
    with open(path, "w") as file:
        file.write(text)
    dtype = {"i16": np.int16, "i32": np.int32, "i64": np.int64}[bits]
    data = np.array(special_bits(exponent, mantissa), np.uint64).astype(dtype)
    np.save(os.path.join(folder, f"{element}.npy"), data)
    # The text has one line per output.
    values = ", ".join(map(str, data))
    told = run([f"{build}/bin/tenon-eval", path, "--round", f"--input=dense<[{values}]> : tensor<16x{bits}>"])
    expected = [np.array([int(n) & (1 << 64) - 1 for n in re.findall(r"-?\d+", line.split("[", 1)[1].replace("true", "1").replace("false", "0"))], np.uint64)
                for line in told.splitlines() if "[" in line]
    assert len(expected) == len(names), (len(expected), len(names))
    results = []
    for cpu in ("native", "x86-64-v3"):
        out = os.path.join(folder, f"{element}.{cpu}.npz")
        run([f"{build}/bin/tenon", "run", path, f"-mcpu={cpu}", f"--input=bits=@{folder}/{element}.npy", f"--outputs={out}"])
        with np.load(out) as arrays:
            results.append([arrays[f"y{i}"].reshape(-1) for i in range(len(names))])
    wrong, open_sums = [], 0
    for name, type_, want, here, there in zip(names, types, expected, *results):
        if here.dtype == bool:
            want = want.astype(bool)
        else:
            want = want.astype(here.dtype)
        ordered, why = undecided(name, data, here, element)
        open_sums += ordered.sum()
        why = why or disagreement(name, want, here, element, ordered)
        if not why and other_bits(name, here, there, element):
            why = "other bits on x86-64-v3"
        if why:
            wrong.append(f"{element} {name}: {why}")
    return len(names), wrong, open_sums


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    passed, failed, open_sums = 0, [], 0
    with tempfile.TemporaryDirectory() as folder:
        for element in TYPES:
            if options.only in element:
                count, wrong, by_order = check(options.build, element, folder)
                open_sums += by_order
                passed += count - len(wrong)
                failed += wrong
    for text in failed:
        print(f"FAILED {text}")
    print(f"{open_sums} elements of sums depend on the order of their terms and are what one of the orders comes to")
    print(f"{passed} passed, {len(failed)} failed, 0 skipped")
    return 1 if failed or not passed else 0


sys.exit(main())
