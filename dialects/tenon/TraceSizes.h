// Rewrites result extents in terms of argument extents.
#ifndef TENON_DIALECTS_TENON_TRACESIZES_H
#define TENON_DIALECTS_TENON_TRACESIZES_H

#include "mlir/IR/Operation.h"

namespace tenon {

/// Rewrites every `tensor.dim` of a computed value under `root` as index
/// arithmetic on the extents of arguments, using the ops' reified shapes.
/// Otherwise such a `tensor.dim` would count as a use of a tensor that passes
/// want to move.
llvm::LogicalResult traceSizes(mlir::Operation *root);

} // namespace tenon

#endif // TENON_DIALECTS_TENON_TRACESIZES_H
