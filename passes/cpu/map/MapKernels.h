// Kernels that compute every element of their outputs by itself.
#ifndef TENON_PASSES_CPU_MAP_MAPKERNELS_H
#define TENON_PASSES_CPU_MAP_MAPKERNELS_H

#include "passes/kernel/Kernel.h"

namespace tenon {

/// Elementwise kernels, and any region that the other emitters do not cover:
/// each element of an output is computed from the region alone.
TaskCounter emitMap(Kernel &kernel);

/// Concatenations whose operands are copied in long runs. Null, with nothing
/// emitted, if the fusion is another one.
TaskCounter emitJoin(Kernel &kernel);

} // namespace tenon

#endif // TENON_PASSES_CPU_MAP_MAPKERNELS_H
