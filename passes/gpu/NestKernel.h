// Contractions on a device, one element of the result a thread.
#ifndef TENON_PASSES_GPU_NESTKERNEL_H
#define TENON_PASSES_GPU_NESTKERNEL_H

#include "passes/kernel/nest/ContractionNest.h"

namespace tenon {

/// Emits the kernel of the contraction whose result is `dot`, by its nests. The
/// result has the bits of a CPU's register tiles.
TaskCounter emitNests(Kernel &kernel, mlir::Value dot,
                      llvm::ArrayRef<ContractionNest> nests);

} // namespace tenon

#endif // TENON_PASSES_GPU_NESTKERNEL_H
