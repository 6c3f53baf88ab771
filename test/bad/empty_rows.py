"""The rows of check_empty.py: every operator on tensors without elements.

`row(OP, OPERANDS..., ATTRIBUTES)`: an operand is a type whose extents `n` and
`m` become 0, an array (a constant) or None. `never` names the extents that
must not be zero, because the operator is not defined then. `UNTRIED` lists
operators for which the test makes no sense, with the reason. The other tables
list results that differ if the extent beside a zero is 2^62.
"""
import numpy as np

import onnx_build


class Row:
    def __init__(self, op, *operands, outputs=1, never="", opset=20, **attributes):
        self.op, self.operands, self.outputs = op, operands, outputs
        self.never, self.opset, self.attributes = never, opset, attributes


ROWS = []


def row(op, *operands, **rest):
    ROWS.append(Row(op, *operands, **rest))


def i64(*values):
    return np.array(values, np.int64)


def f32(*values):
    return np.array(values, np.float32)


ZERO, HALF = np.array(0, np.int64), np.array(0.5, np.float32)
X, CHANNELS = "f32[n,m]", "f32[n,4,m]"

for op in """Abs Acos Acosh Asin Asinh Atan Atanh Ceil Celu Cos Cosh Elu Erf Exp Floor Gelu HardSigmoid HardSwish Identity
             IsInf IsNaN LeakyRelu Log LogSoftmax Hardmax Mish Neg Reciprocal Relu Round Selu Shape Shrink Sigmoid Sign Sin
             Sinh Size Softmax Softplus Softsign Sqrt Tan Tanh ThresholdedRelu Dropout NonZero Clip Transpose Flatten
             GlobalAveragePool EyeLike DynamicQuantizeLinear Trilu LpNormalization""".split():
    operand = CHANNELS if op in ("GlobalAveragePool",) else X
    # An image without pixels has no mean, and an empty range has no scale.
    never = {"GlobalAveragePool": "m", "DynamicQuantizeLinear": "nm"}.get(op, "")
    row(op, operand, never=never, outputs=3 if op == "DynamicQuantizeLinear" else 1)
row("Cast", X, to=7)
row("CastLike", X, "i32[n]")
row("Not", "bool[n,m]")
row("BitwiseNot", "i32[n,m]")
for op in "Add Sub Mul Div Pow Max Min Mean Sum PRelu Equal Less Greater LessOrEqual GreaterOrEqual".split():
    row(op, X, "f32[m]")
    row(op, X, HALF)
row("Mod", "i32[n,m]", "i32[m]")
row("Div", "i32[n,m]", "i32[m]")
for op in "And Or Xor".split():
    row(op, "bool[n,m]", "bool[m]")
for op in "BitwiseAnd BitwiseOr BitwiseXor".split():
    row(op, "i32[n,m]", "i32[m]")
row("BitShift", "ui8[n,m]", "ui8[m]", direction="LEFT")
row("Where", "bool[n,1]", "f32[m]", X)
for op in """ReduceSum ReduceProd ReduceMax ReduceMin ReduceMean ReduceL1 ReduceL2 ReduceSumSquare ReduceLogSum
             ReduceLogSumExp""".split():
    row(op, X, i64(0))
    row(op, X, i64(1), keepdims=0)
    row(op, X, i64(0, 1))
for op in "ArgMax ArgMin".split():
    row(op, X, axis=0, never="n")
    row(op, X, axis=1, never="m")
row("CumSum", X, ZERO)
row("CumSum", X, np.array(1, np.int64), reverse=1)
row("LayerNormalization", X, "f32[m]", "f32[m]")
row("BatchNormalization", CHANNELS, *[np.ones(4, np.float32)] * 4)
row("AffineGrid", "f32[2,2,3]", i64(2, 1, 0, 3))
row("CenterCropPad", X, i64(2, 3))
row("Col2Im", "f32[n,8,6]", i64(3, 4), i64(2, 2))
row("DeformConv", "f32[n,2,4,4]", np.ones((1, 2, 2, 2), np.float32), "f32[n,8,3,3]")
row("OptionalGetElement", X)
row("OptionalHasElement", X)
row("InstanceNormalization", CHANNELS, *[np.ones(4, np.float32)] * 2)
row("GroupNormalization", CHANNELS, *[np.ones(2, np.float32)] * 2, num_groups=2)
row("MeanVarianceNormalization", "f32[n,4,m,2]")
row("LRN", "f32[n,4,m,2]", size=3)
row("MatMul", X, "f32[m,4]")
row("MatMul", "f32[n,3]", "f32[3,m]")
row("MatMul", "f32[n,2,m]", "f32[n,m,5]")
row("MatMul", "f32[m]", "f32[m]")
row("Gemm", X, "f32[m,4]", "f32[4]")
row("Gemm", X, "f32[n,4]", transA=1)
row("Einsum", X, "f32[m,n]", equation="ij,jk->ik")
row("Einsum", X, equation="ij->")
row("MatMulInteger", "ui8[n,m]", "ui8[m,4]")
row("QLinearMatMul", "ui8[n,m]", HALF, np.array(3, np.uint8), "ui8[m,4]", HALF, np.array(3, np.uint8), HALF, np.array(3, np.uint8))
row("Conv", "f32[n,m,5]", "f32[3,m,2]")
row("Conv", "f32[n,2,m]", np.ones((3, 2, 2), np.float32), pads=[1, 1])
row("Conv", "f32[n,2,5]", "f32[m,2,2]")
row("ConvInteger", "ui8[n,2,m]", np.ones((3, 2, 2), np.uint8), pads=[1, 1])
row("QLinearConv", "ui8[n,2,m]", HALF, np.array(3, np.uint8), np.ones((3, 2, 2), np.uint8), HALF, np.array(3, np.uint8), HALF,
    np.array(3, np.uint8), pads=[1, 1])
row("ConvTranspose", "f32[n,2,m]", np.ones((2, 3, 2), np.float32), never="m")
row("MaxPool", "f32[n,m,5]", kernel_shape=[2])
row("MaxPool", "f32[n,2,m]", kernel_shape=[2], pads=[1, 1], outputs=2)
row("AveragePool", "f32[n,2,m]", kernel_shape=[2], pads=[1, 1], count_include_pad=1)
row("LpPool", "f32[n,2,m]", kernel_shape=[2], pads=[1, 1])
row("GlobalMaxPool", "f32[n,m,5]")
row("GlobalLpPool", "f32[n,m,5]")
row("MaxUnpool", "f32[n,2,2]", "i64[n,2,2]", kernel_shape=[2], never="m")
row("Reshape", X, i64(-1))
row("Reshape", X, i64(0, 0, 1))
row("Squeeze", "f32[n,1,m]", i64(1))
row("Unsqueeze", X, i64(0, 3))
row("Concat", X, "f32[2,m]", axis=0)
row("Concat", X, X, axis=1)
row("Split", "f32[4,n]", outputs=2, num_outputs=2)
row("Split", X, axis=0, outputs=2, num_outputs=2)
row("Slice", X, i64(0), i64(100), i64(1), i64(2))
row("Slice", X, i64(100), i64(-100), i64(0), i64(-1))
for mode in ("constant", "edge", "reflect"):
    row("Pad", "f32[n,3]", i64(0, 1, 0, 1), mode=mode)
row("Pad", X, i64(1, 1, 1, 1))
row("Tile", X, i64(2, 3))
row("Tile", "f32[2,n]", i64(0, 1))
row("Expand", "f32[n,1]", i64(1, 5))
row("Expand", "f32[1,3]", i64(0, 3))
row("Gather", "f32[8,m]", "i64[n]")
row("GatherElements", "f32[8,m]", "i64[n,m]")
row("GatherND", "f32[8,m]", "i64[n,1]")
row("ScatterElements", "f32[8,m]", "i64[n,m]", X)
row("ScatterND", "f32[8,m]", "i64[n,1]", X)
row("Scatter", "f32[8,m]", "i64[n,m]", X, opset=9)
row("DepthToSpace", "f32[n,4,m,2]", blocksize=2)
row("SpaceToDepth", "f32[n,4,m,2]", blocksize=1)
row("Resize", "f32[n,4,2,3]", None, f32(1, 1, 2, 2))
row("Resize", "f32[n,4,2,3]", None, f32(1, 1, 2, 2), mode="linear")
row("Resize", "f32[n,4,2,3]", None, f32(1, 1, 2, 2), mode="cubic")
row("Upsample", "f32[n,4,2,3]", f32(1, 1, 2, 2), opset=9)
row("Compress", "f32[n,3]", np.array([True, False, True]), axis=1)
row("Unique", "f32[n]", outputs=4)
row("TopK", "f32[n,3]", i64(2), outputs=2)
row("TopK", X, i64(0), outputs=2)
row("OneHot", "i64[n]", np.array(3, np.int64), f32(0, 1))
row("Range", ZERO, ZERO, np.array(1, np.int64))
row("ConstantOfShape", i64(0, 3))
row("ReverseSequence", "f32[3,n]", "i64[n]", never="m", batch_axis=1, time_axis=0)
row("RoiAlign", "f32[8,2,6,6]", "f32[n,4]", "i64[n]", output_height=2, output_width=2, sampling_ratio=2)
row("RoiAlign", "f32[8,2,6,6]", "f32[n,4]", "i64[n]")
row("NonMaxSuppression", "f32[1,n,4]", "f32[1,2,n]", i64(3), f32(0.5))
row("GridSample", "f32[n,2,3,3]", "f32[n,2,2,2]")
row("QuantizeLinear", X, HALF, np.array(3, np.uint8))
row("DequantizeLinear", "ui8[n,m]", HALF, np.array(3, np.uint8))
row("RNN", "f32[m,n,2]", np.ones((1, 3, 2), np.float32), np.ones((1, 3, 3), np.float32), hidden_size=3, outputs=2)
row("GRU", "f32[m,n,2]", np.ones((1, 9, 2), np.float32), np.ones((1, 9, 3), np.float32), hidden_size=3, outputs=2)
row("LSTM", "f32[m,n,2]", np.ones((1, 12, 2), np.float32), np.ones((1, 12, 3), np.float32), hidden_size=3, outputs=3)
row("Det", "f32[n,2,2]")
row("DFT", "f32[n,4,1]", None, np.array(1, np.int64))
row("STFT", "f32[n,8,1]", np.array(4, np.int64), None, np.array(4, np.int64))
row("NegativeLogLikelihoodLoss", "f32[n,8]", "i64[n]", reduction="none")
row("SoftmaxCrossEntropyLoss", "f32[n,8]", "i64[n]", reduction="none")
row("HannWindow", np.array(0, np.int64))
row("HammingWindow", np.array(0, np.int64))
row("BlackmanWindow", np.array(0, np.int64))
row("Constant", value=np.zeros((0, 3), np.float32))
SUM = onnx_build.graph([onnx_build.node("Add", ["s", "x"], ["t"]), onnx_build.node("Identity", ["t"], ["u"])],
                       {"s": "f32[m]", "x": "f32[m]"}, {"t": "f32[m]", "u": "f32[m]"})
row("Scan", "f32[m]", X, outputs=2, num_scan_inputs=1, body=SUM)
BODY = onnx_build.graph([onnx_build.node("Identity", ["c"], ["d"]), onnx_build.node("Neg", ["s"], ["t"])],
                        {"i": "i64[]", "c": "bool[]", "s": "f32[n,m]"}, {"d": "bool[]", "t": "f32[n,m]"})
row("Loop", np.array(3, np.int64), None, X, body=BODY)
row("Loop", ZERO, None, X, body=BODY)
row("Momentum", np.array(0.1, np.float32), ZERO, X, X, X, domain="ai.onnx.preview.training", alpha=0.9, beta=0.9, norm_coefficient=0.1,
    mode="standard", outputs=2)
row("Adagrad", np.array(0.1, np.float32), ZERO, X, X, X, domain="ai.onnx.preview.training", outputs=2)
row("Adam", np.array(0.1, np.float32), ZERO, X, X, X, X, domain="ai.onnx.preview.training", outputs=3)

UNTRIED = {
    "If": "has no operands of its own but the condition",
    "MelWeightMatrix": "computed from scalars alone",
    **dict.fromkeys(["Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform",
                     "RandomUniformLike"], "draws at random"),
    **dict.fromkeys(["StringNormalizer", "TfIdfVectorizer"], "works on text"),
}

# Operators whose results or temporaries have elements for each row or column,
# although the rows are empty: with 2^62 rows they must report a limit.
BY_ROW = {"Hardmax", "Softmax", "LogSoftmax", "LpNormalization", "MatMul", "Gemm", "Einsum", "MatMulInteger", "QLinearMatMul", "Conv",
          "ConvInteger", "QLinearConv", "MaxPool", "AveragePool", "LpPool", "Pad", "InstanceNormalization", "GroupNormalization", "RNN",
          "GRU", "LSTM"} | \
    {row.op for row in ROWS if row.op.startswith("Reduce")}

# Operators whose results or temporaries are a multiple of their operands.
GROWING = {"Concat", "Tile", "DepthToSpace", "SpaceToDepth", "GatherElements", "Scatter", "ScatterElements"}
