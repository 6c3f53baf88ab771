// Contractions on a device, one tile of the result a block of threads.
#ifndef TENON_PASSES_GPU_BLOCKTILE_H
#define TENON_PASSES_GPU_BLOCKTILE_H

#include "dialects/tenon/KernelPlan.h"
#include "passes/kernel/nest/ContractionNest.h"

namespace tenon {

/// The plan of a contraction with one nest; null if it is no f32 sum or its
/// result is smaller than a tile.
BlockTilePlanAttr planBlockTile(Kernel &kernel, const ContractionNest &nest);

/// Emits the kernel of the contraction whose result is `dot`. A task is a tile,
/// which all threads of a block compute together.
TaskCounter emitBlockTile(Kernel &kernel, mlir::Value dot,
                          const ContractionNest &nest, BlockTilePlanAttr plan);

} // namespace tenon

#endif // TENON_PASSES_GPU_BLOCKTILE_H
