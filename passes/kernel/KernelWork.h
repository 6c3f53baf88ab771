// Counts the operations and bytes of a fusion, independent of the kernel that
// is emitted for it.
#ifndef TENON_PASSES_KERNEL_KERNELWORK_H
#define TENON_PASSES_KERNEL_KERNELWORK_H

#include "passes/kernel/Kernel.h"

namespace tenon {

/// The work of a fusion as index values outside it; constants if its extents
/// are static.
struct KernelWork {
  mlir::Value flops; ///< multiply-add: 2; transcendental op:
                     ///< transcendentalFlops; other op: 1 per element
  mlir::Value bytes; ///< of every tensor read or written, once; slices and
                     ///< gathers count only the elements they read, attention
                     ///< only the keys that exist
};

/// The operations that a transcendental op such as exp or tanh counts for each
/// element: about the number its approximation takes.
inline constexpr int64_t transcendentalFlops = 16;

/// Counts the work of `fusion`, whose outputs are placed in memory. `builder`
/// must be before the fusion. The numbers of keys that exist are read from the
/// memory that the fusion reads if `readsMemory`; else all keys count.
KernelWork countWork(FusionOp fusion, mlir::OpBuilder builder,
                     bool readsMemory);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_KERNELWORK_H
