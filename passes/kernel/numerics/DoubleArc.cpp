// The f64 functions whose results are angles. Input: any f64. Output: the angle
// within two units in the last place. Coefficients are minimax fits on the
// reduced interval. A multiple of pi / 2 is added in two parts.
#include "passes/kernel/numerics/DoubleMath.h"
#include <limits>

using namespace mlir;

namespace tenon {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// For asin and acos of x: the argument of a core that is at most 1/2, and
/// asin(argument) = argument (1 + tail).
struct ArcSine {
  Lanes isSmall;        ///< |x| <= 1/2, so that the argument is |x|
  Lanes argument, tail; ///< else the argument is sqrt((1 - |x|) / 2)

  explicit ArcSine(const Lanes &x)
      : isSmall(x.abs() <= x.number(0.5)), argument(x), tail(x) {
    Lanes magnitude = x.abs();
    Lanes half = (x.number(1) - magnitude) * x.number(0.5);
    Lanes z = isSmall.select(x * x, half);
    // Above 1 the square root gives NaN.
    argument = isSmall.select(magnitude, half.sqrt());
    tail = z * horner(z, {0.16666666666666766, 0.07499999999969416,
                          0.04464285717597184, 0.030381942640856394,
                          0.022372216915726925, 0.017351576688319232,
                          0.013981251653256031, 0.011395326496816178,
                          0.010800661498835877, 0.0036281908554374547,
                          0.021900424957243394, -0.021275842525281877,
                          0.03280397582433683});
  }
};

} // namespace

// Above 1/2, asin x = pi / 2 - 2 asin(sqrt((1 - x) / 2)).
Lanes asinDouble(const Lanes &x) {
  ArcSine core(x);
  const Lanes &s = core.argument;
  Lanes small = fma(s, core.tail, s);
  Lanes twice = s + s;
  Lanes rest = twice + fma(twice, core.tail, x.number(-quarterTurnLow));
  Lanes large = x.number(quarterTurn) - rest;
  return core.isSmall.select(small, large).copySign(x);
}

// pi / 2 - asin x; above 1/2 and below -1/2 by the half angle.
Lanes acosDouble(const Lanes &x) {
  ArcSine core(x);
  const Lanes &s = core.argument;
  Lanes low = x.number(quarterTurnLow);
  Lanes small = x.number(quarterTurn) - (x - fma(-x, core.tail, low));
  Lanes twice = s + s;
  Lanes positive = fma(twice, core.tail, twice);
  Lanes negative =
      x.number(2 * quarterTurn) -
      (twice + fma(twice, core.tail, x.number(-2 * quarterTurnLow)));
  Lanes large = (x < x.number(0)).select(negative, positive);
  return core.isSmall.select(small, large);
}

// The quotient of the smaller and the greater coordinate is in [0, 1]; its
// angle is added to or subtracted from 0, pi / 2 or pi.
Lanes atan2Double(const Lanes &y, const Lanes &x) {
  Lanes up = y.abs(), right = x.abs();
  Lanes isSteep = up > right, isLeft = hasSignBit(x);
  Lanes smaller = isSteep.select(right, up),
        greater = isSteep.select(up, right);
  // 0 / 0 takes the angle 0, infinity / infinity takes pi / 4.
  Lanes zero = x.number(0), one = x.number(1);
  Lanes ratio = smaller / greater;
  ratio = (smaller == x.number(infinity)).select(one, ratio);
  ratio = (greater == zero).select(zero, ratio);
  Lanes z = ratio * ratio;
  Lanes p = horner(
      z,
      {-0.33333333333333287,   0.19999999999990448,   -0.14285714285036688,
       0.11111111086449109,    -0.09090908547284869,  0.07692299712091054,
       -0.06666583725035376,   0.05881716164985352,   -0.052594338256941826,
       0.047449261973457814,   -0.04286390991489643,  0.038210062023544954,
       -0.032785419090293075,  0.026151645487601148,  -0.018614168636831137,
       0.011317619868909933,   -0.00561236481204391,  0.002151576161322335,
       -0.0005928889816828219, 0.0001038709581181629, -8.654111074274955e-06});
  Lanes angle = fma(ratio * z, p, ratio);
  auto base = [&](double quarter) {
    Lanes flat = isLeft.select(x.number(2 * quarter), zero);
    return isSteep.select(x.number(quarter), flat);
  };
  Lanes step = (isSteep ^ isLeft).select(-angle, angle);
  Lanes whole = (base(quarterTurn) + (step + base(quarterTurnLow))).copySign(y);
  return (y.isNan() | x.isNan()).select(x.number(nan), whole);
}

} // namespace tenon
