// Kernels of a device whose threads compute one element each.
#ifndef TENON_PASSES_GPU_ELEMENTKERNEL_H
#define TENON_PASSES_GPU_ELEMENTKERNEL_H

#include "passes/kernel/Kernel.h"

namespace tenon {

/// Emits a kernel whose task is one element of `value`, which it writes to the
/// output: for maps, windows and contractions of any form.
TaskCounter emitElements(Kernel &kernel, mlir::Value value);

} // namespace tenon

#endif // TENON_PASSES_GPU_ELEMENTKERNEL_H
