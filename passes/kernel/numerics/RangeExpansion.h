// Maxima and minima of whole AVX-512 vectors. LLVM orders zeros and NaN by six
// instructions; vrangeps orders zeros itself.
#ifndef TENON_PASSES_KERNEL_NUMERICS_RANGEEXPANSION_H
#define TENON_PASSES_KERNEL_NUMERICS_RANGEEXPANSION_H

#include "mlir/IR/PatternMatch.h"

namespace tenon {

/// Adds patterns that turn `arith.maximumf` and `arith.minimumf` of 64-byte
/// vectors into vrangeps or vrangepd (AVX512DQ). Where an operand is NaN the
/// result is the sum of both, which is NaN.
void populateExpandRangePatterns(mlir::RewritePatternSet &patterns);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_NUMERICS_RANGEEXPANSION_H
