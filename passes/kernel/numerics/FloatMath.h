// The transcendental functions of kernels. Input: f32 or f64 lanes. Output: the
// function's value within the bound of docs/numerics.md, with the same bits for
// scalars, for vectors of any length and on every target. A function is one
// expression of exactly rounded operations.
#ifndef TENON_PASSES_KERNEL_NUMERICS_FLOATMATH_H
#define TENON_PASSES_KERNEL_NUMERICS_FLOATMATH_H

#include "passes/kernel/numerics/Lanes.h"

namespace tenon {

enum class FloatFunction {
  Acos,
  Acosh,
  Asin,
  Asinh,
  Atan,
  Atan2,
  Atanh,
  Cbrt,
  Cos,
  Cosh,
  Erf,
  Exp,
  ExpFlushed,
  Expm1,
  Log,
  Log1p,
  Logistic,
  Pow,
  Sin,
  Sinh,
  Tan,
  Tanh,
};

/// f(x), or f(x, y) for Atan2 (the angle of the point (y, x)) and Pow.
Lanes emitFloatMath(FloatFunction function, llvm::ArrayRef<Lanes> operands);

/// x minus the truncated quotient times y, exactly, with the sign of x. Emits
/// an `scf.for` whose steps depend on the greatest difference of exponents
/// (FloatRemainder.cpp).
Lanes remainderFloat(const Lanes &x, const Lanes &y);

/// The f32 functions that are computed in f32, for speed (FloatNative.cpp).
Lanes expNative(const Lanes &x);
/// e^x for x of at most 0 or NaN. Results below 2^-125.5 are zero.
Lanes expFlushedNative(const Lanes &x);
Lanes expm1Native(const Lanes &x);
Lanes logNative(const Lanes &x);
Lanes tanhNative(const Lanes &x);
Lanes erfNative(const Lanes &x);
Lanes logisticNative(const Lanes &x);

/// The f32 functions that are computed in f64 and rounded once
/// (FloatWide.cpp).
Lanes wideFunction(FloatFunction function, llvm::ArrayRef<Lanes> operands);

/// Sine, cosine or tangent of any f32 lanes, as f64 (FloatAngle.cpp).
Lanes wideCircular(FloatFunction function, const Lanes &x);

/// The f64 functions (DoubleMath.cpp).
Lanes doubleFunction(FloatFunction function, llvm::ArrayRef<Lanes> operands);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_NUMERICS_FLOATMATH_H
