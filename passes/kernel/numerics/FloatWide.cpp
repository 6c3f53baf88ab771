// The f32 functions that are computed in f64 and rounded once. f64 represents
// every f32 denormal as a normal number, and the square of an f32 neither
// overflows nor vanishes, so f32's special care is rarely needed. Input: any
// f32. Output: the value within 0.51 units in the last place. The core
// functions are accurate to about 2^-40; their coefficients are minimax fits on
// the reduced interval.
#include "passes/kernel/numerics/FloatMath.h"
#include <limits>

using namespace mlir;

namespace tenon {
namespace {

constexpr double log2e = 1.44269504088896340736;
constexpr double ln2 = 0.69314718055994530942;
constexpr double ln2High = 0x1.62e42fefap-1; // k * ln2High is exact
constexpr double ln2Low = 0x1.cf79abc9e3b4p-40;
constexpr double pi = 3.14159265358979323846;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Type f64Of(const Lanes &x) { return Float64Type::get(x.type().getContext()); }

Type i64Of(const Lanes &x) {
  return IntegerType::get(x.type().getContext(), 64);
}

/// e^x as a product and e^x - 1. |x| is limited to 400, far beyond the points
/// where an f32 overflows or becomes zero.
struct Power {
  Lanes tail, scale; ///< e^x = scale (1 + tail)
  Lanes plain() const { return fma(scale, tail, scale); }
  Lanes minusOne() const { return fma(scale, tail, scale - scale.number(1)); }
};

Power power(const Lanes &argument) {
  Lanes x = limit(argument, -400, 400);
  Lanes magic = x.number(0x1.8p52 + 1023);
  Lanes shifted = fma(x, log2e, magic);
  Lanes k = shifted - magic;
  Lanes r = fma(k, -ln2Low, fma(k, -ln2High, x));
  Lanes p = horner(r, {0.49999999999954736, 0.16666666666633745,
                       4.1666666786999582e-2, 8.3333334133676670e-3,
                       1.3888838907787710e-3, 1.9841192595997662e-4,
                       2.4868004699822875e-5, 2.7632794609435846e-6});
  Lanes scale = (shifted.bitcast(i64Of(x)) << 52).bitcast(f64Of(x));
  return {fma(p, r * r, r), scale};
}

/// log x for any f64 x that is not denormal. With `y`, log(1 + y), where x is 1
/// + y rounded. Uses log(1 + f) = 2 atanh s with s = f / (2 + f).
Lanes logCore(const Lanes &x, const Lanes *y) {
  constexpr uint64_t root = 0x3fe6a09e667f3bcd; // sqrt(1/2)
  constexpr uint64_t offset = 1024;             // keeps the exponent positive
  Lanes raw = x.bitcast(i64Of(x));
  Lanes fromRoot = raw + raw.bits((offset << 52) - root);
  Lanes exponent = fromRoot >> 52;
  Lanes mantissa =
      (fromRoot & raw.bits((uint64_t(1) << 52) - 1)) + raw.bits(root);
  // Converts an integer below 2^52 to f64: the integer becomes the mantissa
  // under the exponent of 2^52.
  Lanes k = (exponent | raw.bits(0x4330000000000000)).bitcast(f64Of(x)) -
            x.number(0x1p52 + offset);
  Lanes f = mantissa.bitcast(f64Of(x)) - x.number(1);
  if (y)
    f = (k == x.number(0)).select(*y, f);
  Lanes s = f / (f + x.number(2));
  Lanes z = s * s;
  Lanes p = horner(z, {0.66666666666661967, 0.40000000011425879,
                       0.28571424073540402, 0.22222868932023429,
                       0.18139916587902907, 0.16625841052506896});
  Lanes finite = fma(k, ln2, fma(s * z, p, s + s));
  Lanes zero = x.number(0);
  Lanes positive = (x == x.number(infinity)).select(x, finite);
  Lanes other = (x == zero).select(x.number(-infinity), x.number(nan));
  return (x > zero).select(positive, other);
}

Lanes log1p(const Lanes &y) { return logCore(y + y.number(1), &y).copySign(y); }

/// asin on [0, 1/2].
Lanes asinCore(const Lanes &x) {
  Lanes z = x * x;
  Lanes p = horner(z, {0.16666666666661556, 7.5000000039920481e-2,
                       4.4642852001085795e-2, 3.0382200791688178e-2,
                       2.2365694020215147e-2, 1.7445806449507682e-2,
                       1.3158578433038747e-2, 1.5791989628441663e-2,
                       -3.1884580016294981e-3, 2.8128462701057406e-2});
  return fma(x * z, p, x);
}

/// asin, or acos = pi / 2 - asin; above 1/2 by the half angle. Above 1 the
/// square root gives NaN.
Lanes arcSine(const Lanes &x, bool cosine) {
  Lanes magnitude = x.abs();
  Lanes half = x.number(0.5);
  Lanes isSmall = magnitude <= half;
  Lanes root = ((x.number(1) - magnitude) * half).sqrt();
  Lanes core = asinCore(isSmall.select(magnitude, root));
  if (!cosine)
    return isSmall.select(core, fma(core, -2, x.number(pi / 2))).copySign(x);
  Lanes isNegative = x < x.number(0);
  Lanes small = x.number(pi / 2) - core.copySign(x);
  Lanes twice = core + core;
  Lanes large = isNegative.select(x.number(pi) - twice, twice);
  return isSmall.select(small, large);
}

/// The angle of the point (x, y), where x and y are not negative, from atan on
/// [0, 1].
Lanes quadrantAngle(const Lanes &y, const Lanes &x) {
  Lanes isSteep = y > x;
  Lanes low = isSteep.select(x, y), high = isSteep.select(y, x);
  // 0 / 0 takes the angle 0, infinity / infinity takes pi / 4.
  Lanes zero = x.number(0), one = x.number(1);
  Lanes ratio = low / high;
  ratio = (low == x.number(infinity)).select(one, ratio);
  ratio = (high == zero).select(zero, ratio);
  Lanes z = ratio * ratio;
  Lanes p = horner(
      z,
      {-0.33333333333313575, 0.19999999990642761, -0.14285713549800777,
       0.11111088204826185, -9.0905338731329069e-2, 7.6885780533705608e-2,
       -6.6421950267544466e-2, 5.7704017340159203e-2, -4.8921763537663192e-2,
       3.8451065819321415e-2, -2.6141350151712664e-2, 1.4188529370573372e-2,
       -5.5949277306869402e-3, 1.3978874239406168e-3, -1.6419979505916257e-4});
  Lanes angle = fma(ratio * z, p, ratio);
  return isSteep.select(x.number(pi / 2) - angle, angle);
}

Lanes atan2(const Lanes &y, const Lanes &x) {
  Lanes angle = quadrantAngle(y.abs(), x.abs());
  Lanes isLeft = x.bitcast(i64Of(x)) < x.bits(i64Of(x), 0);
  Lanes whole = isLeft.select(x.number(pi) - angle, angle).copySign(y);
  return (y.isNan() | x.isNan()).select(x.number(nan), whole);
}

Lanes sinh(const Lanes &x) {
  Lanes t = power(x.abs()).minusOne();
  Lanes half = x.number(0.5);
  return (half * (t + t / (t + x.number(1)))).copySign(x);
}

Lanes cosh(const Lanes &x) {
  Lanes e = power(x.abs()).plain();
  Lanes half = x.number(0.5);
  return fma(e, half, half / e);
}

// log1p(x + x^2 / (1 + sqrt(1 + x^2))) of the magnitude. The square of a finite
// f32 is finite in f64.
Lanes asinh(const Lanes &x) {
  Lanes magnitude = x.abs();
  Lanes square = x * x;
  Lanes one = x.number(1);
  Lanes y = magnitude + square / (one + (one + square).sqrt());
  return (magnitude == x.number(infinity))
      .select(magnitude, log1p(y))
      .copySign(x);
}

Lanes acosh(const Lanes &x) {
  Lanes t = x - x.number(1);
  Lanes value = log1p(t + (t * (t + x.number(2))).sqrt());
  return (t >= x.number(0)).select(value, x.number(nan));
}

Lanes atanh(const Lanes &x) {
  Lanes magnitude = x.abs();
  Lanes y = (magnitude + magnitude) / (x.number(1) - magnitude);
  return (x.number(0.5) * log1p(y)).copySign(x);
}

Lanes cbrt(const Lanes &x) {
  Lanes root = power(logCore(x.abs(), nullptr) * x.number(1.0 / 3)).plain();
  Lanes isOwn = (x == x.number(0)) | (x.abs() == x.number(infinity));
  return isOwn.select(x, root.copySign(x));
}

/// C's pow with all its special cases; x and y are f32 values in f64.
Lanes pow(const Lanes &x, const Lanes &y) {
  Lanes zero = x.number(0), one = x.number(1);
  Lanes logarithm = logCore(x.abs(), nullptr);
  // A base of -1 has magnitude one even for an infinite exponent.
  Lanes unit = y.isNan().select(y, zero);
  Lanes exponent = (logarithm == zero).select(unit, y * logarithm);
  Lanes magnitude = power(exponent).plain();

  Lanes half = y * x.number(0.5);
  Lanes isWhole = y.trunc() == y;
  Lanes isOdd = isWhole & (half.trunc() != half);
  Lanes isNegative = x.bitcast(i64Of(x)) < x.bits(i64Of(x), 0);
  Lanes value = (isNegative & isOdd).select(-magnitude, magnitude);
  Lanes isRoot = !isWhole & (x < zero) & (x != x.number(-infinity));
  value = isRoot.select(x.number(nan), value);
  return ((y == zero) | (x == one)).select(one, value);
}

} // namespace

Lanes wideFunction(FloatFunction function, ArrayRef<Lanes> operands) {
  Type f64 = f64Of(operands[0]), f32 = operands[0].element();
  auto circular = [&] {
    return wideCircular(function, operands[0]).narrowFloat(f32);
  };
  Lanes x = operands[0].widenFloat(f64);
  auto of = [&](Lanes (*f)(const Lanes &)) { return f(x).narrowFloat(f32); };
  auto ofTwo = [&](Lanes (*f)(const Lanes &, const Lanes &)) {
    return f(x, operands[1].widenFloat(f64)).narrowFloat(f32);
  };
  switch (function) {
  case FloatFunction::Sin:
  case FloatFunction::Cos:
  case FloatFunction::Tan:
    return circular();
  case FloatFunction::Acos:
    return arcSine(x, true).narrowFloat(f32);
  case FloatFunction::Asin:
    return arcSine(x, false).narrowFloat(f32);
  case FloatFunction::Acosh:
    return of(acosh);
  case FloatFunction::Asinh:
    return of(asinh);
  case FloatFunction::Atan:
    return atan2(x, x.number(1)).narrowFloat(f32);
  case FloatFunction::Atan2:
    return ofTwo(atan2);
  case FloatFunction::Atanh:
    return of(atanh);
  case FloatFunction::Cbrt:
    return of(cbrt);
  case FloatFunction::Cosh:
    return of(cosh);
  case FloatFunction::Log1p:
    return of(log1p);
  case FloatFunction::Pow:
    return ofTwo(pow);
  case FloatFunction::Sinh:
    return of(sinh);
  default:
    llvm_unreachable("this function stays in f32");
  }
}

} // namespace tenon
