// Prefixes of integers by blocks of threads, one row a block.
#ifndef TENON_PASSES_GPU_BLOCKSCAN_H
#define TENON_PASSES_GPU_BLOCKSCAN_H

#include "dialects/tenon/KernelPlan.h"
#include "passes/kernel/Kernel.h"

namespace tenon {

/// The plan of a scan whose results do not depend on the order of its
/// operations: of integers. Null for others, and if there are many rows or the
/// rows are short.
BlockPlanAttr planBlockScan(FusionOp fusion);

/// Emits a scan with the plan `#tenon.block`.
TaskCounter emitBlockScan(Kernel &kernel);

} // namespace tenon

#endif // TENON_PASSES_GPU_BLOCKSCAN_H
