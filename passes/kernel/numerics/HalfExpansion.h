// Conversions of f16 by integer operations, for processors without the
// instruction. LLVM would call a library function there for each element.
#ifndef TENON_PASSES_KERNEL_NUMERICS_HALFEXPANSION_H
#define TENON_PASSES_KERNEL_NUMERICS_HALFEXPANSION_H

#include "mlir/IR/PatternMatch.h"

namespace tenon {

/// Adds patterns that turn conversions between f16 and f32 or integers into
/// integer and f32 operations with the same results. NaN stays NaN.
void populateExpandHalfPatterns(mlir::RewritePatternSet &patterns);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_NUMERICS_HALFEXPANSION_H
