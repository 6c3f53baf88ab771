// Sine, cosine and tangent of f64. Input: any f64, however large. Output: the
// value within two units in the last place.
//
// x = n pi / 2 + r with |r| <= pi / 4, where r has two parts. Below 2^30, n pi
// / 2 is subtracted in three parts. Above it the product x (2 / pi) is computed
// in integers (Payne and Hanek): of x = m 2^e with a 53-bit integer m, only 128
// bits of the product around the binary point matter, and they need 192 bits of
// 2 / pi.
#include "passes/kernel/numerics/DoubleMath.h"
#include <limits>

using namespace mlir;

namespace tenon {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// An angle x = n pi / 2 + r.
struct Angle {
  Lanes quadrant; ///< n modulo 4, in the low two bits
  TwoPart remainder;
};

/// The angle of a magnitude below 2^30.
Angle reduceSmall(const Lanes &x) {
  constexpr double third = -0x1.f1976b7ed8fbcp-110;
  Lanes magic = x.number(0x1.8p52);
  Lanes shifted = fma(x, 0x1.45f306dc9c883p-1, magic); // x (2 / pi)
  Lanes n = magic - shifted;                           // negative
  Lanes first = fma(n, quarterTurn, x);                // exact
  TwoPart second = multiplyExactly(n, x.number(quarterTurnLow));
  TwoPart sum = addExactly(first, second.high);
  Lanes low = sum.low + fma(n, third, second.low);
  return {shifted.bitcast(doubleBits(x)), addOrdered(sum.high, low)};
}

/// 192 bits of the binary digits of 2 / pi behind 32 zeros, from bit `start` on
/// (0 to 1002), as words of 32 bits, the highest first.
SmallVector<Lanes, 6> twoOverPi(const Lanes &start) {
  static constexpr uint32_t digits[] = {
      0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599,
      0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea,
      0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026,
      0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff,
      0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66,
      0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1,
      0x1f8d5d08, 0x56033046, 0xfc7b6bab,
  };
  SmallVector<Lanes, 40> words;
  for (uint32_t word : digits)
    words.push_back(start.bits(word));
  // Skips start / 32 words: one select per bit of that number.
  for (unsigned skip : {16u, 8u, 4u, 2u, 1u}) {
    Lanes bit = start & start.bits(skip * 32);
    Lanes isSet = bit != bit.bits(0);
    for (unsigned i = 0; i + skip < words.size() && i < skip + 6; ++i)
      words[i] = isSet.select(words[i + skip], words[i]);
  }
  Lanes shift = start & start.bits(31);
  SmallVector<Lanes, 6> window;
  for (unsigned i = 0; i < 6; ++i)
    window.push_back(((words[i] << 32) | words[i + 1]).shiftLeft(shift) >> 32);
  return window;
}

/// The angle of a finite magnitude of 2^30 or more.
Angle reduceLarge(const Lanes &x) {
  Lanes raw = x.bitcast(doubleBits(x));
  Lanes mantissa =
      (raw & raw.bits(0xfffffffffffff)) | raw.bits(uint64_t(1) << 52);
  // For x = m 2^e, the digits start so that the product's first two bits count
  // whole quadrants modulo 4.
  Lanes least = raw.bits(1045);
  Lanes exponent = raw >> 52;
  Lanes start = (exponent < least).select(least, exponent) - least;
  SmallVector<Lanes, 6> window = twoOverPi(start);

  Lanes mask = raw.bits(0xffffffff);
  Lanes low = mantissa & mask, high = mantissa >> 32;
  SmallVector<Lanes, 6> product = window;
  Lanes carry = raw.bits(0);
  for (int i = 5; i >= 0; --i) {
    Lanes sum = low * window[i] + carry;
    product[i] = sum & mask;
    carry = sum >> 32;
  }
  carry = raw.bits(0);
  for (int i = 4; i >= 0; --i) {
    Lanes sum = high * window[i + 1] + product[i] + carry;
    product[i] = sum & mask;
    carry = sum >> 32;
  }
  // The angle in units of 2^-126 quadrants, modulo 4 quadrants.
  Lanes turns = (product[0] << 32) | product[1];
  Lanes quadrant = (turns + turns.bits(uint64_t(1) << 61)) >> 62;
  Lanes rest = turns - (quadrant << 62);
  // Words that are exact in f64: the first one signed, in [-2^31, 2^31).
  auto word = [&](const Lanes &bits) {
    return (bits | bits.bits(0x4330000000000000)).bitcast(doubleType(x)) -
           x.number(0x1p52);
  };
  Lanes shifted = (rest + rest.bits(uint64_t(1) << 63)) >> 32;
  Lanes first = (word(shifted) - x.number(0x1p31)) * x.number(0x1p32);
  TwoPart sum = addOrdered(first, word(rest & mask));
  Lanes tail =
      fma(word(product[3]), 0x1p-64, fma(word(product[2]), 0x1p-32, sum.low));
  TwoPart units = addOrdered(sum.high, tail);
  // From units of 2^-62 quadrants.
  TwoPart angle = multiplyExactly(units.high, x.number(quarterTurn * 0x1p-62));
  Lanes rest2 = fma(units.high, quarterTurnLow * 0x1p-62,
                    fma(units.low, quarterTurn * 0x1p-62, angle.low));
  return {quadrant, {angle.high, rest2}};
}

} // namespace

Lanes circularDouble(FloatFunction function, const Lanes &x) {
  Lanes magnitude = x.abs();
  Angle small = reduceSmall(magnitude), large = reduceLarge(magnitude);
  Lanes isSmall = magnitude < x.number(0x1p30);
  Lanes n = isSmall.select(small.quadrant, large.quadrant);
  Lanes r = isSmall.select(small.remainder.high, large.remainder.high);
  Lanes low = isSmall.select(small.remainder.low, large.remainder.low);

  Lanes one = x.number(1);
  Lanes z = r * r;
  Lanes half = x.number(0.5) * z;
  Lanes nearOne = one - half;
  Lanes p = horner(z, {-0.16666666666666632, 0.00833333333332237,
                       -0.00019841269829771094, 2.755731367864416e-06,
                       -2.5050755958437634e-08, 1.5896666354558875e-10});
  TwoPart sine = addOrdered(r, fma(r * z, p, low * nearOne));
  Lanes q = horner(z, {0.0416666666666666, -0.0013888888888874068,
                       2.480158728944494e-05, -2.7557314340890456e-07,
                       2.0875721636057777e-09, -1.1359559237217975e-11});
  TwoPart cosine =
      addOrdered(nearOne, ((one - nearOne) - half) + fma(z * z, q, -(r * low)));

  auto has = [&](const Lanes &value, uint64_t bit) {
    Lanes found = value & value.bits(bit);
    return found != found.bits(0);
  };
  Lanes isOdd = has(n, 1);
  Lanes isNegative = hasSignBit(x);
  Lanes value = sine.high;
  if (function == FloatFunction::Tan) {
    // -1 / tan r in odd quadrants. The quotient of two rounded numbers would
    // not be within two units, so its residue corrects it.
    Lanes top = isOdd.select(-cosine.high, sine.high);
    Lanes topLow = isOdd.select(-cosine.low, sine.low);
    Lanes bottom = isOdd.select(sine.high, cosine.high);
    Lanes bottomLow = isOdd.select(sine.low, cosine.low);
    Lanes tangent = top / bottom;
    Lanes residue =
        fma(-tangent, bottomLow, fma(-tangent, bottom, top) + topLow);
    tangent = tangent + residue / bottom;
    value = isNegative.select(-tangent, tangent);
  } else if (function == FloatFunction::Sin) {
    Lanes plain = isOdd.select(cosine.high, sine.high);
    value = (has(n, 2) ^ isNegative).select(-plain, plain);
  } else {
    Lanes plain = isOdd.select(sine.high, cosine.high);
    value = has(n + n.bits(1), 2).select(-plain, plain);
  }
  Lanes isFinite = magnitude < x.number(infinity);
  return isFinite.select(value,
                         x.number(std::numeric_limits<double>::quiet_NaN()));
}

} // namespace tenon
