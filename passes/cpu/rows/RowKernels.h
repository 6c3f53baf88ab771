// Kernels that process rows: all elements along one dimension.
#ifndef TENON_PASSES_CPU_ROWS_ROWKERNELS_H
#define TENON_PASSES_CPU_ROWS_ROWKERNELS_H

#include "passes/kernel/Kernel.h"

namespace tenon {

/// Emits reductions along the last dimension, with the elementwise ops before
/// and after them.
TaskCounter emitRows(Kernel &kernel);

/// Emits cumulative sums and other scans along one dimension.
TaskCounter emitScan(Kernel &kernel);

/// Emits a sort along one dimension.
TaskCounter emitSort(Kernel &kernel);

/// Emits the first elements in order along one dimension.
TaskCounter emitTopK(Kernel &kernel);

} // namespace tenon

#endif // TENON_PASSES_CPU_ROWS_ROWKERNELS_H
