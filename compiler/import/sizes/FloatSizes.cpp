// Uses only ops of arith, because the plan function of a model allows no
// others. Rounding converts to i64 and back, which is exact for every number
// that has a fraction.
#include "compiler/import/sizes/FloatSizes.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using llvm::APFloat;
using Predicate = arith::CmpFPredicate;

namespace tenon {

bool FloatSizes::isSupported(Type type) { return type.isF32() || type.isF64(); }

/// The number if it is static.
static std::optional<APFloat> known(Size number) {
  if (auto attribute = dyn_cast<Attribute>(number))
    return cast<FloatAttr>(attribute).getValue();
  return std::nullopt;
}

static FloatType typeOf(Size number) {
  if (auto attribute = dyn_cast<Attribute>(number))
    return cast<FloatType>(cast<FloatAttr>(attribute).getType());
  return cast<FloatType>(cast<Value>(number).getType());
}

static Size numberOf(Type type, double value) {
  return Attribute(FloatAttr::get(type, value));
}

static Size numberOf(Type type, const APFloat &value) {
  return Attribute(FloatAttr::get(type, value));
}

//===-- Building blocks -------------------------------------------------===//

Value FloatSizes::build(ArrayRef<Size> operands,
                        llvm::function_ref<Value(ArrayRef<Value>)> make) {
  SmallVector<Value> values;
  for (Size operand : operands)
    if (auto value = dyn_cast<Value>(operand))
      values.push_back(value);
  OpBuilder::InsertionGuard guard(g.ops);
  g.placeAfter(values);
  values.clear();
  for (Size operand : operands) {
    auto attribute = dyn_cast<Attribute>(operand);
    values.push_back(attribute
                         ? g.make<arith::ConstantOp>(cast<TypedAttr>(attribute))
                         : cast<Value>(operand));
  }
  return make(values);
}

template <typename Op> Value FloatSizes::convertBy(Size operand, Type type) {
  return build({operand}, [&](ArrayRef<Value> values) {
    return g.make<Op>(type, values[0]);
  });
}

template <typename Op>
Size FloatSizes::binary(Size a, Size b,
                        llvm::function_ref<APFloat(APFloat, APFloat)> fold) {
  std::optional<APFloat> x = known(a), y = known(b);
  if (x && y)
    return numberOf(typeOf(a), fold(*x, *y));
  return build({a, b}, [&](ArrayRef<Value> values) {
    return g.make<Op>(values[0], values[1]);
  });
}

Size FloatSizes::compare(Predicate predicate, Size a, Size b) {
  std::optional<APFloat> x = known(a), y = known(b);
  if (x && y)
    return Attribute(
        g.ops.getBoolAttr(arith::applyCmpPredicate(predicate, *x, *y)));
  return build({a, b}, [&](ArrayRef<Value> values) {
    return g.make<arith::CmpFOp>(predicate, values[0], values[1]);
  });
}

Size FloatSizes::both(Size a, Size b) {
  return build({a, b}, [&](ArrayRef<Value> values) {
    return g.make<arith::AndIOp>(values[0], values[1]);
  });
}

Size FloatSizes::select(Size condition, Size whenTrue, Size whenFalse) {
  if (std::optional<int64_t> value = GraphBuilder::staticSize(condition))
    return *value ? whenTrue : whenFalse;
  if (whenTrue == whenFalse)
    return whenTrue;
  return build({condition, whenTrue, whenFalse}, [&](ArrayRef<Value> values) {
    return g.make<arith::SelectOp>(values[0], values[1], values[2]);
  });
}

Value FloatSizes::truncated(Size fits, Size number) {
  return convertBy<arith::FPToSIOp>(
      select(fits, number, numberOf(typeOf(number), 0)), g.i64());
}

//===-- Conversions -----------------------------------------------------===//

Size FloatSizes::fromSize(Size whole, Type type) {
  if (std::optional<int64_t> value = GraphBuilder::staticSize(whole)) {
    APFloat result(cast<FloatType>(type).getFloatSemantics());
    result.convertFromAPInt(llvm::APInt(64, uint64_t(*value), true), true,
                            APFloat::rmNearestTiesToEven);
    return numberOf(type, result);
  }
  Value wide = convertBy<arith::IndexCastOp>(whole, g.i64());
  return convertBy<arith::SIToFPOp>(wide, type);
}

Size FloatSizes::toSize(Size from, IntegerType type) {
  unsigned width = type.getWidth();
  bool isUnsigned = type.isUnsigned();
  if (std::optional<APFloat> value = known(from)) {
    llvm::APSInt whole(width, isUnsigned);
    bool exact;
    // Saturates; NaN gives zero.
    value->convertToInteger(whole, APFloat::rmTowardZero, &exact);
    return g.index(isUnsigned ? int64_t(whole.getZExtValue())
                              : whole.getSExtValue());
  }
  int64_t least = isUnsigned ? 0 : llvm::minIntN(width);
  int64_t most =
      isUnsigned ? int64_t(llvm::maxUIntN(width)) : llvm::maxIntN(width);
  FloatType wide = typeOf(from);
  Size above = numberOf(wide, std::ldexp(1.0, isUnsigned ? width : width - 1));
  Size fits = compare(Predicate::OLT, from, above);
  Size otherwise =
      g.select(compare(Predicate::OGE, from, above), g.index(most), g.index(0));
  if (!GraphBuilder::isNonNegative(from)) {
    // If the type has no number just below `least`, `below` is `least` itself,
    // which gives the same result.
    Size below = numberOf(wide, double(least) - 1);
    fits = both(fits, compare(Predicate::OGT, from, below));
    otherwise = g.select(compare(Predicate::OLE, from, below), g.index(least),
                         otherwise);
  }
  Size whole = convertBy<arith::IndexCastOp>(truncated(fits, from),
                                             g.ops.getIndexType());
  return g.select(fits, whole, otherwise);
}

Size FloatSizes::convert(Size from, Type type) {
  if (typeOf(from) == type)
    return from;
  if (std::optional<APFloat> value = known(from)) {
    bool lossy;
    value->convert(cast<FloatType>(type).getFloatSemantics(),
                   APFloat::rmNearestTiesToEven, &lossy);
    return numberOf(type, *value);
  }
  return type.isF64() ? convertBy<arith::ExtFOp>(from, type)
                      : convertBy<arith::TruncFOp>(from, type);
}

//===-- Arithmetic ------------------------------------------------------===//

Size FloatSizes::add(Size a, Size b) {
  return binary<arith::AddFOp>(a, b,
                               [](APFloat x, APFloat y) { return x + y; });
}

Size FloatSizes::sub(Size a, Size b) {
  return binary<arith::SubFOp>(a, b,
                               [](APFloat x, APFloat y) { return x - y; });
}

Size FloatSizes::mul(Size a, Size b) {
  return binary<arith::MulFOp>(a, b,
                               [](APFloat x, APFloat y) { return x * y; });
}

Size FloatSizes::div(Size a, Size b) {
  return binary<arith::DivFOp>(a, b,
                               [](APFloat x, APFloat y) { return x / y; });
}

Size FloatSizes::max(Size a, Size b) {
  return binary<arith::MaximumFOp>(
      a, b, [](APFloat x, APFloat y) { return llvm::maximum(x, y); });
}

Size FloatSizes::min(Size a, Size b) {
  return binary<arith::MinimumFOp>(
      a, b, [](APFloat x, APFloat y) { return llvm::minimum(x, y); });
}

Size FloatSizes::negate(Size a) {
  if (std::optional<APFloat> value = known(a))
    return numberOf(typeOf(a), llvm::neg(*value));
  return build({a}, [&](ArrayRef<Value> values) {
    return g.make<arith::NegFOp>(values[0]);
  });
}

/// Rounds a static number to an integer; null for others.
static std::optional<Size> rounded(Size number, APFloat::roundingMode mode) {
  std::optional<APFloat> value = known(number);
  if (!value)
    return std::nullopt;
  value->roundToIntegral(mode);
  return numberOf(typeOf(number), *value);
}

Size FloatSizes::towards(Size a, bool up) {
  FloatType type = typeOf(a);
  // A float beyond these bounds has no fraction.
  Size fits = compare(Predicate::OLT, a, numberOf(type, 0x1p62));
  bool isNonNegative = GraphBuilder::isNonNegative(a);
  if (!isNonNegative)
    fits = both(fits, compare(Predicate::OGT, a, numberOf(type, -0x1p62)));
  Size whole = convertBy<arith::SIToFPOp>(truncated(fits, a), type);
  if (up)
    whole = select(compare(Predicate::OLT, whole, a),
                   add(whole, numberOf(type, 1)), whole);
  else if (!isNonNegative)
    whole = select(compare(Predicate::OGT, whole, a),
                   sub(whole, numberOf(type, 1)), whole);
  return select(fits, whole, a);
}

Size FloatSizes::floor(Size a) {
  std::optional<Size> result = rounded(a, APFloat::rmTowardNegative);
  return result ? *result : towards(a, /*up=*/false);
}

Size FloatSizes::ceil(Size a) {
  std::optional<Size> result = rounded(a, APFloat::rmTowardPositive);
  return result ? *result : towards(a, /*up=*/true);
}

Size FloatSizes::roundToEven(Size a) {
  if (std::optional<Size> result = rounded(a, APFloat::rmNearestTiesToEven))
    return *result;
  FloatType type = typeOf(a);
  Size half = numberOf(type, 0.5), two = numberOf(type, 2);
  Size low = floor(a), high = add(low, numberOf(type, 1)), rest = sub(a, low);
  Size isEven = cmp(CompareDirection::EQ, low, mul(two, floor(mul(low, half))));
  Size nearest = select(isEven, low, high);
  nearest = select(cmp(CompareDirection::GT, rest, half), high, nearest);
  return select(cmp(CompareDirection::LT, rest, half), low, nearest);
}

//===-- Conditions ------------------------------------------------------===//

static Predicate predicateOf(CompareDirection direction) {
  switch (direction) {
  case CompareDirection::EQ:
    return Predicate::OEQ;
  case CompareDirection::NE:
    return Predicate::UNE;
  case CompareDirection::LT:
    return Predicate::OLT;
  case CompareDirection::LE:
    return Predicate::OLE;
  case CompareDirection::GT:
    return Predicate::OGT;
  case CompareDirection::GE:
    return Predicate::OGE;
  }
  llvm_unreachable("all directions are covered");
}

Size FloatSizes::cmp(CompareDirection direction, Size a, Size b) {
  return compare(predicateOf(direction), a, b);
}

} // namespace tenon
