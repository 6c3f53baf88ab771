// Contractions of few rows on a device, as in decode.
#ifndef TENON_PASSES_GPU_FEWROWS_H
#define TENON_PASSES_GPU_FEWROWS_H

#include "dialects/tenon/KernelPlan.h"
#include "passes/kernel/nest/ContractionNest.h"

namespace tenon {

/// The plan of a product of at most `rows` rows, or of any number of them; null
/// if its sum has several dimensions or an extent that is not known, or four
/// columns are no neighbours in memory.
FewRowsPlanAttr planFewRows(Kernel &kernel, const ContractionNest &nest,
                            int64_t rows);

/// Threads of a block with this plan.
int64_t fewRowsThreads(FewRowsPlanAttr plan);

/// Emits the kernel of the contraction whose result is `dot`. A task is a block
/// of rows and columns, which all threads of a block compute together.
TaskCounter emitFewRows(Kernel &kernel, mlir::Value dot,
                        const ContractionNest &nest, FewRowsPlanAttr plan);

} // namespace tenon

#endif // TENON_PASSES_GPU_FEWROWS_H
