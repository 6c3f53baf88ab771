// Arithmetic on arrays of elements with the bits of the kernels: bytes of a
// tenon_dtype come in, bytes of one go out. It follows passes/cpu
// (ElementwiseEmitter, Conversions, IntegerMath) rule by rule.
#ifndef TENON_COMPILER_ARITHMETIC_ELEMENTARITHMETIC_H
#define TENON_COMPILER_ARITHMETIC_ELEMENTARITHMETIC_H

#include <cstdint>

namespace tenon {

enum class ElementOp {
  Add,
  Subtract,
  Multiply,
  Divide,
  Maximum,
  Minimum,
  Negate,
  Sqrt,
  Rsqrt
};

/// result[i] = op(a[i], b[i]); `b` is not read by ops of one operand.
/// Bools have no ops, and roots are for floats.
void computeElements(ElementOp op, int32_t dtype, int64_t count, const char *a,
                     const char *b, char *result);

/// Converts between any two types; to integers it saturates, NaN becomes zero.
void convertElements(int32_t from, int32_t to, int64_t count, const char *in,
                     char *out);

/// Half floats by their bits, rounded to nearest even.
float halfToFloat(uint16_t bits);
uint16_t floatToHalf(float value);
float bfloatToFloat(uint16_t bits);
uint16_t floatToBfloat(float value);

} // namespace tenon

#endif // TENON_COMPILER_ARITHMETIC_ELEMENTARITHMETIC_H
