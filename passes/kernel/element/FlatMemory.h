// Memory seen as one row, for kernels that compute places in it by themselves.
#ifndef TENON_PASSES_KERNEL_ELEMENT_FLATMEMORY_H
#define TENON_PASSES_KERNEL_ELEMENT_FLATMEMORY_H

#include "passes/kernel/Kernel.h"

namespace tenon {

/// `memref` as one row of all its elements.
mlir::Value flattened(Kernel &kernel, mlir::Value memref);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_ELEMENT_FLATMEMORY_H
