// The f64 functions. Input: f64 lanes. Output: the value within the bound of
// docs/numerics.md, as one expression of exactly rounded operations. Values
// that need more than 53 bits are unevaluated sums of two f64. Private to this
// folder.
#ifndef TENON_PASSES_KERNEL_NUMERICS_DOUBLEMATH_H
#define TENON_PASSES_KERNEL_NUMERICS_DOUBLEMATH_H

#include "passes/kernel/numerics/FloatMath.h"

namespace tenon {

inline constexpr double log2OfE = 0x1.71547652b82fep+0;
/// ln 2 as a sum. An integer below 2^17 times the first part is exact.
inline constexpr double lnTwoHigh = 0x1.62e42fefap-1;
inline constexpr double lnTwoLow = 0x1.cf79abc9e3b3ap-40;
/// pi / 2 as a sum.
inline constexpr double quarterTurn = 0x1.921fb54442d18p+0;
inline constexpr double quarterTurnLow = 0x1.1a62633145c07p-54;

/// The number high + low, where low is at most about half a unit in the last
/// place of high.
struct TwoPart {
  Lanes high, low;
};

/// a + b without error (Knuth's two-sum).
TwoPart addExactly(const Lanes &a, const Lanes &b);
/// a + b without error if |a| >= |b| or a is zero (Dekker's fast two-sum).
TwoPart addOrdered(const Lanes &a, const Lanes &b);
/// a * b without error, unless the product underflows.
TwoPart multiplyExactly(const Lanes &a, const Lanes &b);

/// The f64 type, and the integer type of f64's bits.
mlir::Type doubleType(const Lanes &x);
mlir::Type doubleBits(const Lanes &x);

/// True where the sign bit is set, also for -0.
Lanes hasSignBit(const Lanes &x);

/// 2^k from bits whose low bits hold k + 1023, where 0 < k + 1023 < 2047.
Lanes powerOfTwo(const Lanes &biased);
/// x 2^k, rounded at most once, for a whole k from -1100 to 1100 and an x that
/// is not far from 1.
Lanes scaleDouble(const Lanes &x, const Lanes &k);

/// A positive x = 2^k m, where k and m are f64 and `least` <= m < 2 `least`.
/// `least` is given by its bits. For zero, infinity and NaN, k and m are
/// finite.
struct Split {
  Lanes k, m;
};
Split splitDouble(const Lanes &x, uint64_t least);
inline constexpr uint64_t bitsOfOne = 0x3ff0000000000000;

/// e^x for |x.low| <= 1.
Lanes expDouble(const TwoPart &x);
Lanes expDouble(const Lanes &x);
Lanes expm1Double(const Lanes &x);
Lanes sinhDouble(const Lanes &x);
Lanes coshDouble(const Lanes &x);
Lanes tanhDouble(const Lanes &x);
Lanes logisticDouble(const Lanes &x);
Lanes erfDouble(const Lanes &x);

Lanes logDouble(const Lanes &x);
Lanes log1pDouble(const Lanes &x);
Lanes asinhDouble(const Lanes &x);
Lanes acoshDouble(const Lanes &x);
Lanes atanhDouble(const Lanes &x);
Lanes powDouble(const Lanes &x, const Lanes &y);
Lanes cbrtDouble(const Lanes &x);

/// Sine, cosine or tangent.
Lanes circularDouble(FloatFunction function, const Lanes &x);
Lanes asinDouble(const Lanes &x);
Lanes acosDouble(const Lanes &x);
/// The angle of the point (x, y).
Lanes atan2Double(const Lanes &y, const Lanes &x);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_NUMERICS_DOUBLEMATH_H
