// Kernels that compute at run time the positions they write to.
#ifndef TENON_PASSES_CPU_INDEX_INDEXKERNELS_H
#define TENON_PASSES_CPU_INDEX_INDEXKERNELS_H

#include "passes/kernel/Kernel.h"

namespace tenon {

TaskCounter emitScatter(Kernel &kernel);
TaskCounter emitNonzero(Kernel &kernel);
TaskCounter emitNonMaxSuppression(Kernel &kernel);

} // namespace tenon

#endif // TENON_PASSES_CPU_INDEX_INDEXKERNELS_H
