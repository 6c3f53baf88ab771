// Interval arithmetic over ops that limit numbers (clamps, constants) and ops
// that pass them on: movement, sums, products, roundings, conversions.
#include "compiler/import/sizes/NumberRanges.h"

#include "compiler/import/sizes/ShapeValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace tenon {

/// The greatest length of a chain of ops that is analysed.
static constexpr int maxDepth = 200;
/// Larger tensors are not traced element by element.
static constexpr int64_t maxElements = 16;
/// Doubles hold integers up to here.
static constexpr double maxExact = double(int64_t(1) << 52);

static std::optional<double> knownNumber(Size number) {
  auto attribute = dyn_cast_if_present<Attribute>(number);
  return attribute
             ? std::optional(cast<FloatAttr>(attribute).getValueAsDouble())
             : std::nullopt;
}

Size NumberRanges::number(double value) {
  return Attribute(g.ops.getF64FloatAttr(value));
}

//===-- Arithmetic on ranges --------------------------------------------===//

NumberRange NumberRanges::unite(NumberRange a, NumberRange b) {
  return {a.low && b.low ? floats.min(a.low, b.low) : Size(),
          a.high && b.high ? floats.max(a.high, b.high) : Size()};
}

// The upper end of a minimum needs only one operand's upper end; so does the
// lower end of a maximum with lower ends.

NumberRange NumberRanges::least(NumberRange a, NumberRange b) {
  return {a.low && b.low ? floats.min(a.low, b.low) : Size(),
          a.high && b.high ? floats.min(a.high, b.high)
          : a.high         ? a.high
                           : b.high};
}

NumberRange NumberRanges::greatest(NumberRange a, NumberRange b) {
  return {a.low && b.low ? floats.max(a.low, b.low)
          : a.low        ? a.low
                         : b.low,
          a.high && b.high ? floats.max(a.high, b.high) : Size()};
}

NumberRange NumberRanges::sum(NumberRange a, NumberRange b) {
  return {a.low && b.low ? floats.add(a.low, b.low) : Size(),
          a.high && b.high ? floats.add(a.high, b.high) : Size()};
}

NumberRange NumberRanges::negated(NumberRange a) {
  return {a.high ? floats.negate(a.high) : Size(),
          a.low ? floats.negate(a.low) : Size()};
}

/// The least and the greatest of four corners.
NumberRange NumberRanges::corners(NumberRange a, NumberRange b, Combine apply) {
  if (!a.low || !a.high || !b.low || !b.high)
    return {};
  NumberRange result;
  for (Size x : {a.low, a.high})
    for (Size y : {b.low, b.high}) {
      Size corner = apply(x, y);
      if (knownNumber(corner) && !std::isfinite(*knownNumber(corner)))
        return {};
      result = result.low ? unite(result, {corner, corner})
                          : NumberRange{corner, corner};
    }
  return result;
}

NumberRange NumberRanges::product(NumberRange a, NumberRange b) {
  auto isNonNegative = [](NumberRange x) {
    return x.low && GraphBuilder::isNonNegative(x.low);
  };
  if (isNonNegative(a) && isNonNegative(b))
    return {floats.mul(a.low, b.low),
            a.high && b.high ? floats.mul(a.high, b.high) : Size()};
  return corners(a, b, [&](Size x, Size y) { return floats.mul(x, y); });
}

NumberRange NumberRanges::quotient(NumberRange a, NumberRange b) {
  if (!b.low || !b.high)
    return {};
  auto divide = [&](Size x, Size y) { return floats.div(x, y); };
  if (knownNumber(b.high).value_or(0) < 0)
    return corners(a, b, divide);
  // The sign of the divisor may depend on the extents. If it is not positive in
  // a run, the range is unbounded in that run.
  Size isPositive = floats.cmp(CompareDirection::GT, b.low, number(0));
  if (GraphBuilder::staticSize(isPositive) == 0)
    return {};
  NumberRange result = corners(a, b, divide);
  if (!result.low)
    return {};
  return {floats.select(isPositive, result.low, number(-HUGE_VAL)),
          floats.select(isPositive, result.high, number(HUGE_VAL))};
}

NumberRange NumberRanges::whole(NumberRange a) {
  return {a.low ? floats.floor(a.low) : Size(),
          a.high ? floats.ceil(a.high) : Size()};
}

/// The range after conversion to a type: floats round, integers may wrap.
NumberRange NumberRanges::inType(NumberRange range, Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    unsigned bits = integer.getWidth() - !integer.isUnsigned();
    double most = std::min(maxExact, std::ldexp(1.0, bits) - 1);
    double least = integer.isUnsigned() ? 0 : -most;
    if (!range.low || !range.high)
      return {};
    // The extents may decide if the range fits the type. If it does not fit in
    // a run, the range is unbounded in that run.
    Size lowFits = floats.cmp(CompareDirection::GE, range.low, number(least)),
         highFits = floats.cmp(CompareDirection::LE, range.high, number(most));
    if (GraphBuilder::staticSize(lowFits) == 0 ||
        GraphBuilder::staticSize(highFits) == 0)
      return {};
    auto whereBothFit = [&](Size end, Size otherwise) {
      return floats.select(lowFits, floats.select(highFits, end, otherwise),
                           otherwise);
    };
    return {whereBothFit(range.low, number(-HUGE_VAL)),
            whereBothFit(range.high, number(HUGE_VAL))};
  }
  auto real = dyn_cast<FloatType>(type);
  if (!real)
    return {};
  // A bound on the relative error, far above that of one rounding.
  double share = real.getWidth() < 32 ? 0x1p-6 : 0x1p-20;
  auto away = [&](Size end, double side) {
    if (GraphBuilder::isNonNegative(end))
      return floats.mul(end, number(1 + side * share));
    return floats.add(end, floats.mul(floats.abs(end), number(side * share)));
  };
  return {range.low ? away(range.low, -1) : Size(),
          range.high ? away(range.high, 1) : Size()};
}

//===-- Ranges of tensors -----------------------------------------------===//

Size NumberRanges::limit(Size element, Value tensor) {
  NumberRange range = of(tensor, 0);
  auto isExact = [](Size end) {
    return end && std::fabs(knownNumber(end).value_or(0)) <= maxExact;
  };
  // An end that is NaN in a run bounds nothing in that run.
  auto size = [&](Size end, int64_t otherwise) {
    return g.select(floats.cmp(CompareDirection::EQ, end, end),
                    floats.toSize(end, cast<IntegerType>(g.i64())),
                    g.index(otherwise));
  };
  if (isExact(range.low))
    element = g.max(element, size(range.low, INT64_MIN));
  if (isExact(range.high))
    element = g.min(element, size(range.high, INT64_MAX));
  return element;
}

NumberRange NumberRanges::ofConstant(DenseElementsAttr constant) {
  auto type = constant.getElementType();
  if (constant.getNumElements() > 1 << 16 && !constant.isSplat())
    return {};
  double low = HUGE_VAL, high = -HUGE_VAL;
  auto add = [&](double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  };
  if (auto integer = dyn_cast<IntegerType>(type)) {
    bool isSigned = !integer.isUnsigned() && integer.getWidth() > 1;
    for (const APInt &value : constant.getValues<APInt>())
      add(value.roundToDouble(isSigned));
  } else {
    for (APFloat value : constant.getValues<APFloat>()) {
      bool lossy;
      value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                    &lossy);
      if (!value.isNaN())
        add(value.convertToDouble());
    }
  }
  return {std::isfinite(low) ? number(low) : Size(),
          std::isfinite(high) ? number(high) : Size()};
}

/// True if the value is computed from the inputs' extents alone: it can be a
/// size, or a number computed from sizes.
bool NumberRanges::isKnownBeforeRun(Value size, int depth) {
  if (auto found = knownBeforeRun.find(size); found != knownBeforeRun.end())
    return found->second;
  Operation *op = size.getDefiningOp();
  bool isKnown = op && isa<func::FuncOp>(op->getParentOp()) && depth < maxDepth;
  if (auto dim = dyn_cast_if_present<tensor::DimOp>(op))
    isKnown &= isa<BlockArgument>(dim.getSource());
  else if (isKnown)
    isKnown = isa<arith::ArithDialect>(op->getDialect()) &&
              llvm::all_of(op->getOperands(), [&](Value operand) {
                return isKnownBeforeRun(operand, depth + 1);
              });
  return knownBeforeRun[size] = isKnown;
}

/// The range of a few numbers that are made of extents.
std::optional<NumberRange> NumberRanges::ofElements(Value tensor) {
  auto type = GraphBuilder::typeOf(tensor);
  if (!type.hasStaticShape() || type.getNumElements() > maxElements)
    return std::nullopt;
  std::optional<Sizes> elements = shapes.tracedElements(tensor);
  if (!elements || elements->empty())
    return std::nullopt;
  std::optional<NumberRange> all;
  Type f64 = g.ops.getF64Type();
  for (Size element : *elements) {
    auto value = dyn_cast<Value>(element);
    if (value && !isKnownBeforeRun(value, 0))
      return std::nullopt;
    Size end = isa<FloatType>(type.getElementType())
                   ? floats.convert(element, f64)
                   : floats.fromSize(element, f64);
    if (knownNumber(end) && !std::isfinite(*knownNumber(end)))
      return std::nullopt;
    all = all ? unite(*all, {end, end}) : NumberRange{end, end};
  }
  return all;
}

NumberRange NumberRanges::of(Value tensor, int depth) {
  if (auto found = known.find(tensor); found != known.end())
    return found->second;
  NumberRange range = depth > maxDepth ? NumberRange() : infer(tensor, depth);
  return known[tensor] = range;
}

NumberRange NumberRanges::infer(Value tensor, int depth) {
  auto result = dyn_cast<OpResult>(tensor);
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!result || !type || !type.getElementType().isIntOrFloat())
    return {};
  if (std::optional<NumberRange> range = ofElements(tensor))
    return *range;
  return inferOp(result.getOwner(), result, depth);
}

NumberRange NumberRanges::inferOp(Operation *op, OpResult result, int depth) {
  Type element = GraphBuilder::elementOf(result);
  unsigned number = result.getResultNumber();
  auto operand = [&](unsigned i) { return of(op->getOperand(i), depth + 1); };
  using Range = NumberRange;
  return llvm::TypeSwitch<Operation *, Range>(op)
      .Case([&](ConstantOp constant) {
        auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
        return dense ? ofConstant(dense) : Range();
      })
      .Case<ReshapeOp, TransposeOp, BroadcastInDimOp, SliceOp, ReverseOp,
            GatherOp, CheckRangeOp, tensor::CastOp>(
          [&](auto) { return operand(0); })
      .Case<SortOp, TopKOp>(
          [&](auto) { return number == 0 ? operand(0) : Range(); })
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
        return unite(of(branch.thenYield().getOperand(number), depth + 1),
                     of(branch.elseYield().getOperand(number), depth + 1));
      })
      .Case([&](MaximumOp) { return greatest(operand(0), operand(1)); })
      .Case([&](MinimumOp) { return least(operand(0), operand(1)); })
      .Case([&](ClampOp clamp) {
        return least(greatest(of(clamp.getOperand(), depth + 1),
                              of(clamp.getLow(), depth + 1)),
                     of(clamp.getHigh(), depth + 1));
      })
      .Case([&](AddOp) { return inType(sum(operand(0), operand(1)), element); })
      .Case([&](SubtractOp) {
        return inType(sum(operand(0), negated(operand(1))), element);
      })
      .Case([&](MultiplyOp) {
        return inType(product(operand(0), operand(1)), element);
      })
      .Case([&](DivideOp) {
        return isa<FloatType>(element)
                   ? inType(quotient(operand(0), operand(1)), element)
                   : Range();
      })
      .Case([&](NegateOp) { return inType(negated(operand(0)), element); })
      .Case<FloorOp, CeilOp, RoundNearestEvenOp>(
          [&](auto) { return whole(operand(0)); })
      // Values outside the integer type are converted to its nearest value.
      .Case([&](ConvertOp) { return inType(whole(operand(0)), element); })
      .Default([](Operation *) { return Range(); });
}

} // namespace tenon
