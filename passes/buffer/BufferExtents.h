// Where the extents of buffers come from: allocations, views, and what loops
// and branches pass on.
#ifndef TENON_PASSES_BUFFER_BUFFEREXTENTS_H
#define TENON_PASSES_BUFFER_BUFFEREXTENTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OpDefinition.h"

namespace tenon {

/// One extent of a memref: a number, or a value that is there wherever the
/// memref is; at worst a new `memref.dim` behind the memref itself.
mlir::OpFoldResult extentOf(mlir::Value memref, int64_t dim);

/// Replaces each `memref.dim` by the extent its memref was made with, so that
/// no size hangs on a buffer that only the run fills.
void resolveExtents(mlir::func::FuncOp func);

} // namespace tenon

#endif // TENON_PASSES_BUFFER_BUFFEREXTENTS_H
