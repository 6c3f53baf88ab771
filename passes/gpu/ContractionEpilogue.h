// The end of an element of a contraction on a device, whatever computed its
// sum.
#ifndef TENON_PASSES_GPU_CONTRACTIONEPILOGUE_H
#define TENON_PASSES_GPU_CONTRACTIONEPILOGUE_H

#include "passes/kernel/Kernel.h"
#include "passes/kernel/nest/NestTask.h"

namespace tenon {

/// Computes the epilogue of one element of the contraction `dot` from `sum`,
/// its sum of products, and stores the result. `place` has the element's
/// indices in the result.
void storeContractionElement(Kernel &kernel, mlir::Value dot,
                             const ContractionNest &nest,
                             llvm::ArrayRef<mlir::Value> place,
                             mlir::Value sum);

} // namespace tenon

#endif // TENON_PASSES_GPU_CONTRACTIONEPILOGUE_H
