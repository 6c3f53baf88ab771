// Elementwise arithmetic, comparison and logic. The operands of a node are
// broadcast to one shape for a tenon op.
#include "compiler/import/ElementwiseHandlers.h"
#include "compiler/import/graph/Formulas.h"
#include "compiler/import/onnx/graph/NodeContext.h"

using namespace mlir;

namespace tenon::onnx {
namespace {

LogicalResult bitShift(NodeContext &c) {
  SmallVector<Value, 2> operands;
  if (failed(c.expectInteger(0)) || failed(c.expectInteger(1)) ||
      failed(c.expectSameElements()) || failed(c.binaryOperands(operands)))
    return failure();
  if (!c.g.elementOf(operands[0]).isUnsignedInteger())
    return c.error("expected unsigned integers, got " + textOf(operands[0]));
  std::string direction = c.stringAttr("direction", "");
  if (direction == "LEFT")
    c.set(0, c.g.make<ShiftLeftOp>(operands[0], operands[1]));
  else if (direction == "RIGHT")
    c.set(0, c.g.make<ShiftRightLogicalOp>(operands[0], operands[1]));
  else
    return c.error("expected direction LEFT or RIGHT, got \"" + direction +
                   "\"");
  return success();
}

/// Broadcasts all operands to one shape and combines them from left to right.
template <typename Op> FailureOr<Value> combineAll(NodeContext &c) {
  c.ignoreAttrs({"consumed_inputs"});
  SmallVector<Value> operands(c.inputs());
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i])
      return c.error("expected input " + Twine(i) + " to be present");
    if (failed(c.expectNumber(i)))
      return failure();
  }
  if (failed(c.expectSameElements()))
    return failure();
  // Before opset 8 all operands must have one shape.
  for (size_t i = 1; c.opset < 8 && i < operands.size(); ++i) {
    FailureOr<Value> like =
        c.withSizes(i, c.g.sizes(operands[0]), "a tensor like the first");
    if (failed(like))
      return failure();
    operands[i] = *like;
  }
  if (failed(c.broadcast(operands)))
    return failure();
  Value result = operands[0];
  for (Value operand : ArrayRef(operands).drop_front())
    result = c.g.make<Op>(result, operand);
  return result;
}

template <typename Op> LogicalResult variadic(NodeContext &c) {
  FailureOr<Value> result = combineAll<Op>(c);
  if (failed(result))
    return failure();
  c.set(0, *result);
  return success();
}

LogicalResult meanOfInputs(NodeContext &c) {
  FailureOr<Value> sum = combineAll<AddOp>(c);
  if (failed(sum) || failed(c.expectFloat(0)))
    return failure();
  c.set(0, c.g.div(*sum, double(c.numInputs())));
  return success();
}

unsigned widthOf(mlir::Type type) { return type.getIntOrFloatBitWidth(); }

/// The base's type is the result's. If the exponent's type differs, both are
/// converted to a type that represents both.
LogicalResult pow(NodeContext &c) {
  SmallVector<Value, 2> operands;
  if (failed(c.expectNumber(0)) || failed(c.expectNumber(1)) ||
      failed(c.binaryOperands(operands)))
    return failure();
  mlir::Type base = c.g.elementOf(operands[0]),
             exponent = c.g.elementOf(operands[1]);
  mlir::Type common = base;
  if (base == exponent || (isa<FloatType>(base) && !isa<FloatType>(exponent)))
    common = base;
  else if (isa<FloatType>(base))
    common = widthOf(exponent) > widthOf(base) ? exponent
             : widthOf(base) > widthOf(exponent) || base.isF32()
                 ? base
                 : mlir::Type(c.g.f32());
  else if (isa<FloatType>(exponent))
    common = c.g.ops.getF64Type();
  else
    common = c.g.i64();
  Value result = c.g.make<PowerOp>(c.g.convert(operands[0], common),
                                   c.g.convert(operands[1], common));
  c.set(0, c.g.convert(result, base));
  return success();
}

/// The remainder with the sign of the dividend, as in C, with fmod; otherwise
/// with the sign of the divisor, as in Python.
LogicalResult mod(NodeContext &c) {
  SmallVector<Value, 2> operands;
  bool fmod = c.intAttr("fmod", 0) != 0;
  if (failed(c.expectNumber(0)) || failed(c.expectNumber(1)) ||
      failed(c.expectSameElements()) || failed(c.binaryOperands(operands)))
    return failure();
  GraphBuilder &g = c.g;
  mlir::Type element = g.elementOf(operands[0]);
  if (!fmod && isa<FloatType>(element))
    return c.error("expected fmod = 1 for floating-point operands, got 0");
  Value rest = g.make<RemainderOp>(operands[0], operands[1]);
  if (!fmod && !element.isUnsignedInteger())
    rest = withSignOf(g, rest, operands[1]);
  c.set(0, rest);
  return success();
}

LogicalResult isInf(NodeContext &c) {
  if (failed(c.expectFloat(0)))
    return failure();
  bool positive = c.intAttr("detect_positive", 1) != 0;
  bool negative = c.intAttr("detect_negative", 1) != 0;
  double infinity = std::numeric_limits<double>::infinity();
  Value x = c.input(0);
  if (positive && negative)
    x = c.g.make<AbsOp>(x);
  Value found =
      c.g.compare(CompareDirection::EQ, x, positive ? infinity : -infinity);
  if (!positive && !negative)
    found = c.g.splatLike(found, 0);
  c.set(0, found);
  return success();
}

LogicalResult reciprocalNode(NodeContext &c) {
  c.ignoreAttrs({"consumed_inputs"});
  if (failed(c.expectFloat(0)))
    return failure();
  c.set(0, reciprocal(c.g, c.input(0)));
  return success();
}

/// Clips to bounds that are attributes.
LogicalResult clip1(NodeContext &c) {
  c.ignoreAttrs({"consumed_inputs"});
  if (failed(c.expectFloat(0)))
    return failure();
  Value result = c.input(0);
  if (c.hasAttr("min"))
    result = c.g.maximum(result, c.floatAttr("min"));
  if (c.hasAttr("max"))
    result = c.g.minimum(result, c.floatAttr("max"));
  c.set(0, result);
  return success();
}

/// Clips to bounds that are operands. If the lower bound is above the upper
/// one, the result is the upper one.
LogicalResult clip11(NodeContext &c) {
  if (failed(c.expectNumber(0)) || failed(c.expectSameElements()))
    return failure();
  Value result = c.input(0);
  for (size_t i : {1, 2}) {
    if (!c.hasInput(i))
      continue;
    FailureOr<Value> bound = c.scalarInput(i);
    if (failed(bound))
      return failure();
    result = i == 1 ? c.g.maximum(result, *bound) : c.g.minimum(result, *bound);
  }
  c.set(0, result);
  return success();
}

} // namespace

void registerElementwiseOps(OpRegistry &r) {
  r.add("Abs", 1, 1, 1, numberUnary<AbsOp>);
  r.add("Neg", 1, 1, 1, numberUnary<NegateOp>);
  r.add("Sign", 9, 1, 1, numberUnary<SignOp>);
  r.add("Ceil", 1, 1, 1, floatUnary<CeilOp>);
  r.add("Floor", 1, 1, 1, floatUnary<FloorOp>);
  r.add("Round", 11, 1, 1, floatUnary<RoundNearestEvenOp>);
  r.add("Sqrt", 1, 1, 1, floatUnary<SqrtOp>);
  r.add("Exp", 1, 1, 1, floatUnary<ExpOp>);
  r.add("Log", 1, 1, 1, floatUnary<LogOp>);
  r.add("Sin", 7, 1, 1, floatUnary<SineOp>);
  r.add("Cos", 7, 1, 1, floatUnary<CosineOp>);
  r.add("Tan", 7, 1, 1, floatUnary<TanOp>);
  r.add("Asin", 7, 1, 1, floatUnary<AsinOp>);
  r.add("Acos", 7, 1, 1, floatUnary<AcosOp>);
  r.add("Atan", 7, 1, 1, floatUnary<AtanOp>);
  r.add("Sinh", 9, 1, 1, floatUnary<SinhOp>);
  r.add("Cosh", 9, 1, 1, floatUnary<CoshOp>);
  r.add("Tanh", 1, 1, 1, floatUnary<TanhOp>);
  r.add("Asinh", 9, 1, 1, floatUnary<AsinhOp>);
  r.add("Acosh", 9, 1, 1, floatUnary<AcoshOp>);
  r.add("Atanh", 9, 1, 1, floatUnary<AtanhOp>);
  r.add("Erf", 9, 1, 1, floatUnary<ErfOp>);
  r.add("Sigmoid", 1, 1, 1, floatUnary<LogisticOp>);
  r.add("IsNaN", 9, 1, 1, floatUnary<IsNanOp>);
  r.add("IsInf", 10, 1, 1, isInf);
  r.add("Reciprocal", 1, 1, 1, reciprocalNode);
  r.add("Add", 1, 2, 1, arithmetic<AddOp>);
  r.add("Sub", 1, 2, 1, arithmetic<SubtractOp>);
  r.add("Mul", 1, 2, 1, arithmetic<MultiplyOp>);
  r.add("Div", 1, 2, 1, arithmetic<DivideOp>);
  r.add("Pow", 1, 2, 1, pow);
  r.add("Mod", 10, 2, 1, mod);
  r.add("Max", 1, Arity(1, kMany), 1, variadic<MaximumOp>);
  r.add("Min", 1, Arity(1, kMany), 1, variadic<MinimumOp>);
  r.add("Sum", 1, Arity(1, kMany), 1, variadic<AddOp>);
  r.add("Mean", 1, Arity(1, kMany), 1, meanOfInputs);
  r.add("Equal", 1, 2, 1, comparison<CompareDirection::EQ>);
  r.add("Less", 1, 2, 1, comparison<CompareDirection::LT>);
  r.add("LessOrEqual", 12, 2, 1, comparison<CompareDirection::LE>);
  r.add("Greater", 1, 2, 1, comparison<CompareDirection::GT>);
  r.add("GreaterOrEqual", 12, 2, 1, comparison<CompareDirection::GE>);
  r.add("And", 1, 2, 1, logical<AndOp>);
  r.add("Or", 1, 2, 1, logical<OrOp>);
  r.add("Xor", 1, 2, 1, logical<XorOp>);
  r.add("Not", 1, 1, 1, logicalNot);
  r.add("BitShift", 11, 2, 1, bitShift);
  r.add("BitwiseAnd", 18, 2, 1, bitwise<AndOp>);
  r.add("BitwiseOr", 18, 2, 1, bitwise<OrOp>);
  r.add("BitwiseXor", 18, 2, 1, bitwise<XorOp>);
  r.add("BitwiseNot", 18, 1, 1, bitwiseNot);
  r.add("Clip", 1, 1, 1, clip1);
  r.add("Clip", 11, Arity(1, 3), 1, clip11);
}

} // namespace tenon::onnx
