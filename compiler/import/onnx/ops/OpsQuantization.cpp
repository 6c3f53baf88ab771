// Linear quantization and its inverse, per tensor, per axis and per block.
#include "compiler/import/onnx/ops/ByteProducts.h"
#include "compiler/import/onnx/ops/Quantization.h"

#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;

namespace tenon::onnx {

Value quantize(GraphBuilder &g, Value x, Value scale, Value zeroPoint,
               mlir::Type to) {
  if (scale)
    x = dividedByScale(g, x, scale);
  x = g.make<RoundNearestEvenOp>(x);
  if (zeroPoint && !matchPattern(zeroPoint, m_Zero()))
    x = g.add(x, g.convert(zeroPoint, g.elementOf(x)));
  return g.convert(x, to);
}

Value centered(GraphBuilder &g, Value x, Value zeroPoint) {
  mlir::Type i32 = g.ops.getI32Type();
  x = g.convert(x, i32);
  return zeroPoint && !matchPattern(zeroPoint, m_Zero())
             ? g.sub(x, g.convert(zeroPoint, i32))
             : x;
}

Value dequantize(GraphBuilder &g, const Dequantized &x) {
  // f16 and bf16 cannot represent all differences of 16-bit numbers.
  mlir::Type element = g.elementOf(x.scale), wide = element;
  if (element.isF16() || element.isBF16())
    wide = g.f32();
  Value real = g.convert(centered(g, x.integers, x.zero), wide);
  return g.convert(g.mul(real, g.convert(x.scale, wide)), element);
}

Value withoutBroadcast(Value x) {
  auto broadcast = x.getDefiningOp<BroadcastInDimOp>();
  return broadcast ? broadcast.getOperand() : x;
}

/// True for the types that DequantizeLinear reads.
static bool isQuantized(mlir::Type element) {
  return element.isInteger(8) || element.isInteger(16) ||
         element.isSignlessInteger(32);
}

/// The value that became `wide`, of i32, by a conversion that keeps its number.
static Value beforeWidening(Value wide) {
  auto convert = wide.getDefiningOp<ConvertOp>();
  return convert && GraphBuilder::elementOf(wide).isSignlessInteger(32) &&
                 isQuantized(GraphBuilder::elementOf(convert.getOperand()))
             ? convert.getOperand()
             : wide;
}

/// True if `zero` is a number of the type of `integers`.
static bool isZeroPointOf(Value zero, Value integers) {
  mlir::Type element = GraphBuilder::elementOf(integers);
  if (GraphBuilder::elementOf(zero) == element)
    return true;
  auto constant = zero.getDefiningOp<ConstantOp>();
  if (!constant || GraphBuilder::rankOf(zero) != 0)
    return false;
  APInt number = constant.getValue().getSplatValue<APInt>();
  unsigned bits = element.getIntOrFloatBitWidth();
  return element.isUnsignedInteger() ? number.isIntN(bits)
                                     : number.isSignedIntN(bits);
}

std::optional<Dequantized> dequantizedFrom(Value x) {
  auto product = x ? x.getDefiningOp<MultiplyOp>() : MultiplyOp();
  auto real =
      product ? product.getLhs().getDefiningOp<ConvertOp>() : ConvertOp();
  if (!real || !GraphBuilder::elementOf(x).isF32() ||
      !GraphBuilder::elementOf(real.getOperand()).isSignlessInteger(32))
    return std::nullopt;
  Dequantized found{real.getOperand(), {}, withoutBroadcast(product.getRhs())};
  if (auto difference = found.integers.getDefiningOp<SubtractOp>()) {
    found.integers = difference.getLhs();
    found.zero = beforeWidening(withoutBroadcast(difference.getRhs()));
  }
  found.integers = beforeWidening(found.integers);
  if (found.zero && !isZeroPointOf(found.zero, found.integers))
    return std::nullopt;
  return found;
}

FailureOr<Value> alongDim(NodeContext &c, size_t i, int64_t dim, int64_t rank,
                          Size extent) {
  GraphBuilder &g = c.g;
  Value parameter = c.input(i);
  if (!parameter || g.rankOf(parameter) == 0)
    return parameter;
  std::optional<int64_t> length = g.staticSize(g.size(parameter, 0)),
                         known = g.staticSize(extent);
  if (g.rankOf(parameter) == 1 && length == 1)
    return g.reshape(parameter, ArrayRef<int64_t>{});
  if (g.rankOf(parameter) != 1 || (length && known && *length != *known))
    return c.error(
        "expected a scalar or " +
        (known ? Twine(*known) + Twine(" elements") : Twine("a vector")) +
        " along axis " + Twine(dim) + ", got " + textOf(parameter));
  SmallVector<int64_t> ones;
  for (int64_t d = 0; d < rank; ++d)
    if (d != dim)
      ones.push_back(d);
  return g.unsqueeze(g.broadcastTo(parameter, extent), ones);
}

LogicalResult checkScale(NodeContext &c, size_t i) {
  if (failed(c.expectFloat(i)))
    return failure();
  if (!c.hasInput(i))
    return success();
  std::optional<SmallVector<double>> values =
      c.shapes.constantFloats(c.input(i));
  if (!values)
    return success();
  for (double value : *values)
    if (!(value > 0) || !std::isfinite(value))
      return c.error("expected a positive finite scale, got " +
                     Twine(std::to_string(value)));
  return success();
}

LogicalResult checkSingleScale(NodeContext &c, size_t i) {
  if (failed(checkScale(c, i)))
    return failure();
  if (c.g.elementOf(c.input(i)).isF32())
    return success();
  return c.error("expected a scale of f32, got " + textOf(c.input(i)));
}

LogicalResult checkZeroPoint(NodeContext &c, size_t i, mlir::Type element) {
  if (!c.hasInput(i) || c.g.elementOf(c.input(i)) == element)
    return success();
  return c.error("expected a zero point of " + textOf(element) + ", got " +
                 textOf(c.input(i)));
}

LogicalResult expectByte(NodeContext &c, size_t i) {
  mlir::Type element = c.g.elementOf(c.input(i));
  if (element.isInteger(8))
    return success();
  return c.error("expected input " + Twine(i) + " of i8 or ui8, got " +
                 textOf(c.input(i)));
}

namespace {

/// Broadcasts a parameter to the operand's shape. Each entry along `dim` stands
/// for `block` elements.
FailureOr<Value> perBlock(NodeContext &c, Value parameter, int64_t dim,
                          int64_t block) {
  GraphBuilder &g = c.g;
  if (!parameter)
    return parameter;
  Value x = c.input(0);
  Sizes sizes = g.sizes(x);
  sizes[dim] = g.ceilDiv(sizes[dim], g.index(block));
  bool fits = g.rankOf(parameter) == g.rankOf(x);
  for (size_t i = 0; fits && i < sizes.size(); ++i) {
    auto wanted = g.staticSize(sizes[i]),
         found = g.staticSize(g.size(parameter, i));
    fits = !wanted || !found || *wanted == *found;
  }
  if (!fits)
    return c.error("expected an entry for each block of " + Twine(block) +
                   " elements along axis " + Twine(dim) + " of " + textOf(x) +
                   ", got " + textOf(parameter));
  for (auto [i, size] : llvm::enumerate(sizes))
    c.check(g.size(parameter, i), size, size,
            "scale and zero point must have an entry per block");
  Value place = g.iota(g.i64(), {g.size(x, dim)}, 0);
  return g.take(parameter, g.div(place, double(block)), dim);
}

/// The scale and zero point (operands 1 and 2) in shapes that broadcast to the
/// operand.
LogicalResult parameters(NodeContext &c, Value &scale, Value &zero) {
  Value x = c.input(0);
  int64_t rank = c.g.rankOf(x), axis = c.intAttr("axis", 1);
  scale = c.input(1);
  zero = c.input(2);
  int64_t block = c.intAttr("block_size", 0);
  constexpr int64_t maxInBlock = int64_t(1) << 31;
  if (block < 0 || block > maxInBlock)
    return c.error("expected a block_size that is not negative, got " +
                   Twine(block));
  if (block > 0 && c.g.rankOf(scale) > 1) {
    FailureOr<int64_t> dim = c.axis(axis, rank);
    if (failed(dim))
      return failure();
    FailureOr<Value> s = perBlock(c, scale, *dim, block),
                     z = perBlock(c, zero, *dim, block);
    if (failed(s) || failed(z))
      return failure();
    scale = *s;
    zero = *z;
    return success();
  }
  bool perAxis = c.g.rankOf(scale) > 0 &&
                 !(c.g.rankOf(scale) == 1 && c.g.shapeOf(scale)[0] == 1);
  Size extent = c.g.index(1);
  int64_t dim = 0;
  if (perAxis) {
    FailureOr<int64_t> within = c.axis(axis, rank);
    if (failed(within))
      return failure();
    dim = *within;
    extent = c.g.size(x, dim);
  }
  FailureOr<Value> s = alongDim(c, 1, dim, rank, extent);
  FailureOr<Value> z = alongDim(c, 2, dim, rank, extent);
  if (failed(s) || failed(z))
    return failure();
  scale = *s;
  zero = *z;
  return success();
}

/// The element type of the zero point or of `output_dtype`; ui8 by default.
FailureOr<mlir::Type> outputType(NodeContext &c, Value zero) {
  MLIRContext *context = c.g.ops.getContext();
  if (c.intAttr("output_dtype", 0) == 0)
    return zero ? c.g.elementOf(zero)
                : mlir::Type(
                      IntegerType::get(context, 8, IntegerType::Unsigned));
  mlir::Type type = c.elementAttr("output_dtype");
  if (!type)
    return failure();
  if (!isa<IntegerType>(type) || type.isInteger(1))
    return c.error("expected output_dtype to be an integer type, got " +
                   textOf(type));
  if (zero && c.g.elementOf(zero) != type)
    return c.error("expected a zero point of output_dtype, " + textOf(type) +
                   ", got " + textOf(c.input(2)));
  return type;
}

LogicalResult quantizeLinear(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value scale, zero;
  if (failed(c.expectNumber(0)) || failed(checkScale(c, 1)) ||
      (c.hasInput(2) && failed(c.expectInteger(2))) ||
      failed(parameters(c, scale, zero)))
    return failure();
  c.ignoreAttrs({"saturate"}); // only for 8-bit floats
  FailureOr<mlir::Type> named = outputType(c, zero);
  if (failed(named))
    return failure();
  mlir::Type to = *named;
  Value x = g.convert(c.input(0), g.elementOf(scale));
  c.set(0, quantize(g, x, scale, zero, to));
  return success();
}

LogicalResult dequantizeLinear(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value scale, zero;
  if (failed(c.expectInteger(0)) || failed(checkScale(c, 1)) ||
      failed(checkZeroPoint(c, 2, g.elementOf(c.input(0)))) ||
      failed(parameters(c, scale, zero)))
    return failure();
  c.set(0, dequantize(g, {c.input(0), zero, scale}));
  return success();
}

/// Extends the data's range to include zero; the scale is the range / 255.
LogicalResult dynamicQuantizeLinear(NodeContext &c) {
  GraphBuilder &g = c.g;
  if (failed(c.expectFloat(0)))
    return failure();
  Value x = c.input(0);
  mlir::Type ui8 =
      IntegerType::get(g.ops.getContext(), 8, IntegerType::Unsigned);
  SmallVector<int64_t> all =
      llvm::to_vector(llvm::seq<int64_t>(0, g.rankOf(x)));
  Value high = g.maximum(g.reduce(ReduceKind::Maximum, x, all, false), 0.0);
  Value low = g.minimum(g.reduce(ReduceKind::Minimum, x, all, false), 0.0);
  Value scale = g.div(g.sub(high, low), 255.0);
  // Zeros have an empty range; any scale except zero represents them.
  Value divisor = g.select(g.compare(CompareDirection::EQ, scale, 0.0),
                           g.splatLike(scale, 1), scale);
  Value zero = g.make<RoundNearestEvenOp>(
      g.clamp(g.div(g.make<NegateOp>(low), divisor), 0, 255));
  zero = g.convert(zero, ui8);
  c.set(0, quantize(g, x, divisor, zero, ui8));
  c.set(1, scale);
  c.set(2, zero);
  return success();
}

} // namespace

void registerQuantizationOps(OpRegistry &r) {
  r.add("QuantizeLinear", 10, Arity(2, 3), 1, quantizeLinear);
  r.add("DequantizeLinear", 10, Arity(2, 3), 1, dequantizeLinear);
  r.add("DynamicQuantizeLinear", 11, 1, 3, dynamicQuantizeLinear);
}

} // namespace tenon::onnx
