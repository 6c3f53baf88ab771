// A group's unit is the least power of two of which its greatest magnitude is
// no more than 2^23. Numbers are rounded by a sum in which the last bit is
// worth one, whose lowest bits are then the integer: nothing is converted, and
// what is not finite needs no care but that of its unit.
#include "passes/cpu/FixedPointRows.h"

#include "dialects/tenon/Quantization.h"
#include "passes/cpu/Conversions.h"
#include "passes/cpu/Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

/// Elements of a group, and the words of its pairs for each digit.
constexpr int64_t groupSize = nibbleGroup, words = groupSize / 2;

/// Of f32: bits below the exponent, and its greatest.
constexpr unsigned fraction = 23;
constexpr int64_t notFinite = 255;
/// Exponents of the greatest magnitude from which on a digit's unit is normal.
constexpr int64_t leastExponent = 23;
/// Added to a small number this leaves the nearest integer in the lowest bits.
constexpr double rounding = 0x1.8p23;

FixedPointRows::FixedPointRows(Kernel &kernel, const ContractionNest &nest)
    : KernelLoops(kernel), nest(nest),
      depth(getConstantIntValue(nest.sums.back().extent).value_or(0)),
      groups(llvm::divideCeilSigned(depth, groupSize)) {}

void FixedPointRows::reserve(int64_t rows) {
  pairs = scratchOf(b.getI32Type(), rows * groups * 2 * words);
  units = scratchOf(b.getF32Type(), rows * groups * 2);
  line = scratchOf(b.getF32Type(), groupSize);
}

Value FixedPointRows::placeOf(Value row, Value group) {
  return at().mul(at().add(at().mul(row, at().constant(groups)), group),
                  at().constant(2));
}

Value FixedPointRows::element(Value start, Value k) {
  Value place = at().add(start, at().mul(k, nest.sums.back().lhsStride));
  Value loaded = memref::LoadOp::create(b, loc, nest.lhs, place);
  return emitConvert(b, loc, loaded, nest.lhsElement, b.getF32Type());
}

/// Elements side by side.
Value FixedPointRows::whole(Value start, Value group) {
  auto type = VectorType::get({groupSize}, kernelElementType(nest.lhsElement));
  Value place = at().add(start, at().mul(group, at().constant(groupSize)));
  Value loaded = vector::LoadOp::create(b, loc, type, nest.lhs, place);
  return emitConvert(b, loc, loaded, nest.lhsElement, b.getF32Type());
}

/// `count` elements that lie apart or are the last of a row, and zeros.
Value FixedPointRows::rest(Value start, int64_t count) {
  auto type = VectorType::get({groupSize}, b.getF32Type());
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  vector::StoreOp::create(b, loc, zero, line, at().constant(0));
  forRange(at().constant(0), at().constant(count), 1, [&](Value k) {
    memref::StoreOp::create(b, loc, element(start, k), line, k);
  });
  return vector::LoadOp::create(b, loc, type, line, at().constant(0));
}

void FixedPointRows::split(Value start, Value row) {
  Value stride = nest.sums.back().lhsStride;
  bool sideBySide = getConstantIntValue(stride) == 1;
  auto group = [&](Value number, int64_t count) {
    Value first = at().mul(at().mul(number, at().constant(groupSize)), stride);
    Value elements = sideBySide && count == groupSize
                         ? whole(start, number)
                         : rest(at().add(start, first), count);
    Value place = placeOf(row, number);
    splitGroup(elements, at().mul(place, at().constant(words)), place);
  };
  Value full = at().constant(depth / groupSize);
  forRange(at().constant(0), full, 1,
           [&](Value number) { group(number, groupSize); });
  if (int64_t left = depth % groupSize)
    group(full, left);
}

void FixedPointRows::splitGroup(Value elements, Value place, Value unit) {
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  Lanes x(b, loc, elements);
  Lanes magnitudes = x.bitcast(i32) & x.bits(i32, INT32_MAX);
  Lanes greatest(b, loc,
                 vector::ReductionOp::create(
                     b, loc, vector::CombiningKind::MAXUI, magnitudes.get()));
  Lanes exponent = greatest >> fraction;
  Lanes bounded = exponent.below(exponent.bits(leastExponent))
                      .select(exponent.bits(leastExponent), exponent);
  // 2^(149 - exponent), and its inverse.
  Lanes factor = ((bounded.bits(276) - bounded) << fraction).bitcast(f32);
  Lanes low = ((bounded - bounded.bits(22)) << fraction).bitcast(f32);
  low = (exponent == exponent.bits(notFinite))
            .select(low.bits(i32, 0x7fc00000).bitcast(f32), low);
  auto keep = [&](Lanes value, int64_t digit) {
    memref::StoreOp::create(b, loc, value.get(), units,
                            at().add(unit, at().constant(digit)));
  };
  keep(low * low.number(digitBase), int64_t(Digit::High));
  keep(low, int64_t(Digit::Low));

  Lanes scaled =
      x * Lanes(b, loc,
                vector::BroadcastOp::create(b, loc, x.type(), factor.get()));
  Lanes shift = scaled.number(rounding);
  Lanes high = scaled * scaled.number(1.0 / digitBase) + shift;
  Lanes left = scaled - (high - shift) * scaled.number(digitBase);
  SmallVector<int64_t> first, second;
  for (int64_t k = 0; k < groupSize; ++k)
    (k % 8 < 4 ? first : second).push_back(k);
  for (auto [digit, sum] :
       {std::pair{Digit::High, high}, std::pair{Digit::Low, left + shift}}) {
    Value bits = sum.bitcast(i32).get();
    auto chosen = [&](ArrayRef<int64_t> places) {
      return Lanes(b, loc,
                   vector::ShuffleOp::create(b, loc, bits, bits, places));
    };
    Lanes even = chosen(first), odd = chosen(second);
    Lanes joined = (even & even.bits(UINT16_MAX)) | (odd << 16);
    vector::StoreOp::create(
        b, loc, joined.get(), pairs,
        at().add(place, at().constant(int64_t(digit) * words)));
  }
}

Value FixedPointRows::splat(Value memory, Value place, int64_t lanes) {
  Value loaded = memref::LoadOp::create(b, loc, memory, place);
  return vector::BroadcastOp::create(
      b, loc, VectorType::get({lanes}, loaded.getType()), loaded);
}

Value FixedPointRows::pair(Value row, Value group, Value word, int64_t nibble,
                           Digit digit, int64_t lanes) {
  Value within = at().add(at().mul(word, at().constant(4)),
                          at().constant(int64_t(digit) * words + nibble));
  Value first = at().mul(placeOf(row, group), at().constant(words));
  return splat(pairs, at().add(first, within), lanes);
}

Value FixedPointRows::unit(Value row, Value group, Digit digit, int64_t lanes) {
  return splat(units,
               at().add(placeOf(row, group), at().constant(int64_t(digit))),
               lanes);
}

} // namespace tenon
