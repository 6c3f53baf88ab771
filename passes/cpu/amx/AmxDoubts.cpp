// Most sums are proved right by their own magnitude and by the magnitudes of
// their row; columns are examined only for the others.
#include "passes/cpu/amx/AmxDoubts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <bit>
#include <limits>

using namespace mlir;

namespace tenon {

/// Bounds that detect sums which may have lost small numbers:
/// - If no nonzero operand is below `least`, every partial sum is a multiple of
///   2^-126, so it is zero or a normal number. If one is below, a sum of at
///   least `leastSum` loses less than half a ULP for each product.
/// - A number of at least `leastWhole` equals the sum of its three parts. A
///   smaller number loses as little as above, unless it is multiplied by one
///   above `greatest`.
constexpr float least = 0x1p-40f, leastSum = 0x1p-60f, leastWhole = 0x1p-86f,
                greatest = 0x1p30f;
constexpr int64_t bitsOf(float x) { return std::bit_cast<int32_t>(x); }
constexpr int64_t infinite = bitsOf(std::numeric_limits<float>::infinity());

Value AmxDoubts::wordsOf(int32_t word) {
  return arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(words, b.getI32IntegerAttr(word)));
}

AmxRow AmxDoubts::rowAt(Value number, ArrayRef<Value> position) {
  AmxRow row{number, Values(position), {}, {}};
  if (plan.watchesTiny()) {
    row.magnitudes = rows.magnitudesOf(number);
    row.isExtreme = lacksParts(row.magnitudes.least);
    if (plan.watchesColumns())
      row.isExtreme = either(row.isExtreme, isGreat(row.magnitudes.greatest));
  }
  return row;
}

/// True if sums may differ from those without tiles by more than the order of
/// their products. Sums of bytes never do. Pairs do if a tap is outside the
/// input, because tiles multiply zeros there, and an infinite weight gives NaN.
bool AmxDoubts::mayBeWrong() {
  return !plan.inWords() || (!plan.ofBytes() && nest.hasGuards());
}

/// Computes doubtful sums again. For most sums, the sum and its row prove that
/// it is right; the columns are examined only for the others.
AmxDoubts::Values AmxDoubts::resolve(const TilePanel &panel, const AmxRow &row,
                                     ArrayRef<Value> found) {
  if (!mayBeWrong())
    return Values(found);
  auto computed = [&] { return computeAgain(panel, row); };
  auto kept = [&] { return Values(found); };
  return choose(
      areSuspect(panel, row, found), found,
      [&] {
        if (!plan.watchesColumns())
          return computed();
        columns.findMagnitudes(panel.first, panel.vectors);
        return choose(areDoubtful(panel, row, found), found, computed, kept);
      },
      kept);
}

Value AmxDoubts::is(Value x, arith::CmpIPredicate than, int64_t limit) {
  return arith::CmpIOp::create(b, loc, than, x, wordsOf(int32_t(limit)));
}

Value AmxDoubts::magnitudeOf(Value sum) {
  return both(arith::BitcastOp::create(b, loc, words, sum), wordsOf(INT32_MAX));
}

/// True if `test` is true in any valid lane of the panel; `test` gets the
/// number of a vector.
Value AmxDoubts::anyOf(const TilePanel &panel,
                       llvm::function_ref<Value(int64_t)> test) {
  Value any;
  for (int64_t v = 0; v < panel.vectors; ++v) {
    Value here = test(v);
    if (panel.masks[v])
      here = both(here, panel.masks[v]);
    any = any ? either(any, here) : here;
  }
  return vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, any);
}

/// True if the least magnitude, `seen`, is below `leastWhole`.
Value AmxDoubts::lacksParts(Value seen) {
  return is(seen, arith::CmpIPredicate::ult, bitsOf(leastWhole) * 2 - 1);
}
/// True if the greatest magnitude, `seen`, is above `greatest`.
Value AmxDoubts::isGreat(Value seen) {
  return is(seen, arith::CmpIPredicate::ugt, bitsOf(greatest) * 2);
}

/// True if a sum is not finite. With three parts, also true if a sum is small
/// or if the row has very small or great elements. Integers lose nothing but
/// parts of a very small element of the row, which their scale may make great.
Value AmxDoubts::areSuspect(const TilePanel &panel, const AmxRow &row,
                            ArrayRef<Value> found) {
  int64_t low = plan.watchesColumns() ? bitsOf(leastSum) : 0;
  return anyOf(panel, [&](int64_t v) {
    Value above = arith::SubIOp::create(b, loc, magnitudeOf(found[v]),
                                        wordsOf(int32_t(low)));
    Value outside = is(above, arith::CmpIPredicate::uge, infinite - low);
    return row.isExtreme ? either(row.isExtreme, outside) : outside;
  });
}

/// True if a sum is not finite or may lack small numbers.
Value AmxDoubts::areDoubtful(const TilePanel &panel, const AmxRow &row,
                             ArrayRef<Value> found) {
  using enum arith::CmpIPredicate;
  return anyOf(panel, [&](int64_t v) {
    Magnitudes seen =
        columns.magnitudesOf(at().add(panel.first, at().constant(v * lanes)));
    Value low =
              arith::MinUIOp::create(b, loc, row.magnitudes.least, seen.least),
          high = arith::MaxUIOp::create(b, loc, row.magnitudes.greatest,
                                        seen.greatest),
          sum = magnitudeOf(found[v]);
    Value lost = both(is(low, ult, bitsOf(least) * 2 - 1),
                      is(sum, ult, bitsOf(leastSum)));
    return either(either(lost, both(lacksParts(low), isGreat(high))),
                  is(sum, uge, infinite));
  });
}

/// The row's sums as targets without tiles compute them.
AmxDoubts::Values AmxDoubts::computeAgain(const TilePanel &panel,
                                          const AmxRow &row) {
  ColumnSource source{nest.rhs,
                      nest.rhsElement,
                      columns.startOf(panel.first),
                      nest.sums.back().rhsStride,
                      {}};
  for (int64_t v = 0; v < panel.vectors; ++v)
    source.places.push_back(at().sub(
        columns.startOf(at().add(panel.first, at().constant(v * lanes))),
        source.base));
  source.scales = columns.scalesOf(panel);
  Value zero = arith::ConstantOp::create(
      b, loc, b.getZeroAttr(VectorType::get({lanes}, nest.sum)));
  return again.runAll({rows.startOf(row.number)}, {row.position}, source,
                      Values(panel.vectors, zero), /*oftenInside=*/false);
}

} // namespace tenon
