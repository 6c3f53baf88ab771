// Interval arithmetic over ops that limit numbers (clamps, constants) and ops
// that pass them on: movement, sums, products, roundings, conversions.
#include "compiler/import/sizes/NumberRanges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace tenon {

/// The greatest length of a chain of ops that is analysed.
static constexpr int maxDepth = 200;
/// The greatest number up to which every integer is a double, with a margin.
static constexpr double maxExact = double(int64_t(1) << 52);

static NumberRange unite(NumberRange a, NumberRange b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

/// The range of `apply` over the corners of two ranges; unlimited if a corner
/// is NaN.
static NumberRange corners(NumberRange a, NumberRange b,
                           llvm::function_ref<double(double, double)> apply) {
  double values[] = {apply(a.low, b.low), apply(a.low, b.high),
                     apply(a.high, b.low), apply(a.high, b.high)};
  NumberRange result{values[0], values[0]};
  for (double value : values) {
    if (std::isnan(value))
      return {};
    result = unite(result, {value, value});
  }
  return result;
}

/// The range after conversion to `type`: floats round, and integers that may
/// wrap lose their range.
static NumberRange inType(NumberRange range, Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    unsigned bits = integer.getWidth() - !integer.isUnsigned();
    double most = std::min(maxExact, std::ldexp(1.0, bits) - 1);
    double least = integer.isUnsigned() ? 0 : -most;
    return range.low >= least && range.high <= most ? range : NumberRange();
  }
  auto real = dyn_cast<FloatType>(type);
  if (!real)
    return {};
  // A bound on the relative error, far above that of one rounding.
  double share = real.getWidth() < 32 ? 0x1p-6 : 0x1p-20;
  return {range.low - share * std::fabs(range.low),
          range.high + share * std::fabs(range.high)};
}

static NumberRange ofConstant(DenseElementsAttr constant) {
  NumberRange range{std::numeric_limits<double>::infinity(),
                    -std::numeric_limits<double>::infinity()};
  auto type = constant.getElementType();
  if (constant.getNumElements() > 1 << 16 && !constant.isSplat())
    return {};
  auto add = [&](double value) { range = unite(range, {value, value}); };
  if (auto integer = dyn_cast<IntegerType>(type)) {
    bool isSigned = !integer.isUnsigned() && integer.getWidth() > 1;
    for (const APInt &value : constant.getValues<APInt>())
      add(value.roundToDouble(isSigned));
    return inType(range, type);
  }
  if (!isa<FloatType>(type))
    return {};
  for (APFloat value : constant.getValues<APFloat>()) {
    bool lossy;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
    if (!value.isNaN())
      add(value.convertToDouble());
  }
  return range.low <= range.high ? range : NumberRange();
}

Size NumberRanges::limit(GraphBuilder &g, Size element, Value tensor) {
  NumberRange range = of(tensor);
  if (range.low >= -maxExact)
    element = g.max(element, g.index(int64_t(range.low)));
  if (range.high <= maxExact)
    element = g.min(element, g.index(int64_t(range.high)));
  return element;
}

NumberRange NumberRanges::of(Value tensor, int depth) {
  if (auto found = known.find(tensor); found != known.end())
    return found->second;
  NumberRange range = depth > maxDepth ? NumberRange() : infer(tensor, depth);
  return known[tensor] = range;
}

NumberRange NumberRanges::infer(Value tensor, int depth) {
  Operation *op = tensor.getDefiningOp();
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!op || !type || !type.getElementType().isIntOrFloat())
    return {};
  Type element = type.getElementType();
  auto operand = [&](unsigned i) { return of(op->getOperand(i), depth + 1); };
  using Range = NumberRange;
  return llvm::TypeSwitch<Operation *, Range>(op)
      .Case([&](ConstantOp constant) -> Range {
        auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
        return dense ? ofConstant(dense) : Range();
      })
      .Case([&](tensor::FromElementsOp from) -> Range {
        std::optional<Range> all;
        for (Value scalar : from.getElements()) {
          if (auto cast = scalar.getDefiningOp<arith::IndexCastOp>())
            scalar = cast.getIn();
          std::optional<int64_t> number = getConstantIntValue(scalar);
          if (!number)
            return {};
          Range one{double(*number), double(*number)};
          all = all ? unite(*all, one) : one;
        }
        return all ? inType(*all, element) : Range();
      })
      .Case<ReshapeOp, TransposeOp, BroadcastInDimOp, SliceOp, ReverseOp,
            GatherOp, CheckRangeOp, tensor::CastOp>(
          [&](auto) { return operand(0); })
      .Case([&](SortOp) {
        return tensor == op->getResult(0) ? operand(0) : Range();
      })
      .Case([&](ConcatenateOp) {
        Range all = operand(0);
        for (unsigned i = 1; i < op->getNumOperands(); ++i)
          all = unite(all, operand(i));
        return all;
      })
      .Case([&](SelectOp select) {
        return unite(of(select.getOnTrue(), depth + 1),
                     of(select.getOnFalse(), depth + 1));
      })
      .Case([&](scf::IfOp branch) {
        unsigned i = cast<OpResult>(tensor).getResultNumber();
        return unite(of(branch.thenYield().getOperand(i), depth + 1),
                     of(branch.elseYield().getOperand(i), depth + 1));
      })
      .Case([&](MaximumOp) -> Range {
        Range a = operand(0), b = operand(1);
        return {std::max(a.low, b.low), std::max(a.high, b.high)};
      })
      .Case([&](MinimumOp) -> Range {
        Range a = operand(0), b = operand(1);
        return {std::min(a.low, b.low), std::min(a.high, b.high)};
      })
      .Case([&](ClampOp clamp) -> Range {
        Range low = of(clamp.getLow(), depth + 1),
              high = of(clamp.getHigh(), depth + 1),
              value = of(clamp.getOperand(), depth + 1);
        return {std::min(std::max(value.low, low.low), high.low),
                std::min(std::max(value.high, low.high), high.high)};
      })
      .Case([&](AddOp) {
        Range a = operand(0), b = operand(1);
        return inType({a.low + b.low, a.high + b.high}, element);
      })
      .Case([&](SubtractOp) {
        Range a = operand(0), b = operand(1);
        return inType({a.low - b.high, a.high - b.low}, element);
      })
      .Case([&](MultiplyOp) {
        return inType(corners(operand(0), operand(1), std::multiplies<>()),
                      element);
      })
      .Case([&](DivideOp) {
        Range by = operand(1);
        if (!isa<FloatType>(element) || (by.low <= 0 && by.high >= 0))
          return Range();
        return inType(corners(operand(0), by, std::divides<>()), element);
      })
      .Case([&](NegateOp) -> Range {
        Range a = operand(0);
        return inType({-a.high, -a.low}, element);
      })
      .Case<FloorOp, CeilOp, RoundNearestEvenOp>([&](auto) -> Range {
        Range a = operand(0);
        return {std::floor(a.low), std::ceil(a.high)};
      })
      .Case([&](ConvertOp convert) -> Range {
        Range a = operand(0);
        // Numbers outside an integer type saturate at its bounds.
        return inType({std::floor(a.low), std::ceil(a.high)}, element);
      })
      .Default([](Operation *) { return Range(); });
}

} // namespace tenon
