// Loops, branches and stack memory at the place where a kernel is written.
#ifndef TENON_PASSES_CPU_KERNELLOOPS_H
#define TENON_PASSES_CPU_KERNELLOOPS_H

#include "passes/cpu/Kernel.h"

namespace tenon {

class KernelLoops {
protected:
  explicit KernelLoops(Kernel &kernel)
      : kernel(kernel), b(kernel.builder), loc(kernel.loc()) {}

  IndexBuilder at() { return {b, loc}; }
  void forRange(mlir::Value low, mlir::Value high, int64_t step,
                llvm::function_ref<void(mlir::Value)> body);
  void when(mlir::Value condition, llvm::function_ref<void()> body);
  /// Of one call of the kernel, on a line of the cache.
  mlir::Value scratchOf(mlir::Type element, int64_t elements);

  Kernel &kernel;
  mlir::OpBuilder &b;
  mlir::Location loc;
};

} // namespace tenon

#endif // TENON_PASSES_CPU_KERNELLOOPS_H
