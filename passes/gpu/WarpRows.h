// Rows on a device, each by neighbouring threads of a warp.
#ifndef TENON_PASSES_GPU_WARPROWS_H
#define TENON_PASSES_GPU_WARPROWS_H

#include "dialects/tenon/KernelPlan.h"
#include "passes/kernel/Kernel.h"

namespace tenon {

/// The plan of a kernel of rows; null if an element cannot be computed beside
/// others of its row.
WarpRowsPlanAttr planWarpRows(Kernel &kernel);

/// Emits the kernel of rows. A task is the rows of a block of threads.
TaskCounter emitWarpRows(Kernel &kernel, WarpRowsPlanAttr plan);

/// Threads of a block with this plan.
inline constexpr int64_t warpRowsThreads = 128;

} // namespace tenon

#endif // TENON_PASSES_GPU_WARPROWS_H
