// Extents of results in terms of extents of arguments.
#ifndef TENON_DIALECTS_TENON_TRACESIZES_H
#define TENON_DIALECTS_TENON_TRACESIZES_H

#include "mlir/IR/Operation.h"

namespace tenon {

/// Rewrites every `tensor.dim` of a computed value within `root` as index
/// arithmetic on extents of arguments, as the ops reify their shapes. Such a
/// `tensor.dim` would else count as a use of what passes want to move.
llvm::LogicalResult traceSizes(mlir::Operation *root);

} // namespace tenon

#endif // TENON_DIALECTS_TENON_TRACESIZES_H
