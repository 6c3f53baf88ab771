// f16 by integers, for processors that do not convert it: LLVM would call a
// library there, for each element.
#ifndef TENON_PASSES_KERNEL_NUMERICS_HALFEXPANSION_H
#define TENON_PASSES_KERNEL_NUMERICS_HALFEXPANSION_H

#include "mlir/IR/PatternMatch.h"

namespace tenon {

/// Patterns that turn conversions from f16, and from f32 and integers to it,
/// into integer and f32 operations with the same results; NaN stays NaN.
void populateExpandHalfPatterns(mlir::RewritePatternSet &patterns);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_NUMERICS_HALFEXPANSION_H
