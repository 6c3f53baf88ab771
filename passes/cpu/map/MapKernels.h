// Kernels that compute every element of their outputs by itself.
#ifndef TENON_PASSES_CPU_MAP_MAPKERNELS_H
#define TENON_PASSES_CPU_MAP_MAPKERNELS_H

#include "passes/kernel/Kernel.h"

namespace tenon {

/// Emits elementwise kernels, and any region that no other emitter covers.
TaskCounter emitMap(Kernel &kernel);

/// Emits a concatenation whose operands are copied in long runs. Null, with
/// nothing emitted, for other fusions.
TaskCounter emitJoin(Kernel &kernel);

/// Emits an elementwise kernel that reads its operands along another dimension
/// than it writes. Null, with nothing emitted, for other fusions.
TaskCounter emitTurnedMap(Kernel &kernel);

} // namespace tenon

#endif // TENON_PASSES_CPU_MAP_MAPKERNELS_H
