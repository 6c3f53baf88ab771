// Fused multiply-add for processors without the instruction. LLVM would
// call a library function there for each element.
#ifndef TENON_PASSES_KERNEL_NUMERICS_FMAEXPANSION_H
#define TENON_PASSES_KERNEL_NUMERICS_FMAEXPANSION_H

#include "mlir/IR/PatternMatch.h"

namespace tenon {

/// Adds patterns that turn `math.fma` of f32 and f64 into f64 operations with
/// the same bits. NaN stays NaN.
void populateExpandFmaPatterns(mlir::RewritePatternSet &patterns);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_NUMERICS_FMAEXPANSION_H
