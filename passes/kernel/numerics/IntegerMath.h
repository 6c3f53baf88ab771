// Integer arithmetic of kernels where the machine's own would trap or is
// undefined. Comes in: integer lanes. Goes out: tenon's result for every pair.
#ifndef TENON_PASSES_KERNEL_NUMERICS_INTEGERMATH_H
#define TENON_PASSES_KERNEL_NUMERICS_INTEGERMATH_H

#include "passes/kernel/numerics/Lanes.h"

namespace tenon {

/// x / 0 has all bits set; the least integer over -1 is itself.
Lanes divideInteger(const Lanes &x, const Lanes &y, bool isUnsigned);

/// x % 0 is x; the least integer % -1 is zero.
Lanes remainderInteger(const Lanes &x, const Lanes &y, bool isUnsigned);

/// By squaring, modular; for a negative exponent 1 / x, divided as above.
Lanes powerInteger(const Lanes &x, const Lanes &y, bool isUnsigned);

enum class Shift { Left, RightLogical, RightArithmetic };

/// The amount is unsigned; at the width and beyond all bits are shifted out.
Lanes shiftInteger(const Lanes &x, const Lanes &amount, Shift shift);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_NUMERICS_INTEGERMATH_H
