// What a fusion is worth: operations and bytes, whatever kernel is made of it.
#ifndef TENON_PASSES_KERNEL_KERNELWORK_H
#define TENON_PASSES_KERNEL_KERNELWORK_H

#include "passes/kernel/Kernel.h"

namespace tenon {

/// Index values at a place outside the fusion, constants where its extents are.
struct KernelWork {
  mlir::Value flops; ///< two for a multiplication and its sum, one for a simple
                     ///< op on an element, transcendentalFlops for others
  mlir::Value bytes; ///< of every tensor read or written, each once; of a
                     ///< tensor read in places only, those places
};

/// What exp, tanh and their like count: about the operations that their
/// approximations take.
inline constexpr int64_t transcendentalFlops = 16;

/// Counts the work of `fusion`, placed, with `builder` standing before it.
KernelWork countWork(FusionOp fusion, mlir::OpBuilder builder);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_KERNELWORK_H
