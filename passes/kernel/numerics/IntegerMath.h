// Integer arithmetic of kernels for operations that trap or are undefined on
// machines. Input: integer lanes. Output: tenon's result for every pair of
// operands.
#ifndef TENON_PASSES_KERNEL_NUMERICS_INTEGERMATH_H
#define TENON_PASSES_KERNEL_NUMERICS_INTEGERMATH_H

#include "passes/kernel/numerics/Lanes.h"

namespace tenon {

/// x / y. x / 0 has all bits set; the least integer / -1 is the least integer.
Lanes divideInteger(const Lanes &x, const Lanes &y, bool isUnsigned);

/// x % y. x % 0 is x; the least integer % -1 is zero.
Lanes remainderInteger(const Lanes &x, const Lanes &y, bool isUnsigned);

/// x to the power y, by squaring, modular. A negative y gives 1 / x^-y by
/// divideInteger's rules.
Lanes powerInteger(const Lanes &x, const Lanes &y, bool isUnsigned);

enum class Shift { Left, RightLogical, RightArithmetic };

/// Shifts x by an unsigned amount. An amount of the width or more shifts out
/// all bits.
Lanes shiftInteger(const Lanes &x, const Lanes &amount, Shift shift);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_NUMERICS_INTEGERMATH_H
