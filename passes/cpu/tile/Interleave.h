// Puts other arithmetic between the products of a tile.
#ifndef TENON_PASSES_CPU_TILE_INTERLEAVE_H
#define TENON_PASSES_CPU_TILE_INTERLEAVE_H

#include "mlir/IR/Block.h"

namespace tenon {

/// Divides the ops of `block` up to `last` evenly among the multiply-adds that
/// follow `last`, in their order, and holds them there: LLVM cannot compute one
/// of their multiply-adds or differences before the products in front of it.
/// Does nothing if they have none. No op after `last` may use their results.
void interleave(mlir::Block &block, mlir::Operation *last);

} // namespace tenon

#endif // TENON_PASSES_CPU_TILE_INTERLEAVE_H
