// The f64 functions of e^x. Input: any f64. Output: the value within two units
// in the last place. Coefficients are minimax fits on the reduced interval.
//
// All share one reduction: x = k ln 2 + r with |r| <= ln 2 / 2. Adding 1.5 *
// 2^52 + bias rounds x / ln 2 to an integer and leaves k + bias in the low
// bits, ready to be shifted into the exponent field.
#include "passes/kernel/numerics/DoubleMath.h"

using namespace mlir;

namespace tenon {
namespace {

/// x = k ln 2 + r; the low bits of `biased` hold k + bias.
struct Reduced {
  Lanes k, r, biased;
};

Reduced reduce(const Lanes &x, int bias) {
  Lanes magic = x.number(0x1.8p52 + bias);
  Lanes shifted = fma(x, log2OfE, magic);
  Lanes k = shifted - magic;
  Lanes high = fma(k, -lnTwoHigh, x); // exact
  return {k, fma(k, -lnTwoLow, high), shifted.bitcast(doubleBits(x))};
}

/// e^r - 1 for |r| <= ln 2 / 2, with a small relative error even near zero.
Lanes expm1Core(const Lanes &r) {
  Lanes tail = horner(r, {0.5, 0.16666666666666677, 0.0416666666666667,
                          0.00833333333332153, 0.0013888888888866676,
                          0.00019841269886402231, 2.4801587360870094e-05,
                          2.755724391072983e-06, 2.7557242494232927e-07,
                          2.5109147666511973e-08, 2.092452476457031e-09});
  return fma(tail, r * r, r);
}

/// 2^shift e^(x + low). 2^k is split into two factors. The first product is
/// exact; the second one rounds a denormal result and turns an overflow into
/// infinity.
Lanes scaledExp(const Lanes &x, int shift, const Lanes *low) {
  Reduced part = reduce(limit(x, -746, 711), 2046 + shift);
  Lanes half = part.biased >> 1;
  Lanes rest = part.biased - half;
  Lanes r = low ? part.r + *low : part.r;
  Lanes power = x.number(1) + expm1Core(r);
  return power * powerOfTwo(half) * powerOfTwo(rest);
}

} // namespace

Lanes expDouble(const TwoPart &x) { return scaledExp(x.high, 0, &x.low); }

Lanes expDouble(const Lanes &x) { return scaledExp(x, 0, nullptr); }

Lanes expm1Double(const Lanes &x) {
  Reduced part = reduce(limit(x, -40, 710), 1023);
  // 2^1024 is no f64: for k = 1024 scale by 2^1023 and double the result.
  Lanes twice = part.k > x.number(1023);
  Lanes scale = twice.select(x.number(0x1p1023), powerOfTwo(part.biased));
  Lanes once = fma(scale, expm1Core(part.r), scale - x.number(1));
  return twice.select(once + once, once).copySign(x);
}

// Below 1 an odd polynomial, above it e^x / 2 - e^-x / 2. Half of the power
// overflows only where the result does.
Lanes sinhDouble(const Lanes &x) {
  Lanes magnitude = x.abs();
  Lanes z = x * x;
  Lanes odd = horner(z, {0.16666666666666669, 0.008333333333333137,
                         0.00019841269841439373, 2.755731915478423e-06,
                         2.5052123489168285e-08, 1.605723308348859e-10,
                         7.759538155594669e-13});
  Lanes small = fma(x * z, odd, x);
  Lanes half = scaledExp(magnitude, -1, nullptr);
  Lanes large = half - x.number(0.25) / half;
  return (magnitude < x.number(1)).select(small, large).copySign(x);
}

Lanes coshDouble(const Lanes &x) {
  Lanes half = scaledExp(x.abs(), -1, nullptr);
  return half + x.number(0.25) / half;
}

// Below 9/16 an odd polynomial, above it 1 - 2 / (e^2x + 1), which rounds to 1
// from 19.1 on.
Lanes tanhDouble(const Lanes &x) {
  Lanes magnitude = x.abs();
  Lanes z = x * x;
  Lanes odd = horner(
      z, {-0.3333333333333328, 0.13333333333323377, -0.05396825396185022,
          0.021869488330480774, -0.00886323168403561, 0.0035920826731877095,
          -0.0014554820817666327, 0.000588192646769069, -0.00023273675365717802,
          8.238733583463955e-05, -1.8918588207996793e-05});
  Lanes small = fma(x * z, odd, x);

  Reduced part = reduce(limitAbove(magnitude + magnitude, 40), 1023);
  Lanes one = x.number(1);
  Lanes scale = powerOfTwo(part.biased);
  Lanes sum = fma(scale, expm1Core(part.r), scale + one);
  Lanes large = one - x.number(2) / sum;
  return (magnitude < x.number(0.5625)).select(small, large).copySign(x);
}

// 1 / (1 + e^-x) with numerator and denominator multiplied by 2^-256. Without
// this factor, the denominator would overflow where the result is denormal. A
// much smaller factor would vanish where the result is 1.
//
// With e^-x = scale (1 + tail), scale + 1 is exact except for large scales. The
// part that its rounding loses is added to scale * tail.
Lanes logisticDouble(const Lanes &x) {
  Reduced part = reduce(limit(-x, -80, 746), 1023 - 256);
  Lanes scale = powerOfTwo(part.biased);
  Lanes one = x.number(0x1p-256);
  Lanes sum = scale + one;
  Lanes lost = one - (sum - scale);
  return one / (fma(scale, expm1Core(part.r), lost) + sum);
}

// Below 1 an odd polynomial, above it 1 - e^-x^2 g(t), where g is a polynomial
// in t = (x - 2.5) / (x + 2.5), which is nearly linear there. From 6 on the
// result rounds to 1. W. J. Cody, "Rational Chebyshev approximations for the
// error function", 1969, takes the exponential out in this way; the variable is
// that of M. M. Shepherd and J. G. Laframboise, 1981.
Lanes erfDouble(const Lanes &x) {
  Lanes z = x * x;
  Lanes odd =
      horner(z, {0.1283791670955126, -0.3761263890318375, 0.11283791670954853,
                 -0.026866170645071828, 0.005223977624769879,
                 -0.0008548326978079235, 0.00012055331011653276,
                 -1.4925592876381327e-05, 1.6460962346143105e-06,
                 -1.6349910684264623e-07, 1.4657087211312922e-08,
                 -1.1362521649010422e-09, 5.939815010328281e-11});
  Lanes small = fma(odd, x, x);

  Lanes magnitude = limitAbove(x.abs(), 6);
  Lanes t = (magnitude - x.number(2.5)) / (magnitude + x.number(2.5));
  Lanes g = horner(
      t, {0.2108063640611437, -0.37173673394897655, 0.2517131932171879,
          -0.12503305238172963, 0.03992253909517925, -0.003993700619588962,
          -0.0026423627256455585, 0.0008759136035155768, 0.0002282673972073063,
          -0.00012948647881564975, -3.574531679044262e-05,
          1.675661939600793e-05, 7.528049159482952e-06});
  TwoPart square = multiplyExactly(magnitude, magnitude);
  Reduced part = reduce(-square.high, 1023);
  Lanes tail = expm1Core(part.r - square.low);
  Lanes large = fma(-powerOfTwo(part.biased), fma(g, tail, g), x.number(1));
  return (magnitude < x.number(1)).select(small, large.copySign(x));
}

} // namespace tenon
