// Loops of contractions around their register tiles: tasks, panels of columns,
// tiles of rows, epilogues.
#ifndef TENON_PASSES_CPU_GEMM_GEMMEMITTER_H
#define TENON_PASSES_CPU_GEMM_GEMMEMITTER_H

#include "dialects/tenon/KernelPlan.h"
#include "passes/kernel/nest/ContractionNest.h"

namespace tenon {

/// Emits the kernel's contraction, whose result is `dot`, as `nests` and their
/// plans say: each nest computes some of its elements, and the tasks of one
/// follow those of another.
TaskCounter emitGemm(Kernel &kernel, mlir::Value dot,
                     llvm::ArrayRef<ContractionNest> nests,
                     llvm::ArrayRef<TilePlanAttr> plans);

} // namespace tenon

#endif // TENON_PASSES_CPU_GEMM_GEMMEMITTER_H
