// The tasks of a kernel that has several nests: those of the first nest come
// first.
#ifndef TENON_PASSES_KERNEL_NEST_NESTTURNS_H
#define TENON_PASSES_KERNEL_NEST_NESTTURNS_H

#include "passes/kernel/Kernel.h"

namespace tenon {

class NestTurns {
public:
  NestTurns(Kernel &kernel, size_t numNests);

  /// Lets `emit` emit the next nest for the tasks [begin, end) of its own that
  /// the kernel shall do. `count` counts all tasks of the nest.
  void add(const TaskCounter &count,
           llvm::function_ref<void(mlir::Value begin, mlir::Value end)> emit);

  /// Counts the tasks of all nests that were added.
  TaskCounter counter() const;

private:
  Kernel &kernel;
  bool isAlone;
  mlir::Value zero;
  mlir::Value done; ///< tasks of the nests that were added
  llvm::SmallVector<TaskCounter> counters;
};

} // namespace tenon

#endif // TENON_PASSES_KERNEL_NEST_NESTTURNS_H
