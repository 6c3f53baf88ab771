// Vectors of elements that a thread loads and stores at once, where they are
// aligned.
#ifndef TENON_PASSES_GPU_ALIGNEDVECTORS_H
#define TENON_PASSES_GPU_ALIGNEDVECTORS_H

#include "passes/kernel/Kernel.h"

namespace tenon {

/// True if all vector accesses in `region` are of 16 bytes at most, to memory
/// that is not made there, at places that are whole vectors of it.
bool hasWholeVectors(mlir::Region &region);

/// Emits `wide` for the case that vectors in memory are aligned and that all
/// `extents` are multiples of `lanes`, and `narrow` for every other case. Emits
/// `narrow` alone if an extent never is, or `wide` accesses parts of vectors.
void ifAligned(Kernel &kernel, mlir::ValueRange extents, int64_t lanes,
               llvm::function_ref<void()> wide,
               llvm::function_ref<void()> narrow);

} // namespace tenon

#endif // TENON_PASSES_GPU_ALIGNEDVECTORS_H
