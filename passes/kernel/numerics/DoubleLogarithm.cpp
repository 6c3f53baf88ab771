// The f64 functions of log x, and cbrt. Input: any f64. Output: the value
// within two units in the last place. Coefficients are minimax fits on the
// reduced interval.
//
// x = 2^k m with m in [sqrt(1/2), sqrt(2)); log x = k ln 2 + log m, and log m =
// 2 atanh s with s = (m - 1) / (m + 1), as in Sun's fdlibm (1993).
#include "passes/kernel/numerics/DoubleMath.h"
#include <limits>

using namespace mlir;

namespace tenon {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

constexpr uint64_t rootOfHalf = 0x3fe6a09e667f3bcd; // sqrt(1/2)

/// `finite` where x is positive and finite; elsewhere what log x is there.
Lanes withLimits(const Lanes &x, const Lanes &finite) {
  Lanes zero = x.number(0);
  Lanes positive = (x == x.number(infinity)).select(x, finite);
  Lanes other = (x == zero).select(x.number(-infinity), x.number(nan));
  return (x > zero).select(positive, other);
}

/// log of 2^more (x + lost), where lost is less than a unit in the last place
/// of x.
struct Logarithm {
  Lanes x;
  const Lanes *lost = nullptr;
  const Lanes *more = nullptr;

  Lanes value() const {
    Split part = splitDouble(x, rootOfHalf);
    Lanes k = more ? part.k + *more : part.k;
    Lanes f = part.m - x.number(1);
    Lanes s = f / (f + x.number(2));
    Lanes z = s * s;
    Lanes half = x.number(0.5) * f * f;
    Lanes p =
        horner(z, {0.6666666666666735, 0.39999999999411084, 0.28571428743264465,
                   0.22222198475793756, 0.18183569749879303,
                   0.15313902991573516, 0.14797510216760948});
    Lanes low = lost ? fma(k, lnTwoLow, *lost / x) : k * x.number(lnTwoLow);
    Lanes rest = half - fma(s, fma(z, p, half), low);
    return withLimits(x, fma(k, lnTwoHigh, f - rest));
  }
};

/// log(1 + y + low).
Lanes logOnePlus(const Lanes &y, const Lanes *low) {
  TwoPart sum = addExactly(y, y.number(1));
  Lanes lost = low ? sum.low + *low : sum.low;
  return Logarithm{sum.high, &lost}.value();
}

/// log x with a relative error below 2^-64, for pow. The series of atanh
/// starts with two terms in two parts.
TwoPart logInTwoParts(const Lanes &x) {
  Split part = splitDouble(x, rootOfHalf);
  Lanes one = x.number(1);
  Lanes f = part.m - one; // exact
  TwoPart sum = addExactly(part.m, one);
  Lanes s = f / sum.high;
  Lanes sLow = fma(-s, sum.low, fma(-s, sum.high, f)) / sum.high;
  Lanes z = s * s;
  Lanes zLow = fma(s + s, sLow, fma(s, s, -z));
  // atanh s = s (1 + z (1/3 + z q)).
  Lanes q = horner(z, {0.2, 0.14285714285714188, 0.11111111111145534,
                       0.0909090908458791, 0.07692308380111042,
                       0.06666620027046735, 0.05884343050238742,
                       0.052113439024856885, 0.05507455039361871});
  TwoPart third = addOrdered(x.number(1.0 / 3), z * q);
  third.low = third.low + x.number(0x1.5555555555555p-56);
  TwoPart tail = multiplyExactly(z, third.high);
  tail.low = fma(z, third.low, fma(zLow, third.high, tail.low));
  // 2 s (1 + tail) = 2 s + 2 s tail.
  Lanes twice = s + s, twiceLow = sLow + sLow;
  TwoPart product = multiplyExactly(twice, tail.high);
  Lanes productLow =
      fma(twice, tail.low, fma(twiceLow, tail.high, product.low));
  TwoPart series = addOrdered(twice, product.high);
  Lanes seriesLow = series.low + (twiceLow + productLow);
  // k times the first part of ln 2 is exact.
  TwoPart whole = addExactly(part.k * x.number(lnTwoHigh), series.high);
  Lanes low = whole.low + fma(part.k, lnTwoLow, seriesLow);
  TwoPart result = addOrdered(whole.high, low);
  Lanes high = withLimits(x, result.high);
  Lanes isFinite = high.abs() < x.number(infinity);
  return {high, isFinite.select(result.low, x.number(0))};
}

} // namespace

Lanes logDouble(const Lanes &x) { return Logarithm{x}.value(); }

Lanes log1pDouble(const Lanes &x) { return logOnePlus(x, nullptr).copySign(x); }

// log1p(x + x^2 / (1 + sqrt(1 + x^2))) of the magnitude; from 2^28 on log 2x.
Lanes asinhDouble(const Lanes &x) {
  Lanes magnitude = x.abs();
  Lanes one = x.number(1), zero = x.number(0);
  Lanes isLarge = magnitude > x.number(0x1p28);
  Lanes square = x * x;
  TwoPart y = addOrdered(magnitude, square / (one + (one + square).sqrt()));
  TwoPart sum = addExactly(y.high, one);
  Lanes lost = isLarge.select(zero, sum.low + y.low);
  Lanes more = isLarge.select(one, zero);
  return Logarithm{isLarge.select(magnitude, sum.high), &lost, &more}
      .value()
      .copySign(x);
}

// log1p(t + sqrt(t^2 + 2 t)) with t = x - 1; from 2^28 on log 2x.
Lanes acoshDouble(const Lanes &x) {
  Lanes one = x.number(1), zero = x.number(0);
  Lanes isLarge = x > x.number(0x1p28);
  Lanes t = x - one;
  TwoPart y = addOrdered(fma(t, t, t + t).sqrt(), t);
  TwoPart sum = addExactly(y.high, one);
  Lanes lost = isLarge.select(zero, sum.low + y.low);
  Lanes more = isLarge.select(one, zero);
  Lanes value = Logarithm{isLarge.select(x, sum.high), &lost, &more}.value();
  return (x >= one).select(value, x.number(nan));
}

// Half of log1p(2 x / (1 - x)). Below 1/2 the quotient is 2 x + 2 x^2 / (1 -
// x), whose second term is rounded at a smaller size.
Lanes atanhDouble(const Lanes &x) {
  Lanes magnitude = x.abs();
  Lanes isSmall = magnitude < x.number(0.5);
  Lanes twice = magnitude + magnitude;
  Lanes quotient =
      isSmall.select(twice * magnitude, twice) / (x.number(1) - magnitude);
  TwoPart sum = addOrdered(twice, quotient);
  Lanes y = isSmall.select(sum.high, quotient);
  Lanes low = isSmall.select(sum.low, x.number(0));
  return (x.number(0.5) * logOnePlus(y, &low)).copySign(x);
}

// e^(y log x) with C's special cases.
Lanes powDouble(const Lanes &x, const Lanes &y) {
  Lanes zero = x.number(0), one = x.number(1);
  TwoPart logarithm = logInTwoParts(x.abs());
  TwoPart product = multiplyExactly(y, logarithm.high);
  Lanes low = fma(y, logarithm.low, product.low);
  // Beyond this bound the power is infinite or zero; the rest may be NaN.
  Lanes isInside = product.high.abs() < x.number(1000);
  // A base of -1 has magnitude one even for an infinite exponent.
  Lanes isUnit = logarithm.high == zero;
  Lanes high = isUnit.select(y.isNan().select(y, zero), product.high);
  Lanes magnitude = expDouble({high, isInside.select(low, zero)});

  Lanes half = y * x.number(0.5);
  Lanes isWhole = y.trunc() == y;
  Lanes isOdd = isWhole & (half.trunc() != half);
  Lanes value = (hasSignBit(x) & isOdd).select(-magnitude, magnitude);
  Lanes isRoot = !isWhole & (x < zero) & (x != x.number(-infinity));
  value = isRoot.select(x.number(nan), value);
  return ((y == zero) | (x == one)).select(one, value);
}

// x = 2^(3 q) m with m in [1/2, 4). A polynomial gives the reciprocal root of
// the mantissa to 20 bits, one step of Halley's method gives it to 52. The last
// step corrects the root by its exact residue.
Lanes cbrtDouble(const Lanes &x) {
  Lanes magnitude = x.abs();
  Split part = splitDouble(magnitude, bitsOfOne); // m in [1, 2)
  Lanes magic = x.number(0x1.8p52 + 1023);
  Lanes shifted = fma(part.k, 1.0 / 3, magic);
  Lanes over = fma(shifted - magic, -3, part.k); // -1, 0 or 1
  Lanes isAbove = over > x.number(0.5), isBelow = over < x.number(-0.5);
  auto choose = [&](double above, double below) {
    return isAbove.select(x.number(above),
                          isBelow.select(x.number(below), x.number(1)));
  };
  Lanes m = part.m * choose(2, 0.5);
  Lanes r = horner(part.m,
                   {1.8797809278825657, -1.985375775743752, 1.9769808512693745,
                    -1.273353681178907, 0.5019866889983488,
                    -0.11040827308565805, 0.010388369021177374}) *
            choose(0x1.965fea53d6e3dp-1, 0x1.428a2f98d728bp+0);
  Lanes error = fma(-(m * r), r * r, x.number(1));
  r = fma(r * error, fma(error, 2.0 / 9, x.number(1.0 / 3)), r);
  Lanes square = r * r;
  Lanes root = m * square;
  TwoPart rootSquare = multiplyExactly(root, root);
  Lanes residue = fma(-rootSquare.low, root, fma(-rootSquare.high, root, m));
  root = fma(residue * square, 1.0 / 3, root);
  Lanes scale = (shifted.bitcast(doubleBits(x)) << 52).bitcast(doubleType(x));
  // Zero, infinity and NaN are their own roots.
  Lanes isOwn = !((magnitude > x.number(0)) & (magnitude < x.number(infinity)));
  return isOwn.select(x, (root * scale).copySign(x));
}

} // namespace tenon
