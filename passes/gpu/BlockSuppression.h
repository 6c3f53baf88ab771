// Non-max suppression by blocks of threads: a kernel of several blocks selects
// the boxes of each batch and class, and one of a single block joins them.
#ifndef TENON_PASSES_GPU_BLOCKSUPPRESSION_H
#define TENON_PASSES_GPU_BLOCKSUPPRESSION_H

#include "passes/kernel/Kernel.h"

namespace tenon {

/// Emits the first kernel.
TaskCounter emitBlockSuppression(Kernel &kernel);

/// Emits the second kernel.
TaskCounter emitJoinedSuppression(Kernel &kernel);

} // namespace tenon

#endif // TENON_PASSES_GPU_BLOCKSUPPRESSION_H
