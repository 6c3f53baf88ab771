// Attention on a device, some rows of one head a block of threads.
#ifndef TENON_PASSES_GPU_BLOCKATTENTION_H
#define TENON_PASSES_GPU_BLOCKATTENTION_H

#include "dialects/tenon/KernelPlan.h"
#include "passes/kernel/Kernel.h"

namespace tenon {

/// The plan of the kernel's attention; null if an operand is computed in the
/// kernel, a depth is known only at run time, or keys and values are joined.
BlockAttentionPlanAttr planBlockAttention(Kernel &kernel);
/// The plan of rows whose greater depth is `depth`. `rows` share a head of the
/// keys; nullopt if their number is known only at run time.
BlockAttentionPlanAttr planBlockAttention(mlir::MLIRContext *context,
                                          std::optional<int64_t> rows,
                                          int64_t depth);

/// Threads of a block with this plan.
int64_t attentionThreads(BlockAttentionPlanAttr plan);

/// Emits the kernel. A task is a tile of rows, which all threads of a block
/// compute together.
TaskCounter emitBlockAttention(Kernel &kernel, BlockAttentionPlanAttr plan);

} // namespace tenon

#endif // TENON_PASSES_GPU_BLOCKATTENTION_H
