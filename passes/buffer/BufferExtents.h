// Finds the origin of buffer extents through allocations, views, loops and
// branches.
#ifndef TENON_PASSES_BUFFER_BUFFEREXTENTS_H
#define TENON_PASSES_BUFFER_BUFFEREXTENTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OpDefinition.h"

namespace tenon {

/// One extent of a memref: a constant, or a value that dominates the uses of
/// the memref. The fallback is a new `memref.dim` after the memref's op.
mlir::OpFoldResult extentOf(mlir::Value memref, int64_t dim);

/// Replaces each `memref.dim` by the extent its memref was made with, so that
/// no size depends on a buffer that is filled only at run time.
void resolveExtents(mlir::func::FuncOp func);

} // namespace tenon

#endif // TENON_PASSES_BUFFER_BUFFEREXTENTS_H
