// Sorts and top-k by blocks of threads, one row a block.
#ifndef TENON_PASSES_GPU_BLOCKSORT_H
#define TENON_PASSES_GPU_BLOCKSORT_H

#include "dialects/tenon/KernelPlan.h"
#include "passes/kernel/Kernel.h"

namespace tenon {

/// The plan of a sort or a top-k; null if its rows are known to be short.
BlockPlanAttr planBlockSort(FusionOp fusion);

/// Emits a sort or a top-k with the plan `#tenon.block`.
TaskCounter emitBlockSort(Kernel &kernel);

} // namespace tenon

#endif // TENON_PASSES_GPU_BLOCKSORT_H
