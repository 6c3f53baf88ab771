// The bits of a float without its sign, negated for negative floats, are
// ordered as the floats are. NaN is the greatest number of a sort and gets the
// greatest integer.
#include "passes/kernel/numerics/ElementRanks.h"

#include "passes/kernel/numerics/Lanes.h"

#include <limits>

using namespace mlir;

namespace tenon {

constexpr uint64_t signBit = UINT64_C(1) << 31;

bool ElementRanks::covers(Type element) {
  return element.getIntOrFloatBitWidth() <= 32 && !element.isInteger(1);
}

ElementRanks::ElementRanks(Type element, bool ascending)
    : ascending(ascending) {
  MLIRContext *context = element.getContext();
  if (isa<FloatType>(element))
    wide = Float32Type::get(context);
  else
    wide =
        IntegerType::get(context, 32,
                         element.isUnsignedInteger() ? IntegerType::Unsigned
                                                     : IntegerType::Signless);
}

/// Exchanges the bits of floats and integers in their order. It is its own
/// inverse.
static Lanes reorder(Lanes bits) {
  return bits ^ bits.shiftRightSigned(bits.bits(31)) >> 1;
}

Value ElementRanks::emitRank(OpBuilder &b, Location loc, Value elements) const {
  Lanes x(b, loc, elements), rank = x;
  if (x.isFloat()) {
    // The sum makes -0 a +0.
    rank = reorder((x + x.number(0.0)).bitcast(b.getI32Type()));
    rank = x.isNan().select(
        rank.bits(uint64_t(std::numeric_limits<int32_t>::max())), rank);
  } else if (wide.isUnsignedInteger()) {
    rank = x ^ x.bits(signBit);
  }
  return (ascending ? !rank : rank).get();
}

Value ElementRanks::emitValue(OpBuilder &b, Location loc, Value rank) const {
  Lanes x(b, loc, rank);
  if (ascending)
    x = !x;
  if (isa<FloatType>(wide))
    return reorder(x).bitcast(wide).get();
  return (wide.isUnsignedInteger() ? x ^ x.bits(signBit) : x).get();
}

Value ElementRanks::emitReaches(OpBuilder &b, Location loc, Value elements,
                                Value limit) const {
  if (isa<FloatType>(wide))
    return arith::CmpFOp::create(b, loc,
                                 ascending ? arith::CmpFPredicate::ULE
                                           : arith::CmpFPredicate::UGE,
                                 elements, limit);
  Lanes x(b, loc, elements), bound(b, loc, limit);
  if (wide.isUnsignedInteger())
    return (!(ascending ? bound.below(x) : x.below(bound))).get();
  return (ascending ? x <= bound : x >= bound).get();
}

Value ElementRanks::emitFirst(OpBuilder &b, Location loc, Value element,
                              Value first) const {
  // The operands stand so that each select is one instruction for floats. A NaN
  // is ignored in descending order, and forgotten in ascending order.
  Lanes x(b, loc, element), best(b, loc, first);
  if (wide.isUnsignedInteger())
    return (ascending ? best.below(x).select(best, x)
                      : best.below(x).select(x, best))
        .get();
  return (ascending ? (best < x).select(best, x) : (x > best).select(x, best))
      .get();
}

Value ElementRanks::emitLast(OpBuilder &b, Location loc, Type type) const {
  if (isa<FloatType>(wide))
    return emitFloat(b, loc, type,
                     ascending ? std::numeric_limits<double>::quiet_NaN()
                               : -std::numeric_limits<double>::infinity());
  bool isUnsigned = wide.isUnsignedInteger();
  if (ascending)
    return emitInt(b, loc, type, isUnsigned ? UINT32_MAX : signBit - 1);
  return emitInt(b, loc, type, isUnsigned ? 0 : signBit);
}

} // namespace tenon
