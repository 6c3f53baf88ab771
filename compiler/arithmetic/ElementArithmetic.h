// Arithmetic on arrays of elements with the same bits as the kernels. Input and
// output are the bytes of elements of a tenon_dtype. Each rule follows
// passes/kernel/numerics (ElementwiseEmitter, Conversions, IntegerMath).
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
  Rsqrt,
  RoundNearestEven
};

/// result[i] = op(a[i], b[i]). Ops with one operand do not read `b`. Bools are
/// not supported; roots and rounding need floats.
void computeElements(ElementOp op, int32_t dtype, int64_t count, const char *a,
                     const char *b, char *result);

/// Converts between any two types. A conversion to integers saturates; NaN
/// becomes zero.
void convertElements(int32_t from, int32_t to, int64_t count, const char *in,
                     char *out);

/// Conversions between f32 and the bits of half floats, rounded to nearest
/// even.
float halfToFloat(uint16_t bits);
uint16_t floatToHalf(float value);
float bfloatToFloat(uint16_t bits);
uint16_t floatToBfloat(float value);

} // namespace tenon

#endif // TENON_COMPILER_ARITHMETIC_ELEMENTARITHMETIC_H
