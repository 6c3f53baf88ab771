// Sine, cosine and tangent of f32. Input: any f32, however large. Output: the
// f64 value within a relative error of 2^-30.
//
// The reduction modulo pi / 2 is an exact integer product (Payne and Hanek).
// Write x as m 2^e with a 24-bit integer m. Only 64 bits of m 2^e (2 / pi)
// around the binary point matter, and they need only 96 bits of 2 / pi. Selects
// choose these 96 bits: no table, no branch.
#include "passes/kernel/numerics/FloatMath.h"
#include <limits>

using namespace mlir;

namespace tenon {
namespace {

/// An angle x = n pi / 2 + r with |r| <= pi / 4.
struct Angle {
  Lanes quadrant;  ///< n modulo 4, in the low two bits; i32
  Lanes remainder; ///< r; f64
};

/// 96 bits of the binary digits of 2 / pi behind 32 zeros, from bit `start` (0
/// to 135) on; the highest word first.
SmallVector<Lanes, 3> twoOverPi(const Lanes &start) {
  static constexpr uint32_t digits[8] = {0,          0xA2F9836E, 0x4E441529,
                                         0xFC2757D1, 0xF534DDC0, 0xDB629599,
                                         0x3C439041, 0xFE5163AB};
  SmallVector<Lanes, 8> words;
  for (uint32_t word : digits)
    words.push_back(start.bits(word));
  // Skips start / 32 words: one select per bit of that number (4, 2, 1).
  for (unsigned skip : {4u, 2u, 1u}) {
    Lanes bit = start & start.bits(skip * 32);
    Lanes isSet = bit != bit.bits(0);
    for (unsigned i = 0; i + skip < words.size() && i < 2 * skip + 3; ++i)
      words[i] = isSet.select(words[i + skip], words[i]);
  }
  Lanes shift = start & start.bits(31);
  Lanes unshift = shift ^ shift.bits(31);
  SmallVector<Lanes, 3> window;
  for (unsigned i = 0; i < 3; ++i)
    window.push_back(words[i].shiftLeft(shift) |
                     (words[i + 1] >> 1).shiftRight(unshift));
  return window;
}

/// Reduces the magnitude of x.
Angle reduce(const Lanes &x) {
  MLIRContext *context = x.type().getContext();
  Type i32 = IntegerType::get(context, 32), i64 = IntegerType::get(context, 64);
  Type f64 = Float64Type::get(context);
  Lanes magnitude = x.abs();
  Lanes raw = magnitude.bitcast(i32);
  Lanes mantissa = ((raw & raw.bits(0x7fffff)) | raw.bits(0x800000));
  Lanes exponent = raw >> 23;
  // An x with an exponent of 120 or less is below 0.5, which takes the small
  // case below.
  Lanes least = exponent.bits(120);
  Lanes start = (exponent < least).select(least, exponent) - least;
  SmallVector<Lanes, 3> window = twoOverPi(start);

  Lanes m = mantissa.zeroExtend(i64);
  auto times = [&](const Lanes &word) { return m * word.zeroExtend(i64); };
  // The angle in units of 2^-62 quadrants, modulo 4 quadrants.
  Lanes turns =
      (times(window[0]) << 32) + times(window[1]) + (times(window[2]) >> 32);
  Lanes quadrant = (turns + turns.bits(uint64_t(1) << 61)) >> 62;
  Lanes rest = turns - (quadrant << 62);
  // A signed high half and an unsigned low half, each exact in f64.
  Lanes high = (rest >> 32).truncate(i32).signedToFloat(f64);
  Lanes low = ((rest & rest.bits(0xffffffff)) | rest.bits(0x4330000000000000))
                  .bitcast(f64) -
              high.number(0x1p52);
  Lanes fraction = fma(high, 0x1p32, low);
  Lanes large = fraction * high.number(0x1.921fb54442d18p-62);

  Lanes isSmall = magnitude < x.number(0.5);
  Lanes n = quadrant.truncate(i32);
  return {isSmall.select(n.bits(0), n),
          isSmall.select(magnitude.widenFloat(f64), large)};
}

Lanes sineCore(const Lanes &r, const Lanes &z) {
  Lanes p = horner(z, {-0.16666666666663862, 8.3333333310632984e-3,
                       -1.9841266901167605e-4, 2.7555986073074768e-6,
                       -2.4805181636687857e-8});
  return fma(r * z, p, r);
}

Lanes cosineCore(const Lanes &z) {
  Lanes p = horner(z, {4.1666666666664659e-2, -1.3888888887265765e-3,
                       2.4801585199523553e-5, -2.7556366182428641e-7,
                       2.0700272131425025e-9});
  return fma(z * z, p, fma(z, -0.5, z.number(1)));
}

} // namespace

Lanes wideCircular(FloatFunction function, const Lanes &x) {
  Angle angle = reduce(x);
  const Lanes &r = angle.remainder;
  Lanes z = r * r;
  Lanes sine = sineCore(r, z), cosine = cosineCore(z);
  Lanes n = angle.quadrant;
  auto has = [&](const Lanes &value, uint64_t bit) {
    Lanes found = value & value.bits(bit);
    return found != found.bits(0);
  };
  Lanes isOdd = has(n, 1);
  Lanes isNegative = x.bitcast(n.element()) < n.bits(0);
  Lanes value = sine;
  if (function == FloatFunction::Tan) {
    Lanes tangent = isOdd.select(-cosine, sine) / isOdd.select(sine, cosine);
    value = isNegative.select(-tangent, tangent);
  } else if (function == FloatFunction::Sin) {
    Lanes plain = isOdd.select(cosine, sine);
    value = (has(n, 2) ^ isNegative).select(-plain, plain);
  } else {
    Lanes plain = isOdd.select(sine, cosine);
    value = has(n + n.bits(1), 2).select(-plain, plain);
  }
  Lanes isFinite = x.abs() < x.number(std::numeric_limits<double>::infinity());
  Lanes nan = r.number(std::numeric_limits<double>::quiet_NaN());
  return isFinite.select(value, nan);
}

} // namespace tenon
