// Chooses how a transcendental function is computed: f64 lanes in f64, f32
// lanes in f32 where models spend most time, else in f64 with one rounding.
#include "passes/kernel/numerics/FloatMath.h"

using namespace mlir;

namespace tenon {

Lanes emitFloatMath(FloatFunction function, ArrayRef<Lanes> operands) {
  const Lanes &x = operands[0];
  if (x.element().isF64())
    return doubleFunction(function, operands);
  switch (function) {
  case FloatFunction::Exp:
    return expNative(x);
  case FloatFunction::ExpFlushed:
    return expFlushedNative(x);
  case FloatFunction::Expm1:
    return expm1Native(x);
  case FloatFunction::Log:
    return logNative(x);
  case FloatFunction::Tanh:
    return tanhNative(x);
  case FloatFunction::Erf:
    return erfNative(x);
  case FloatFunction::Logistic:
    return logisticNative(x);
  default:
    return wideFunction(function, operands);
  }
}

} // namespace tenon
