// Views of memory as one row, for kernels that compute linear offsets
// themselves.
#ifndef TENON_PASSES_KERNEL_ELEMENT_FLATMEMORY_H
#define TENON_PASSES_KERNEL_ELEMENT_FLATMEMORY_H

#include "passes/kernel/Kernel.h"

namespace tenon {

/// A view of the contiguous `memref` of rank 1 that has all its elements.
mlir::Value flattened(Kernel &kernel, mlir::Value memref);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_ELEMENT_FLATMEMORY_H
