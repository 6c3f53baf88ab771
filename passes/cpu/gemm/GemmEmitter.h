// The loops of contractions around their register tiles: tasks, panels of
// columns, tiles of rows, epilogues.
#ifndef TENON_PASSES_CPU_GEMM_GEMMEMITTER_H
#define TENON_PASSES_CPU_GEMM_GEMMEMITTER_H

#include "dialects/tenon/KernelPlan.h"
#include "passes/kernel/nest/ContractionNest.h"

namespace tenon {

/// Emits the kernel's contraction, whose result is `dot`, with one plan for
/// each nest. Each nest computes a part of the result's elements; the tasks of
/// one nest follow the tasks of the nest before it.
TaskCounter emitGemm(Kernel &kernel, mlir::Value dot,
                     llvm::ArrayRef<ContractionNest> nests,
                     llvm::ArrayRef<TilePlanAttr> plans);

} // namespace tenon

#endif // TENON_PASSES_CPU_GEMM_GEMMEMITTER_H
