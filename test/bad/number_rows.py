"""The rows of check_numbers.py.

`refused(CODE, WORDS, TITLE, OP, OPERANDS...)` and `gives([OUTPUTS], TITLE, OP,
OPERANDS...)`; an operand is a type (an input, its value in `values`), an array
(a constant) or None.
"""
import numpy as np

NAN, INF = float("nan"), float("inf")
LEAST, MOST = -(1 << 63), (1 << 63) - 1


def i64(*values):
    return np.array(values, np.int64)


def f32(*values):
    return np.array(values, np.float32)


def scalar(kind, value):
    return np.array(value, kind)


class Row:
    def __init__(self, codes, words, want, title, op, *operands, values=(),
                 opset=18, outputs=1, **attributes):
        self.codes = codes if isinstance(codes, tuple) else (codes,)
        self.code = self.codes[0]
        self.words, self.want, self.title = words, want, title
        self.op, self.operands, self.values = op, operands, values
        self.opset, self.attributes = opset, attributes
        self.outputs = len(want) if want else outputs


ROWS = []


def refused(codes, words, title, op, *operands, **rest):
    ROWS.append(Row(codes, words, None, title, op, *operands, **rest))


def gives(want, title, op, *operands, **rest):
    ROWS.append(Row(0, "", want, title, op, *operands, **rest))


# C1: extents below zero.
for extent in (-5, LEAST):
    refused(3, "extent", "negative extent of an input", "Relu", f"f32[2,{extent}]")
    refused(3, "not negative", "negative extent of a constant", "ConstantOfShape", i64(2, extent))
    refused(3, "extent|not negative", "negative extent to reshape to", "Reshape", "f32[6]", i64(2, extent))
    refused(8, "negative", "negative extent found in the run", "Expand", "f32[1]", "i64[1]",
            values=("1xf32=1", i64(extent)))

# C2 to C5: sizes past 2^63.
for dims in ("9223372036854775807", "4611686018427387904", "4294967296,4294967296",
             "9223372036854775807,9223372036854775807", "3037000500,3037000500"):
    refused((3, 5), "overflow|too large|bytes|elements", "an input of " + dims, "Neg", f"f64[{dims}]")
for dims in ((1 << 62,), (1 << 32, 1 << 32), (MOST, MOST), (3037000500, 3037000500)):
    refused((3, 5), "overflow|memory|bytes|elements|large|product of its extents", "a constant of many elements", "ConstantOfShape", i64(*dims))
    refused(5, "overflow|memory|bytes", "many elements found in the run", "ConstantOfShape",
            f"i64[{len(dims)}]", values=(i64(*dims),))
refused((3, 5), "overflow|memory|bytes|large", "two legal halves", "Concat",
        "i8[4611686018427387904]", "i8[4611686018427387904]", axis=0)

# C6: rank.
refused(5, "rank", "an input of rank 65", "Relu", "f32[" + ",".join("1" * 65) + "]")
refused(5, "rank", "reshaped to rank 65", "Reshape", "f32[1]", i64(*[1] * 65))
refused(5, "rank", "expanded to rank 65", "Expand", "f32[1]", i64(*[1] * 65))
refused(5, "rank", "unsqueezed to rank 66", "Unsqueeze", "f32[" + ",".join("1" * 64) + "]", i64(0, 65))

# C8: Reshape.
refused(3, "-1", "two wild extents", "Reshape", "f32[6]", i64(-1, -1))
refused(3, "elements|divide", "an extent that does not divide", "Reshape", "f32[12]", i64(-1, 5))
refused(3, "rank|copies|beyond|extent", "a copy beyond the rank", "Reshape", "f32[6]", i64(0, 0, 2))
refused(3, "elements|-1|zero", "a wild extent beside zero", "Reshape", "f32[0,3]", i64(0, -1, 0), allowzero=1)
refused(3, "elements", "a wild extent of an empty tensor", "Reshape", "f32[0,3]", i64(0, -1))
gives([np.zeros((0, 6), np.float32)], "a wild extent of a tensor empty in the run", "Reshape", "f32[n,2,3]", i64(0, -1),
      values=("0x2x3xf32=zeros",))
refused(3, "elements", "another number of elements", "Reshape", "f32[6]", i64(2, 4))

# C9: axes and permutations.
for axis in (2, -3):
    for op, operands in (("Softmax", ["f32[2,2]"]), ("Concat", ["f32[2,2]", "f32[2,2]"]),
                         ("Gather", ["f32[2,2]", "i64[1]"]), ("ArgMax", ["f32[2,2]"]),
                         ("Split", ["f32[2,2]"]), ("GatherElements", ["f32[2,2]", "i64[2,2]"]),
                         ("TopK", ["f32[2,2]", i64(1)]), ("Hardmax", ["f32[2,2]"]),
                         ("ScatterElements", ["f32[2,2]", "i64[2,2]", "f32[2,2]"]),
                         ("LayerNormalization", ["f32[2,2]", "f32[2]"]), ("LogSoftmax", ["f32[2,2]"])):
        refused(3, "axis", f"axis {axis} of rank 2", op, *operands, axis=axis,
                outputs=2 if op in ("TopK", "Split") else 1)
    refused(3, "axis", f"axis {axis} of rank 2", "CumSum", "f32[2,2]", scalar(np.int64, axis))
    refused(3, "axis", f"axis {axis} of rank 2", "ReduceSum", "f32[2,2]", i64(axis))
    refused(3, "axis", f"axis {axis} of rank 2", "Squeeze", "f32[1,1]", i64(axis))
    refused(3, "axis", f"axis {axis} of rank 2", "Slice", "f32[2,2]", i64(0), i64(1), i64(axis))
for axis in (4, -5):
    refused(3, "axis", f"axis {axis} of rank 3", "Unsqueeze", "f32[2,2]", i64(axis))
refused(3, "axis", "axis 3 of rank 2", "Flatten", "f32[2,2]", axis=3)
refused(3, "twice", "axes given twice", "Unsqueeze", "f32[2]", i64(0, 0))
refused(3, "twice", "axes given twice", "Squeeze", "f32[1,1]", i64(0, -2))
refused(3, "twice", "axes given twice", "Slice", "f32[2,2]", i64(0, 0), i64(1, 1), i64(1, -1))
for perm in ([0, 0], [0, 2], [0], [-1, 0]):
    refused(3, "permutation|perm", f"perm {perm}", "Transpose", "f32[2,2]", perm=perm)
refused(3, "extent|one", "squeezing what is not one", "Squeeze", "f32[2,1]", i64(0))

# C10: windows.
for op in ("MaxPool", "AveragePool", "LpPool"):
    refused(3, "stride", "stride 0", op, "f32[1,1,4,4]", kernel_shape=[2, 2], strides=[0, 1])
    refused(3, "kernel", "kernel 0", op, "f32[1,1,4,4]", kernel_shape=[0, 2])
    refused(3, "fit|kernel", "a kernel above the extent", op, "f32[1,1,4,4]", kernel_shape=[5, 1])
    refused(3, "pads", "pads 2^62", op, "f32[1,1,4,4]", kernel_shape=[2, 2], pads=[1 << 62, 0, 0, 0])
    refused(3, "kernel", "kernel of another rank", op, "f32[1,1,4,4]", kernel_shape=[2])
    refused(8, "node .*the kernel must fit", "a kernel above the extent found in the run", op, "f32[1,1,h,4]",
            values=("1x1x3x4xf32=ones",), kernel_shape=[5, 1], pads=[1, 0, 0, 0])
    refused(8, "node .*the kernel must fit", "a kernel just above the extent, in steps", op, "f32[1,1,h,4]",
            values=("1x1x4x4xf32=ones",), kernel_shape=[5, 1], strides=[2, 1])
    gives([np.zeros((1, 1, 0, 4), np.float32)], "no extent found in the run", op, "f32[1,1,h,4]",
          values=("1x1x0x4xf32=ones",), kernel_shape=[5, 1])
refused(8, "node .*the kernel must fit", "a kernel above the extent found in the run", "Conv", "f32[1,1,h,4]", "f32[1,1,3,3]",
        values=("1x1x2x4xf32=ones", "1x1x3x3xf32=ones"))
refused(8, "node .*the kernel must fit", "a dilated kernel above the extent found in the run", "Conv", "f32[1,1,h,4]",
        "f32[1,1,3,1]", values=("1x1x4x4xf32=ones", "1x1x3x1xf32=ones"), dilations=[2, 1])
gives([np.full((1, 1, 1, 1), 9, np.float32)], "a kernel as large as the extent found in the run", "Conv", "f32[1,1,h,w]",
      "f32[1,1,3,3]", values=("1x1x3x3xf32=ones", "1x1x3x3xf32=ones"))
gives([np.zeros((1, 1, 0, 2), np.float32)], "no extent found in the run", "Conv", "f32[1,1,h,4]", "f32[1,1,3,3]",
      values=("1x1x0x4xf32=ones", "1x1x3x3xf32=ones"))
refused(3, "dilation", "dilation 0", "MaxPool", "f32[1,1,4,4]", kernel_shape=[2, 2], dilations=[1, 0])
refused(3, "stride", "stride 0", "ConvTranspose", "f32[1,1,4,4]", "f32[1,1,3,3]", strides=[1, 0])
refused(3, "group", "group 0", "ConvTranspose", "f32[1,1,4,4]", "f32[1,1,3,3]", group=0)
refused(3, "pads|output", "padding above the output", "ConvTranspose", "f32[1,1,2,2]", "f32[1,1,1,1]", pads=[9, 9, 9, 9])

# C11: Slice.
refused(3, "step", "step 0", "Slice", "f32[4]", i64(0), i64(4), i64(0), i64(0))
refused(8, "step|expected", "step 0 found in the run", "Slice", "f32[4]", "i64[1]", "i64[1]", "i64[1]", "i64[1]",
        values=("4xf32=ones", i64(0), i64(4), i64(0), i64(0)))
X = np.arange(4, dtype=np.float32)
for start, end, step, want in ((LEAST, MOST, 1, X), (MOST, LEAST, -1, X[::-1]), (LEAST, MOST, MOST, X[:1]),
                               (MOST, LEAST, LEAST, X[3:]), (3, LEAST, -2, X[3::-2]), (MOST, MOST, 1, X[:0]),
                               (LEAST, LEAST, -1, X[:1])):
    gives([want], f"slice {start}:{end}:{step}", "Slice", "f32[4]", i64(start), i64(end), i64(0), i64(step), values=(X,))
    gives([want], f"slice {start}:{end}:{step} in the run", "Slice", "f32[4]", "i64[1]", "i64[1]", i64(0), "i64[1]",
          values=(X, i64(start), i64(end), i64(step)))

# C12: indices.
M = np.arange(6, dtype=np.float32).reshape(2, 3)
for index in (3, -4, MOST, LEAST):
    for title, operand, values in (("constant", i64(index), ()), ("in the run", "i64[1]", (i64(index),))):
        for op, data, rest in (("Gather", "f32[3]", {}), ("GatherElements", "f32[3]", {})):
            refused((3, 8), "index|indices", f"index {index} {title}", op, data, operand,
                    values=(f32(1, 2, 3), *values), **rest)
    for title, operand, values in (("constant", i64(index).reshape(1, 1), ()),
                                   ("in the run", "i64[1,1]", (i64(index).reshape(1, 1),))):
        refused((3, 8), "index|indices", f"index {index} {title}", "GatherND", "f32[3]", operand,
                values=(f32(1, 2, 3), *values))
        refused((3, 8), "index|indices", f"index {index} {title}", "ScatterND", "f32[3]", operand, "f32[1]",
                values=(f32(1, 2, 3), *values, f32(9)))
    refused((3, 8), "index|indices", f"index {index} constant", "ScatterElements", "f32[3]", i64(index), "f32[1]",
            values=(f32(1, 2, 3), f32(9)))
    refused((3, 8), "index|indices", f"index {index} in the run", "ScatterElements", "f32[3]", "i64[1]", "f32[1]",
            values=(f32(1, 2, 3), i64(index), f32(9)))
gives([f32(3, 1)], "indices from the end", "Gather", "f32[3]", "i64[2]", values=(f32(1, 2, 3), i64(-1, -3)))
gives([f32(1, 9, 3)], "indices from the end", "ScatterElements", "f32[3]", "i64[1]", "f32[1]",
      values=(f32(1, 2, 3), i64(-2), f32(9)))
refused((3, 8), "index|indices", "an index into nothing", "Gather", "f32[0]", "i64[1]", values=("0xf32=zeros", i64(0)))
refused(8, "input|hold", "an index into nothing in the run", "Gather", "f32[n]", "i64[1]", values=("0xf32=zeros", i64(0)))

# C13: 2^40 elements.
HUGE = 1 << 40
for title, count in (("constant", True), ("in the run", False)):
    def given(value):
        return (value, ()) if count else (f"i64[{value.size}]" if value.ndim else "i64[]", (value,))
    size, values = given(i64(HUGE))
    memory = "memory|bytes|limit|large"
    refused(5, memory, f"2^40 elements, {title}", "Tile", "f32[1]", size, values=("1xf32=1", *values))
    refused(5, memory, f"2^40 elements, {title}", "Expand", "f32[1]", size, values=("1xf32=1", *values))
    refused(5, memory, f"2^40 elements, {title}", "ConstantOfShape", size, values=values)
    end, values = given(scalar(np.int64, HUGE))
    zero, one = scalar(np.int64, 0), scalar(np.int64, 1)
    refused(5, memory, f"2^40 elements, {title}", "Range", zero, end, one, values=values)
    refused(5, memory, f"2^40 elements, {title}", "OneHot", i64(1), end, f32(0, 1), values=values)
    pads, values = given(i64(0, HUGE))
    refused(5, memory, f"2^40 elements, {title}", "Pad", "f32[1]", pads, values=("1xf32=1", *values))
refused((3, 5), memory + "|sizes", "2^40 elements, constant", "Resize", "f32[1,1,1,1]", None, None, i64(1, 1, 1, HUGE),
        values=("1x1x1x1xf32=1",))

# C14: Resize.
for scale in (0.0, -1.0, NAN, INF):
    refused(3, "scale", f"scale {scale}", "Resize", "f32[1,1,2,2]", None, f32(1, 1, scale, 1))
refused((3, 5), "scale|memory|bytes|large", "scale 1e30", "Resize", "f32[1,1,2,2]", None, f32(1, 1, 1e30, 1),
        values=("1x1x2x2xf32=1",))
refused(3, "scales|sizes", "sizes and scales", "Resize", "f32[1,1,2,2]", None, f32(1, 1, 2, 2), i64(1, 1, 4, 4))
refused(3, "scales|sizes|entries|expected", "scales of another length", "Resize", "f32[1,1,2,2]", None, f32(2))

# C15: TopK, Split, NonMaxSuppression.
refused(3, "k|K", "k below zero", "TopK", "f32[3]", i64(-1), outputs=2)
refused(3, "k|K", "k above the extent", "TopK", "f32[3]", i64(4), outputs=2)
for k in (-1, 4, MOST, LEAST):
    refused(8, "expected", f"k {k} in the run", "TopK", "f32[3]", "i64[1]", values=(f32(1, 2, 3), i64(k)), outputs=2)
gives([f32(), i64()], "no greatest elements", "TopK", "f32[3]", i64(0), values=(f32(1, 2, 3),))
refused(3, "split|sum", "parts that do not sum", "Split", "f32[4]", i64(1, 2), outputs=2)
refused(3, "split|parts|negative", "a part below zero", "Split", "f32[4]", i64(5, -1), outputs=2)
refused(8, "expected", "parts that do not sum in the run", "Split", "f32[4]", "i64[2]", values=("4xf32=ones", i64(3, 3)),
        outputs=2)
refused(3, "num_outputs", "no parts", "Split", "f32[4]", num_outputs=0, outputs=1)
BOXES = np.array([[[0, 0, 1, 1], [NAN, 0, 1, 1], [0, 0, 1, 1]]], np.float32)
gives([np.array([[0, 0, 0], [0, 0, 1]], np.int64)], "a box of NaN overlaps nothing", "NonMaxSuppression", "f32[1,3,4]", "f32[1,1,3]",
      i64(3), f32(0.5), values=(BOXES, np.array([[[3, 2, 1]]], np.float32)))

# C16: Einsum.
gives([scalar(np.float32, 10)], "all summed", "Einsum", "f32[1,2]", "f32[2,1]",
      values=(f32(1, 2).reshape(1, 2), f32(2, 4).reshape(2, 1)), equation="ij,jk->")
refused(3, "equation|label|term", "unknown letters", "Einsum", "f32[2]", equation="\u00e9->\u00e9")
refused(3, "term|inputs", "a thousand terms", "Einsum", "f32[2]", equation=",".join("i" * 1000) + "->i")
refused(3, "agree|extent", "a label of two extents", "Einsum", "f32[2]", "f32[3]", equation="i,i->")

# C17: integer division; the least over -1, and zero.
for kind, bits in (("int32", 32), ("int64", 64), ("int8", 8)):
    low = -(1 << (bits - 1))
    a = np.array([7, -7, 0, low, low], kind)
    b = np.array([0, 0, 0, -1, 1], kind)
    name = {"int32": "i32", "int64": "i64", "int8": "i8"}[kind]
    quotients, rests = np.array([-1, -1, -1, low, low], kind), np.array([7, -7, 0, 0, 0], kind)
    for title, operands, values in (("constant", (a, b), ()), ("in the run", (f"{name}[5]", f"{name}[5]"), (a, b))):
        gives([quotients], f"{kind} divided, {title}", "Div", *operands, values=values)
        gives([rests], f"{kind} remainders, {title}", "Mod", *operands, values=values)
        gives([rests], f"{kind} remainders, {title}", "Mod", *operands, values=values, fmod=1)

# C18: shifts by the width and more.
for kind, bits in (("uint8", 8), ("uint32", 32), ("uint64", 64)):
    a, b = np.array([255, 255, 1], kind), np.array([bits, 255, bits - 1], kind)
    name = {"uint8": "ui8", "uint32": "ui32", "uint64": "ui64"}[kind]
    for title, operands, values in (("constant", (a, b), ()), ("in the run", (f"{name}[3]", f"{name}[3]"), (a, b))):
        gives([np.array([0, 0, 1 << (bits - 1)], kind)], f"{kind} shifted left, {title}", "BitShift", *operands,
              values=values, direction="LEFT")
        gives([np.array([0, 0, 0], kind)], f"{kind} shifted right, {title}", "BitShift", *operands, values=values,
              direction="RIGHT")

# C19: casts of values that no integer holds.
WILD = np.array([NAN, INF, -INF, 1e300, -1e300, 0.75, -0.75, 3e9], np.float64)
for kind, code in (("int8", 3), ("uint8", 2), ("int16", 5), ("uint16", 4), ("int32", 6), ("uint32", 12), ("int64", 7),
                   ("uint64", 13), ("bool", 9), ("float16", 10), ("float32", 1)):
    if kind == "bool":
        want = np.array([True] * 8)
    elif kind.startswith("float"):
        with np.errstate(over="ignore"):
            want = WILD.astype(kind)
    else:
        info = np.iinfo(kind)
        want = np.array([0, info.max, info.min, info.max, info.min, 0, 0, min(info.max, 3000000000)], kind)
    gives([want], f"cast to {kind}, constant", "Cast", WILD, to=code)
    gives([want], f"cast to {kind}, in the run", "Cast", "f64[8]", values=(WILD,), to=code)

# C20: quantization.
for value in (0.0, -1.0, NAN, INF):
    for op, data in (("QuantizeLinear", "f32[2]"), ("DequantizeLinear", "ui8[2]")):
        refused(3, "scale", f"scale {value}", op, data, scalar(np.float32, value), scalar(np.uint8, 0))
gives([np.array([255, 0, 7], np.uint8)], "a denormal scale", "QuantizeLinear", "f32[3]", scalar(np.float32, 1e-40),
      scalar(np.uint8, 7), values=(f32(1, -1, 0),))
gives([np.array([255, 0, 0], np.uint8)], "scale 0 found in the run", "QuantizeLinear", "f32[3]", "f32[]", scalar(np.uint8, 0),
      values=(f32(1, -1, 0), scalar(np.float32, 0)))
refused(3, "elements|axis", "per-axis lengths", "QuantizeLinear", "f32[2,3]", f32(1, 2), np.zeros(2, np.uint8))
refused(3, "axis", "an axis there is not", "QuantizeLinear", "f32[2,3]", f32(1, 2, 3), np.zeros(3, np.uint8), axis=2)

# C22: reductions of empty tensors.
for op, want in (("ReduceSum", 0), ("ReduceProd", 1), ("ReduceMax", -INF), ("ReduceMin", INF), ("ReduceMean", NAN),
                 ("ReduceL1", 0), ("ReduceL2", 0), ("ReduceSumSquare", 0), ("ReduceLogSum", -INF),
                 ("ReduceLogSumExp", -INF)):
    for title, kind in (("known", "f32[2,0]"), ("in the run", "f32[2,n]")):
        gives([np.full((2, 1), want, np.float32)], f"{op} of nothing, {title}", op, kind, i64(1), values=("2x0xf32=zeros",))
for op, want in (("ReduceSum", 0), ("ReduceProd", 1), ("ReduceMax", -(1 << 31)), ("ReduceMin", (1 << 31) - 1)):
    gives([np.full((2, 1), want, np.int32)], f"integer {op} of nothing", op, "i32[2,n]", i64(1), values=("2x0xi32=zeros",))
for op in ("ArgMax", "ArgMin"):
    refused(3, "axis|empty|element", f"{op} of nothing, known", op, "f32[2,0]", axis=1)
    refused(8, "expected", f"{op} of nothing in the run", op, "f32[2,n]", values=("2x0xf32=zeros",), axis=1)
    gives([np.zeros((0, 1), np.int64)], f"{op} of no rows", op, "f32[n,2]", values=("0x2xf32=zeros",), axis=1)

# Unique: items are ordered by their elements, one after the other.
ITEMS = np.array([[[1, 1], [1, 0]], [[0, 1], [0, 0]]], np.float32)
gives([np.unique(ITEMS, axis=2)], "items of an inner axis", "Unique", "f32[2,2,2]", values=(ITEMS,), axis=2)
WIDE = np.random.default_rng(1).integers(0, 2, (2, 5, 200)).astype(np.float32)
WIDE[:, 3] = WIDE[:, 1]
for axis, extents in ((1, "2,5,200"), (1, "a,b,c"), (0, "a,b,c"), (2, "2,n,200")):
    order = [np.asarray(part).reshape(-1) if i else part for i, part in
             enumerate(np.unique(WIDE, True, True, True, axis=axis))]
    gives(order, f"items of many elements, axis {axis} of {extents}", "Unique", f"f32[{extents}]",
          values=(WIDE,), axis=axis)

# LpNormalization: a norm of zero gives zero.
ROWS_OF_ZEROS = f32(0, 0, 3, 4).reshape(2, 2)
for p, row in ((1, (3 / 7, 4 / 7)), (2, (0.6, 0.8))):
    gives([f32(0, 0, *row).reshape(2, 2)], f"a row of zeros, p = {p}", "LpNormalization", "f32[n,2]",
          values=(ROWS_OF_ZEROS,), p=p)

# A window that exceeds the end by a stride or more would begin behind the data.
gives([f32(5).reshape(1, 1, 1)], "a window that passes the end", "MaxPool", "f32[1,1,n]",
      values=(f32(4, 5).reshape(1, 1, 2),), kernel_shape=[3], strides=[2], ceil_mode=1)
refused(3, "kernel to fit", "a window past the end by a stride", "MaxPool", "f32[1,1,2]",
        kernel_shape=[4], strides=[2], ceil_mode=1)
refused(8, "kernel must fit", "a window past the end by a stride in the run", "MaxPool", "f32[1,1,n]",
        values=("1x1x2xf32=zeros",), kernel_shape=[4], strides=[2], ceil_mode=1)

# Resize: an extent times a scale is rounded to f32, at compile time and at run
# time.
for extents in ("10", "n"):
    gives([np.floor(np.arange(7, dtype=np.float32) / np.float32(0.7)).astype(np.float32)],
          f"seven tenths of {extents}", "Resize", f"f32[{extents}]", None, f32(0.7),
          values=(np.arange(10, dtype=np.float32),), mode="nearest", nearest_mode="floor",
          coordinate_transformation_mode="asymmetric")
gives([f32(1)], "one place of cubic pytorch_half_pixel", "Resize", "f32[3]", None, None, i64(1), values=(f32(1, 5, 9),),
      mode="cubic", coordinate_transformation_mode="pytorch_half_pixel")

# RoiAlign with a number of samples that depends on the size of the region.
refused(8, "samples per bin.*got 1000000000", "a region that takes many samples", "RoiAlign", "f32[1,1,2,2]", "f32[1,4]",
        i64(0), values=("1x1x2x2xf32=ones", np.array([[0, 0, 1e9, 1]], np.float32)), output_height=1, output_width=1)
