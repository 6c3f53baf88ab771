// The function that a fusion becomes, before it has a body.
#ifndef TENON_PASSES_KERNEL_KERNELFUNCTION_H
#define TENON_PASSES_KERNEL_KERNELFUNCTION_H

#include "passes/kernel/Kernel.h"

namespace tenon {

/// The type of the kernel of `fusion`: (call, inputs..., outputs..., begin,
/// end).
mlir::FunctionType kernelType(FusionOp fusion);

/// The kernel of `fusion` in `func`, which gets an entry block, with the
/// builder in it.
Kernel startKernel(FusionOp fusion, mlir::func::FuncOp func);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_KERNELFUNCTION_H
