// Elementwise arithmetic, comparison, logic and activations, broadcast by
// numpy's rules.
#include "compiler/import/ElementwiseHandlers.h"
#include "compiler/import/graph/Formulas.h"
#include "compiler/import/tensorflow/graph/TfNodeContext.h"

using namespace mlir;

namespace tenon::tf {
namespace {

using Direction = CompareDirection;

using Formula = Value (*)(GraphBuilder &, Value);

template <Formula formula> LogicalResult floatFormula(NodeContext &c) {
  if (failed(c.expectFloat(0)))
    return failure();
  c.set(0, formula(c.g, c.input(0)));
  return success();
}

template <Formula formula> LogicalResult numberFormula(NodeContext &c) {
  if (failed(c.expectNumber(0)))
    return failure();
  c.set(0, formula(c.g, c.input(0)));
  return success();
}

Value square(GraphBuilder &g, Value x) { return g.mul(x, x); }
Value relu6(GraphBuilder &g, Value x) { return g.clamp(x, 0, 6); }
Value unitElu(GraphBuilder &g, Value x) { return elu(g, x, 1); }
Value selu(GraphBuilder &g, Value x) {
  // The constants of Klambauer et al., 2017.
  return g.mul(elu(g, x, 1.6732632423543772), 1.0507009873554805);
}
Value isInf(GraphBuilder &g, Value x) {
  return g.compare(Direction::EQ, g.make<AbsOp>(x),
                   std::numeric_limits<double>::infinity());
}
Value isFinite(GraphBuilder &g, Value x) {
  return g.compare(Direction::LT, g.make<AbsOp>(x),
                   std::numeric_limits<double>::infinity());
}

LogicalResult leakyReluNode(NodeContext &c) {
  if (failed(c.expectFloat(0)))
    return failure();
  c.set(0, leakyRelu(c.g, c.input(0), c.floatAttr("alpha", 0.2)));
  return success();
}

//===-- Two operands ----------------------------------------------------===//

using BinaryFormula = Value (*)(GraphBuilder &, Value, Value);

template <BinaryFormula formula> LogicalResult binary(NodeContext &c) {
  SmallVector<Value, 2> operands;
  if (failed(c.expectNumber(0)) || failed(c.expectSameElements()) ||
      failed(c.binaryOperands(operands)))
    return failure();
  c.set(0, formula(c.g, operands[0], operands[1]));
  return success();
}

Value squaredDifference(GraphBuilder &g, Value a, Value b) {
  Value difference = g.sub(a, b);
  return g.mul(difference, difference);
}
Value divNoNan(GraphBuilder &g, Value a, Value b) {
  return g.select(g.compare(Direction::EQ, b, 0.0), g.splatLike(a, 0),
                  g.div(a, b));
}
Value mulNoNan(GraphBuilder &g, Value a, Value b) {
  return g.select(g.compare(Direction::EQ, b, 0.0), g.splatLike(a, 0),
                  g.mul(a, b));
}
Value xlogy(GraphBuilder &g, Value a, Value b) {
  return g.select(g.compare(Direction::EQ, a, 0.0), g.splatLike(a, 0),
                  g.mul(a, g.make<LogOp>(b)));
}
Value xdivy(GraphBuilder &g, Value a, Value b) {
  return g.select(g.compare(Direction::EQ, a, 0.0), g.splatLike(a, 0),
                  g.div(a, b));
}
/// The quotient rounded towards minus infinity.
Value floorDiv(GraphBuilder &g, Value a, Value b) {
  Value quotient = g.div(a, b);
  if (isa<FloatType>(g.elementOf(a)))
    return g.make<FloorOp>(quotient);
  if (g.elementOf(a).isUnsignedInteger())
    return quotient;
  Value rest = g.binary<RemainderOp>(a, b);
  Value below = g.binary<AndOp>(g.compare(Direction::NE, rest, 0.0),
                                g.compare(Direction::NE,
                                          g.compare(Direction::LT, rest, 0.0),
                                          g.compare(Direction::LT, b, 0.0)));
  return g.sub(quotient, g.convert(below, g.elementOf(a)));
}
Value floorMod(GraphBuilder &g, Value a, Value b) {
  Value rest = g.binary<RemainderOp>(a, b);
  return g.elementOf(a).isUnsignedInteger() ? rest : withSignOf(g, rest, b);
}

LogicalResult rightShift(NodeContext &c) {
  return c.g.elementOf(c.input(0)).isUnsignedInteger()
             ? bitwise<ShiftRightLogicalOp>(c)
             : bitwise<ShiftRightArithmeticOp>(c);
}

LogicalResult addN(NodeContext &c) {
  if (failed(c.expectNumber(0)) || failed(c.expectSameElements()))
    return failure();
  Value sum = c.input(0);
  for (size_t i = 1; i < c.numInputs(); ++i) {
    FailureOr<Value> next =
        c.withSizes(i, c.g.sizes(sum), "a tensor like the first");
    if (failed(next))
      return failure();
    sum = c.g.add(sum, *next);
  }
  c.set(0, sum);
  return success();
}

LogicalResult biasAdd(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value x = c.input(0);
  std::string format = c.stringAttr("data_format", "NHWC");
  if (format != "NHWC" && format != "NCHW")
    return c.error("expected data_format NHWC or NCHW, got \"" + format + "\"");
  if (failed(c.expectNumber(0)) || failed(c.expectSameElements({0, 1})) ||
      failed(c.expectMinRank(0, 2)) || failed(c.expectRank(1, 1)))
    return failure();
  bool isLast = format == "NHWC";
  FailureOr<Value> bias =
      c.withSizes(1, g.size(x, isLast ? g.rankOf(x) - 1 : 1), "a bias");
  if (failed(bias))
    return failure();
  SmallVector<int64_t> after;
  for (int64_t i = 2; !isLast && i < g.rankOf(x); ++i)
    after.push_back(i - 1);
  c.set(0, g.add(x, g.unsqueeze(*bias, after)));
  return success();
}

LogicalResult selectV2(NodeContext &c) {
  Value values[] = {c.input(0), c.input(1), c.input(2)};
  if (failed(c.expectBool(0)) || failed(c.expectSameElements({1, 2})) ||
      failed(c.broadcast(values)))
    return failure();
  c.set(0, c.g.select(values[0], values[1], values[2]));
  return success();
}

/// Selects elements. Before version 2 a condition of rank 1 selects whole rows.
LogicalResult select(NodeContext &c) {
  GraphBuilder &g = c.g;
  if (failed(c.expectBool(0)) || failed(c.expectSameElements({1, 2})))
    return failure();
  Sizes sizes = g.sizes(c.input(1)), wanted = sizes;
  bool isVector = g.rankOf(c.input(0)) == 1 && sizes.size() > 1;
  if (isVector || g.rankOf(c.input(0)) == 0)
    wanted.truncate(isVector ? 1 : 0);
  FailureOr<Value> condition = c.withSizes(0, wanted, "a condition"),
                   other = c.withSizes(2, sizes, "a tensor like the first");
  if (failed(condition) || failed(other))
    return failure();
  SmallVector<int64_t> after;
  for (size_t i = 1; isVector && i < sizes.size(); ++i)
    after.push_back(int64_t(i));
  c.set(0, g.select(g.unsqueeze(*condition, after), c.input(1), *other));
  return success();
}

LogicalResult cast(NodeContext &c) {
  GraphBuilder &g = c.g;
  DataType to = c.typeAttr("DstT", DataType::Invalid);
  if (realType(to) != to) {
    mlir::Type part = elementTypeOf(g.ops.getContext(), realType(to));
    Value real = g.convert(c.input(0), part);
    c.set(0, ComplexPair{real, g.splatLike(real, 0)});
    return success();
  }
  mlir::Type element = c.elementAttr("DstT", DataType::Invalid);
  if (!element)
    return failure();
  c.set(0, g.convert(c.input(0), element));
  return success();
}

LogicalResult clip(NodeContext &c) {
  Value values[] = {c.input(0), c.input(1), c.input(2)};
  if (failed(c.expectNumber(0)) || failed(c.expectSameElements({0, 1, 2})) ||
      failed(c.broadcast(values)))
    return failure();
  c.set(0, c.g.minimum(c.g.maximum(values[0], values[1]), values[2]));
  return success();
}

/// Quantizes to 2^bits levels and back. The range is shifted so that zero is a
/// level (TensorFlow's `Nudge`).
LogicalResult fakeQuant(NodeContext &c) {
  GraphBuilder &g = c.g;
  if (failed(c.expectFloat(0)))
    return failure();
  int64_t bits = c.intAttr("num_bits", 8);
  bool narrow = c.boolAttr("narrow_range", false);
  if (bits < 2 || bits > 16)
    return c.error("expected num_bits of 2 to 16, got " + Twine(bits));
  double lowest = narrow ? 1 : 0, highest = double((1 << bits) - 1);
  Value x = c.input(0);
  Value low = g.scalar(g.elementOf(x), c.floatAttr("min", -6)),
        high = g.scalar(g.elementOf(x), c.floatAttr("max", 6));
  if (c.numInputs() == 3) {
    // The range is one pair of bounds, or one pair per channel.
    low = c.input(1);
    high = c.input(2);
    int64_t rank = c.node.op == "FakeQuantWithMinMaxVarsPerChannel" ? 1 : 0;
    if (failed(c.expectSameElements({0, 1, 2})) ||
        failed(c.expectRank(1, rank)) || failed(c.expectRank(2, rank)))
      return failure();
    if (rank == 1) {
      if (failed(c.expectMinRank(0, 1)))
        return failure();
      Size channels = g.sizes(x).back();
      FailureOr<Value> least = c.withSizes(1, channels, "least numbers"),
                       most = c.withSizes(2, channels, "greatest numbers");
      if (failed(least) || failed(most))
        return failure();
      low = *least;
      high = *most;
    }
  }
  Value scale = g.div(g.sub(high, low), highest - lowest);
  Value zero = g.sub(g.scalar(g.elementOf(x), lowest), g.div(low, scale));
  Value rounded = g.make<FloorOp>(g.add(zero, 0.5));
  Value point = g.clamp(rounded, lowest, highest);
  Value nudgedLow =
      g.mul(g.sub(g.scalar(g.elementOf(x), lowest), point), scale);
  Value nudgedHigh =
      g.mul(g.sub(g.scalar(g.elementOf(x), highest), point), scale);
  Value clamped = g.minimum(g.maximum(x, nudgedLow), nudgedHigh);
  Value steps =
      g.make<FloorOp>(g.add(g.div(g.sub(clamped, nudgedLow), scale), 0.5));
  c.set(0, g.add(g.mul(steps, scale), nudgedLow));
  return success();
}

template <bool ones> LogicalResult like(NodeContext &c) {
  c.set(0, c.g.splatLike(c.input(0), ones ? 1 : 0));
  return success();
}

} // namespace

void registerElementwiseOps(OpRegistry &r) {
  r.add("Abs", 1, numberUnary<AbsOp>);
  r.add("Neg", 1, numberUnary<NegateOp>);
  r.add("Sign", 1, numberUnary<SignOp>);
  r.add("Exp", 1, floatUnary<ExpOp>);
  r.add("Expm1", 1, floatUnary<Expm1Op>);
  r.add("Log", 1, floatUnary<LogOp>);
  r.add("Log1p", 1, floatUnary<Log1pOp>);
  r.add("Sqrt", 1, floatUnary<SqrtOp>);
  r.add("Rsqrt", 1, floatUnary<RsqrtOp>);
  r.add("Floor", 1, floatUnary<FloorOp>);
  r.add("Ceil", 1, floatUnary<CeilOp>);
  r.add("Rint", 1, floatUnary<RoundNearestEvenOp>);
  r.add("Round", 1, floatUnary<RoundNearestEvenOp>);
  r.add("Sin", 1, floatUnary<SineOp>);
  r.add("Cos", 1, floatUnary<CosineOp>);
  r.add("Tan", 1, floatUnary<TanOp>);
  r.add("Asin", 1, floatUnary<AsinOp>);
  r.add("Acos", 1, floatUnary<AcosOp>);
  r.add("Atan", 1, floatUnary<AtanOp>);
  r.add("Sinh", 1, floatUnary<SinhOp>);
  r.add("Cosh", 1, floatUnary<CoshOp>);
  r.add("Asinh", 1, floatUnary<AsinhOp>);
  r.add("Acosh", 1, floatUnary<AcoshOp>);
  r.add("Atanh", 1, floatUnary<AtanhOp>);
  r.add("Tanh", 1, floatUnary<TanhOp>);
  r.add("Sigmoid", 1, floatUnary<LogisticOp>);
  r.add("Erf", 1, floatUnary<ErfOp>);
  r.add("Square", 1, numberFormula<square>);
  r.add("Reciprocal", 1, floatFormula<reciprocal>);
  r.add("Inv", 1, floatFormula<reciprocal>);
  r.add("Relu", 1, numberFormula<relu>);
  r.add("Relu6", 1, numberFormula<relu6>);
  r.add("Elu", 1, floatFormula<unitElu>);
  r.add("Selu", 1, floatFormula<selu>);
  r.add("Softplus", 1, floatFormula<softplus>);
  r.add("Softsign", 1, floatFormula<softsign>);
  r.add("LeakyRelu", 1, leakyReluNode);
  r.add("IsNan", 1, floatUnary<IsNanOp>);
  r.add("IsInf", 1, floatFormula<isInf>);
  r.add("IsFinite", 1, floatFormula<isFinite>);
  r.add("ZerosLike", 1, like<false>);
  r.add("OnesLike", 1, like<true>);
  r.add("Invert", 1, bitwiseNot);
  r.add("LogicalNot", 1, logicalNot);
  r.add("Cast", 1, cast);
  r.add("Add", 2, arithmetic<AddOp>);
  r.add("AddV2", 2, arithmetic<AddOp>);
  r.add("Sub", 2, arithmetic<SubtractOp>);
  r.add("Mul", 2, arithmetic<MultiplyOp>);
  r.add("RealDiv", 2, arithmetic<DivideOp>);
  r.add("Div", 2, arithmetic<DivideOp>);
  r.add("TruncateDiv", 2, arithmetic<DivideOp>);
  r.add("FloorDiv", 2, binary<floorDiv>);
  r.add("FloorMod", 2, binary<floorMod>);
  r.add("Mod", 2, arithmetic<RemainderOp>);
  r.add("TruncateMod", 2, arithmetic<RemainderOp>);
  r.add("Maximum", 2, arithmetic<MaximumOp>);
  r.add("Minimum", 2, arithmetic<MinimumOp>);
  r.add("Pow", 2, arithmetic<PowerOp>);
  r.add("Atan2", 2, arithmetic<Atan2Op>);
  r.add("SquaredDifference", 2, binary<squaredDifference>);
  r.add("DivNoNan", 2, binary<divNoNan>);
  r.add("MulNoNan", 2, binary<mulNoNan>);
  r.add("Xlogy", 2, binary<xlogy>);
  r.add("Xdivy", 2, binary<xdivy>);
  r.add("LogicalAnd", 2, logical<AndOp>);
  r.add("LogicalOr", 2, logical<OrOp>);
  r.add("BitwiseAnd", 2, bitwise<AndOp>);
  r.add("BitwiseOr", 2, bitwise<OrOp>);
  r.add("BitwiseXor", 2, bitwise<XorOp>);
  r.add("LeftShift", 2, bitwise<ShiftLeftOp>);
  r.add("RightShift", 2, rightShift);
  r.add("Less", 2, comparison<Direction::LT>);
  r.add("LessEqual", 2, comparison<Direction::LE>);
  r.add("Greater", 2, comparison<Direction::GT>);
  r.add("GreaterEqual", 2, comparison<Direction::GE>);
  r.add("Equal", 2, comparison<Direction::EQ>);
  r.add("NotEqual", 2, comparison<Direction::NE>);
  r.add("AddN", 1, kMany, addN);
  r.add("BiasAdd", 2, biasAdd);
  r.add("BiasAddV1", 2, biasAdd);
  r.add("SelectV2", 3, selectV2);
  r.add("Select", 3, select);
  r.add("ClipByValue", 3, clip);
  r.add("FakeQuantWithMinMaxVars", 3, fakeQuant);
  r.add("FakeQuantWithMinMaxVarsPerChannel", 3, fakeQuant);
  r.add("FakeQuantWithMinMaxArgs", 1, fakeQuant);
}

} // namespace tenon::tf
