// Kernels of a device whose threads compute one element each.
#ifndef TENON_PASSES_GPU_ELEMENTKERNEL_H
#define TENON_PASSES_GPU_ELEMENTKERNEL_H

#include "passes/kernel/Kernel.h"

namespace tenon {

/// Emits a kernel of one output whose task is one element of it: maps, windows
/// and contractions of any form.
TaskCounter emitElements(Kernel &kernel);

} // namespace tenon

#endif // TENON_PASSES_GPU_ELEMENTKERNEL_H
