// Kernels that compute at run time the positions they write to.
#ifndef TENON_PASSES_KERNEL_INDEX_INDEXKERNELS_H
#define TENON_PASSES_KERNEL_INDEX_INDEXKERNELS_H

#include "dialects/tenon/KernelPlan.h"
#include "passes/kernel/Kernel.h"

namespace tenon {

TaskCounter emitScatter(Kernel &kernel);
/// The plan of a kernel that updates a part of its operand in place; null for
/// other kernels.
mlir::Attribute planUpdate(FusionOp fusion);
/// The tasks divide the sizes of the update, not those of the output.
TaskCounter emitUpdate(Kernel &kernel, UpdatePlanAttr plan);
TaskCounter emitNonzero(Kernel &kernel);
TaskCounter emitNonMaxSuppression(Kernel &kernel);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_INDEX_INDEXKERNELS_H
