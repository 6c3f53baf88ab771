// The f32 functions that models spend most time in, computed in f32: exp and
// the functions built on it, log and erf. Input: any f32, with denormals,
// infinities and NaN. Output: the value within two units in the last place.
//
// Coefficients are minimax fits on the reduced interval, each rounded before
// the next is fitted. The coefficients of erf have the least error over all f32
// among their neighbours. Norbert Juffa published those of exp for an expf of
// this form.
//
// All functions of e^x share one reduction: x = k ln 2 + r with |r| <= ln 2 /
// 2. Adding 1.5 * 2^23 + bias rounds x / ln 2 to an integer and leaves k + bias
// in the low bits, ready to be shifted into the exponent field.
#include "passes/kernel/numerics/FloatMath.h"

#include "passes/kernel/numerics/PowerScaling.h"

#include <limits>

using namespace mlir;

namespace tenon {
namespace {

constexpr double log2e = 1.44269504088896340736;
constexpr double ln2High = 0x1.62e4p-1; // k * ln2High is exact
constexpr double ln2Low = 0x1.7f7d1c0000000p-20;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// x = k ln 2 + r; the low bits of `shifted` hold k + bias.
struct Reduced {
  Lanes k, r, shifted;

  Lanes biased() const {
    return shifted.bitcast(IntegerType::get(shifted.type().getContext(), 32));
  }
};

Reduced reduce(const Lanes &x, int bias) {
  Lanes magic = x.number(wholeNumber + bias);
  Lanes shifted = fma(x, log2e, magic);
  Lanes k = shifted - magic;
  Lanes high = fma(k, -ln2High, x); // exact
  return {k, fma(k, -ln2Low, high), shifted};
}

/// `factor`, a power of two, times e^r for |r| <= ln 2 / 2.
Lanes expCore(const Lanes &r, double factor = 1) {
  SmallVector<double> coefficients = {1,
                                      1,
                                      0.499999851,
                                      0.166664720,
                                      4.16695364e-2,
                                      8.37312452e-3,
                                      1.37805939e-3};
  for (double &c : coefficients)
    c *= factor;
  return horner(r, coefficients);
}

/// e^r - 1 for |r| <= ln 2 / 2, with a small relative error even near zero.
Lanes expm1Core(const Lanes &r) {
  Lanes tail = horner(r, {0.5, 0.16666667163372039, 4.1666477918624878e-2,
                          8.3331903442740440e-3, 1.3933692825958133e-3,
                          1.9960192730650306e-4});
  return fma(tail, r * r, r);
}

} // namespace

Lanes expNative(const Lanes &x) {
  Reduced part = reduce(limit(x, -104.5, 89), scalingBias);
  return scaleByPower(expCore(part.r), part.shifted);
}

// A softmax has no use for denormals, and a vector with one takes an Intel
// processor 200 cycles. As 2 e^r 2^(k - 1), the result is zero for k = -126, to
// which x is limited, and is never denormal for a greater k.
Lanes expFlushedNative(const Lanes &x) {
  Reduced part = reduce(limitBelow(x, -87.3), 126);
  return expCore(part.r, 2) * nativePower(part.biased());
}

Lanes expm1Native(const Lanes &x) {
  Reduced part = reduce(limit(x, -18, 89), 127);
  // 2^128 is no f32: for k = 128 scale by 2^127 and double the result.
  Lanes twice = part.k > x.number(127);
  Lanes scale = twice.select(x.number(0x1p127), nativePower(part.biased()));
  Lanes once = fma(scale, expm1Core(part.r), scale - x.number(1));
  return twice.select(once + once, once).copySign(x);
}

// Below 9/16 an odd polynomial, above it 1 - 2 / (e^2x + 1), which rounds to 1
// from 9.02 on.
Lanes tanhNative(const Lanes &x) {
  Lanes magnitude = x.abs();
  Lanes square = x * x;
  Lanes odd = horner(square, {-0.33333313465, 0.133324519, -5.38374297e-2,
                              2.10074633e-2, -6.17981609e-3});
  Lanes small = fma(x * square, odd, x);

  Reduced part = reduce(limitAbove(magnitude + magnitude, 20), 127);
  Lanes one = x.number(1);
  Lanes sum = fma(nativePower(part.biased()), expCore(part.r), one);
  Lanes large = one - x.number(2) / sum;
  return (magnitude < x.number(0.5625)).select(small, large).copySign(x);
}

// 1 / (1 + e^-x) with numerator and denominator multiplied by 2^-32. Without
// this factor, the denominator would overflow where the result is denormal. A
// smaller factor would vanish where the result is 1.
//
// With e^-x = scale (1 + tail), scale + 1 is exact except for large scales. The
// part that its rounding loses is added to scale * tail, which is exact.
Lanes logisticNative(const Lanes &x) {
  Reduced part = reduce(limit(-x, -60, 104.5), 127 - 32);
  Lanes scale = nativePower(part.biased());
  Lanes one = x.number(0x1p-32);
  Lanes sum = scale + one;
  Lanes lost = one - (sum - scale);
  return one / (fma(scale, expm1Core(part.r), lost) + sum);
}

// Below 9/8 an odd polynomial, above it 1 - c^2, where c is a polynomial near
// sqrt(erfc(x)). The square root is smooth enough for few terms, and one
// product loses little accuracy. From 4 on c^2 is too small to change 1. Both
// polynomials are expanded around a point of their range and not around zero,
// so their terms and rounding errors are small.
Lanes erfNative(const Lanes &x) {
  Lanes s = fma(x, x, x.number(-0.5625));
  Lanes odd =
      horner(s, {-5.1792488e-02, -2.7135688e-01, 7.606173e-02, -1.7434403e-02,
                 3.3114634e-03, -5.380635e-04, 7.038561e-05});
  Lanes small = fma(odd, x, x);

  Lanes magnitude = x.abs();
  Lanes t = limitAbove(magnitude, 4) - x.number(1.1875);
  Lanes root =
      horner(t, {3.0508733e-01, -4.5141634e-01, 2.0209323e-01, 2.5024436e-02,
                 -4.522605e-02, 3.62989e-03, 8.669511e-03, -4.122315e-03,
                 7.867855e-04, -5.7440462e-05});
  Lanes large = fma(-root, root, x.number(1)).copySign(x);
  return (magnitude < x.number(1.125)).select(small, large);
}

// x = 2^k m with m in [sqrt(1/2), sqrt(2)); log x = k ln 2 + log1p(m - 1).
Lanes logNative(const Lanes &x) {
  Type i32 = IntegerType::get(x.type().getContext(), 32);
  Lanes isDenormal = x < x.number(0x1p-126);
  Lanes normal = isDenormal.select(x * x.number(0x1p23), x);
  Lanes fromRoot = normal.bitcast(i32) - x.bits(i32, 0x3f3504f3);
  Lanes exponent = fromRoot.shiftRightSigned(fromRoot.bits(23));
  Lanes mantissa =
      (fromRoot & fromRoot.bits(0x7fffff)) + fromRoot.bits(0x3f3504f3);
  Lanes k = exponent.signedToFloat(x.element()) -
            isDenormal.select(x.number(23), x.number(0));
  Lanes f = mantissa.bitcast(x.element()) - x.number(1);
  Lanes square = f * f;
  Lanes p = horner(
      f, {0.33333313465118408, -0.25000011920928955, 0.20002073049545288,
          -0.16667851805686951, 0.14220230281352997, -0.12408278137445450,
          0.11886323988437653, -0.11660114675760269, 6.7319914698600769e-2});
  Lanes low = fma(k, ln2Low, square * f * p);
  Lanes finite = fma(k, ln2High, f + fma(square, -0.5, low));
  Lanes zero = x.number(0), inf = x.number(infinity);
  Lanes positive = (x == inf).select(x, finite);
  Lanes other = (x == zero).select(
      -inf, x.number(std::numeric_limits<double>::quiet_NaN()));
  return (x > zero).select(positive, other);
}

} // namespace tenon
