// The indices of nonzero elements, found by one block of threads.
#ifndef TENON_PASSES_GPU_BLOCKNONZERO_H
#define TENON_PASSES_GPU_BLOCKNONZERO_H

#include "passes/kernel/Kernel.h"

namespace tenon {

/// Emits nonzero with the plan `#tenon.block`.
TaskCounter emitBlockNonzero(Kernel &kernel);

} // namespace tenon

#endif // TENON_PASSES_GPU_BLOCKNONZERO_H
