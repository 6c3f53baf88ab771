// What each op means for the kernels that fusion forms: its role in one, and
// its cost there.
#ifndef TENON_PASSES_FUSE_FUSIONROLES_H
#define TENON_PASSES_FUSE_FUSIONROLES_H

#include "mlir/IR/Operation.h"

namespace tenon {

enum class FusionRole {
  Outside, ///< constants, weights, states, views, sizes, control flow
  Map,     ///< one element from few elements: cheap to compute at each use
  Reduce,  ///< a reduction over trailing dimensions
  Contraction,
  Whole, ///< has a kernel of its own
};

FusionRole roleOf(mlir::Operation *op);

bool isSplat(mlir::Operation *op);

/// True for the ops that describe a weight's stored form. Kernels read the
/// stored form directly.
bool isStoredWeight(mlir::Operation *op);

/// True for the transpose that makes the few channels of an image contiguous
/// for a convolution. The convolution can read the channels from their planes
/// too, because a pixel is smaller than a cache line.
bool isImage(mlir::Operation *op);

/// True if the op costs so little that every user may have a copy.
bool isFree(mlir::Operation *op);

/// True if the op costs more than a few cycles per element: do not repeat it.
bool isExpensive(mlir::Operation *op);

/// The cost that an op adds to its kernel, roughly in simple instructions.
int64_t costOf(mlir::Operation *op);

/// The largest cost of a kernel: emitters recurse over its ops, and LLVM's
/// compile time grows faster than linearly. Layers of real models stay far
/// below.
constexpr int64_t maxGroupCost = 512;

} // namespace tenon

#endif // TENON_PASSES_FUSE_FUSIONROLES_H
