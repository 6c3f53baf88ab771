// Rows on a device, each by neighbouring threads of a warp.
#ifndef TENON_PASSES_GPU_WARPROWS_H
#define TENON_PASSES_GPU_WARPROWS_H

#include "dialects/tenon/KernelPlan.h"
#include "passes/kernel/Kernel.h"

namespace tenon {

/// The plan of a kernel of rows; null if an element cannot be computed beside
/// others of its row.
WarpRowsPlanAttr planWarpRows(Kernel &kernel);

/// The elements of a sector of memory, of the narrowest operand or result that
/// has whole rows.
int64_t sectorElementsOfRows(FusionOp fusion, int64_t rowRank);

/// The greatest distance, in elements, from the begin of a sector to that of a
/// row in it, if the first row begins with a sector.
int64_t mostShiftOfRows(FusionOp fusion, int64_t rowRank);

/// Emits the kernel of rows. A task is the rows of a block of threads.
TaskCounter emitWarpRows(Kernel &kernel, WarpRowsPlanAttr plan);

/// Threads of a block with this plan.
inline constexpr int64_t warpRowsThreads = 128;

} // namespace tenon

#endif // TENON_PASSES_GPU_WARPROWS_H
