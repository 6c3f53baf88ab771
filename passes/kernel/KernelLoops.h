// Emits loops, branches and stack memory at the insertion point of a kernel.
#ifndef TENON_PASSES_KERNEL_KERNELLOOPS_H
#define TENON_PASSES_KERNEL_KERNELLOOPS_H

#include "passes/kernel/Kernel.h"

namespace tenon {

class KernelLoops {
protected:
  using Values = llvm::SmallVector<mlir::Value>;

  explicit KernelLoops(Kernel &kernel)
      : kernel(kernel), b(kernel.builder), loc(kernel.loc()) {}

  IndexBuilder at() { return {b, loc}; }
  void forRange(mlir::Value low, mlir::Value high, int64_t step,
                llvm::function_ref<void(mlir::Value)> body);
  /// A loop over [low, high) that carries values.
  Values carry(mlir::Value low, mlir::Value high, int64_t step,
               mlir::ValueRange initial,
               llvm::function_ref<Values(mlir::Value, const Values &)> body);
  void when(mlir::Value condition, llvm::function_ref<void()> body);
  void choose(mlir::Value condition, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise);
  /// The values of the branch taken; both branches give values of the types of
  /// `like`.
  Values choose(mlir::Value condition, mlir::ValueRange like,
                llvm::function_ref<Values()> then,
                llvm::function_ref<Values()> otherwise);
  /// Stack memory of one call of the kernel, aligned to a cache line, with
  /// undefined contents. It may be memory of a branch that is not taken.
  mlir::Value scratchOf(mlir::Type element, int64_t elements);

  Kernel &kernel;
  mlir::OpBuilder &b;
  mlir::Location loc;
};

} // namespace tenon

#endif // TENON_PASSES_KERNEL_KERNELLOOPS_H
