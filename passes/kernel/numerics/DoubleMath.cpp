// Chooses the expression of an f64 function, and the sums and products in two
// parts that the expressions share.
#include "passes/kernel/numerics/DoubleMath.h"

using namespace mlir;

namespace tenon {

TwoPart addExactly(const Lanes &a, const Lanes &b) {
  Lanes sum = a + b;
  Lanes part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

TwoPart addOrdered(const Lanes &a, const Lanes &b) {
  Lanes sum = a + b;
  return {sum, b - (sum - a)};
}

TwoPart multiplyExactly(const Lanes &a, const Lanes &b) {
  Lanes product = a * b;
  return {product, fma(a, b, -product)};
}

Type doubleType(const Lanes &x) {
  return Float64Type::get(x.type().getContext());
}

Type doubleBits(const Lanes &x) {
  return IntegerType::get(x.type().getContext(), 64);
}

Lanes hasSignBit(const Lanes &x) {
  Lanes raw = x.bitcast(doubleBits(x));
  return raw < raw.bits(0);
}

Lanes powerOfTwo(const Lanes &biased) {
  return (biased << 52).bitcast(doubleType(biased));
}

// Two factors, as 2^k may be no normal number.
Lanes scaleDouble(const Lanes &x, const Lanes &k) {
  Lanes biased = (k + k.number(0x1.8p52 + 2046)).bitcast(doubleBits(k));
  Lanes half = biased >> 1;
  return x * powerOfTwo(half) * powerOfTwo(biased - half);
}

Split splitDouble(const Lanes &x, uint64_t least) {
  constexpr uint64_t offset = 1024; // keeps the exponent positive
  Lanes isDenormal = x < x.number(0x1p-1022);
  Lanes raw = isDenormal.select(x * x.number(0x1p54), x).bitcast(doubleBits(x));
  Lanes fromLeast = raw + raw.bits((offset << 52) - least);
  Lanes exponent = fromLeast >> 52;
  Lanes mantissa =
      (fromLeast & raw.bits((uint64_t(1) << 52) - 1)) + raw.bits(least);
  // Converts an integer below 2^52 to f64: the integer becomes the mantissa
  // under the exponent of 2^52.
  Lanes k = (exponent | raw.bits(0x4330000000000000)).bitcast(doubleType(x)) -
            isDenormal.select(x.number(0x1p52 + offset + 54),
                              x.number(0x1p52 + offset));
  return {k, mantissa.bitcast(doubleType(x))};
}

Lanes doubleFunction(FloatFunction function, ArrayRef<Lanes> operands) {
  const Lanes &x = operands[0];
  switch (function) {
  case FloatFunction::Acos:
    return acosDouble(x);
  case FloatFunction::Acosh:
    return acoshDouble(x);
  case FloatFunction::Asin:
    return asinDouble(x);
  case FloatFunction::Asinh:
    return asinhDouble(x);
  case FloatFunction::Atan:
    return atan2Double(x, x.number(1));
  case FloatFunction::Atan2:
    return atan2Double(x, operands[1]);
  case FloatFunction::Atanh:
    return atanhDouble(x);
  case FloatFunction::Cbrt:
    return cbrtDouble(x);
  case FloatFunction::Cos:
  case FloatFunction::Sin:
  case FloatFunction::Tan:
    return circularDouble(function, x);
  case FloatFunction::Cosh:
    return coshDouble(x);
  case FloatFunction::Erf:
    return erfDouble(x);
  case FloatFunction::Exp:
  case FloatFunction::ExpFlushed:
    return expDouble(x);
  case FloatFunction::Expm1:
    return expm1Double(x);
  case FloatFunction::Log:
    return logDouble(x);
  case FloatFunction::Log1p:
    return log1pDouble(x);
  case FloatFunction::Logistic:
    return logisticDouble(x);
  case FloatFunction::Pow:
    return powDouble(x, operands[1]);
  case FloatFunction::Sinh:
    return sinhDouble(x);
  case FloatFunction::Tanh:
    return tanhDouble(x);
  }
  llvm_unreachable("every function has an expression");
}

} // namespace tenon
