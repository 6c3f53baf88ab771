// Rounding to whole numbers for processors without the instruction. LLVM would
// call a library function there for each element.
#ifndef TENON_PASSES_KERNEL_NUMERICS_ROUNDEXPANSION_H
#define TENON_PASSES_KERNEL_NUMERICS_ROUNDEXPANSION_H

#include "mlir/IR/PatternMatch.h"

namespace tenon {

/// Adds patterns that turn `math.ceil`, `math.floor`, `math.roundeven` and
/// `math.trunc` of f32 and f64 into additions and comparisons with the same
/// bits. NaN stays NaN.
void populateExpandRoundPatterns(mlir::RewritePatternSet &patterns);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_NUMERICS_ROUNDEXPANSION_H
