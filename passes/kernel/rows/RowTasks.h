// Loops for kernels whose tasks are rows along any dimension `dim`: all
// elements that differ only in that index.
#ifndef TENON_PASSES_KERNEL_ROWS_ROWTASKS_H
#define TENON_PASSES_KERNEL_ROWS_ROWTASKS_H

#include "passes/kernel/Kernel.h"

namespace tenon {

/// Counts tasks of `perTask` rows along `dim` of the first output.
TaskCounter rowTasks(int64_t dim, int64_t perTask);

/// Emits a loop over the rows of `shaped` along `dim` in the kernel's task
/// range. `body` gets the indices of a row's first element.
void forEachRow(Kernel &kernel, mlir::Value shaped, int64_t dim,
                int64_t perTask,
                llvm::function_ref<void(llvm::ArrayRef<mlir::Value>)> body);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_ROWS_ROWTASKS_H
