// Weights and states as views of their blobs, once these are laid out.
#ifndef TENON_PASSES_BUFFER_BLOBVIEWS_H
#define TENON_PASSES_BUFFER_BLOBVIEWS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon {

/// Replaces the weights of `func` by views of `blob`.
void viewWeights(mlir::func::FuncOp func, mlir::Value blob);

/// Replaces the memory of states by views of `blob`. The offset of a state with
/// context extents is read from the context. Returns true if there was a state.
bool viewStates(mlir::func::FuncOp func, mlir::Value blob);

} // namespace tenon

#endif // TENON_PASSES_BUFFER_BLOBVIEWS_H
