// Kernels whose tasks are lines of a tensor: all elements along one dimension.
#ifndef TENON_PASSES_CPU_ROWS_ROWTASKS_H
#define TENON_PASSES_CPU_ROWS_ROWTASKS_H

#include "passes/kernel/Kernel.h"

namespace tenon {

/// Counts tasks of `perTask` lines along `dim` of the first output.
TaskCounter lineTasks(int64_t dim, int64_t perTask);

/// Calls `body` in a loop over the task range's lines of `shaped`, with the
/// indices of a line's first element.
void forEachLine(Kernel &kernel, mlir::Value shaped, int64_t dim,
                 int64_t perTask,
                 llvm::function_ref<void(llvm::ArrayRef<mlir::Value>)> body);

} // namespace tenon

#endif // TENON_PASSES_CPU_ROWS_ROWTASKS_H
