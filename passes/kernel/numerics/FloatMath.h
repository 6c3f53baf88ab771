// The transcendental functions of kernels. Comes in: f32 or f64 lanes. Goes
// out: the function's value within the bound that docs/numerics.md states, with
// the same bits for scalars, for vectors of any length and on every target:
// each function is one expression of exactly rounded operations, without
// branches (f32), or libm's, lane by lane (f64).
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

/// f(x), or f(x, y) for Atan2 (the angle of the point (y, x)) and Pow. For f64
/// a declaration of libm's function joins the module around the insertion
/// point, unless it is there: not for passes that run on functions in parallel.
Lanes emitFloatMath(FloatFunction function, llvm::ArrayRef<Lanes> operands);

/// The f32 functions that stay in f32, for speed (FloatNative.cpp).
Lanes expNative(const Lanes &x);
Lanes expm1Native(const Lanes &x);
Lanes logNative(const Lanes &x);
Lanes tanhNative(const Lanes &x);
Lanes erfNative(const Lanes &x);
Lanes logisticNative(const Lanes &x);

/// The f32 functions that are computed in f64 and rounded once
/// (FloatWide.cpp).
Lanes wideFunction(FloatFunction function, llvm::ArrayRef<Lanes> operands);

/// Sine, cosine or tangent of f32 lanes of any size, as f64 (FloatAngle.cpp).
Lanes wideCircular(FloatFunction function, const Lanes &x);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_NUMERICS_FLOATMATH_H
