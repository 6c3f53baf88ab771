// Products with a power of two that may be no f32 itself.
#ifndef TENON_PASSES_KERNEL_NUMERICS_POWERSCALING_H
#define TENON_PASSES_KERNEL_NUMERICS_POWERSCALING_H

#include "passes/kernel/numerics/Lanes.h"

#include "mlir/IR/PatternMatch.h"

namespace tenon {

/// Adding this number and a small whole `bias` to an f32 rounds it to a whole
/// number k and leaves k + bias in the low bits.
inline constexpr double wholeNumber = 0x1.8p23;
inline constexpr int scalingBias = 254;

/// x * 2^k with one rounding, where `shifted` is k + wholeNumber + scalingBias,
/// |x| is in [0.5, 2] or x is NaN, and -252 <= k <= 252.
Lanes scaleByPower(const Lanes &x, const Lanes &shifted);

/// 2^k from bits that hold k + 127, where 0 < k + 127 < 255.
Lanes nativePower(const Lanes &biased);

/// Adds a pattern that turns what `scaleByPower` emits for 64-byte vectors into
/// vscalefps (AVX512F).
void populateScaleByPowerPatterns(mlir::RewritePatternSet &patterns);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_NUMERICS_POWERSCALING_H
