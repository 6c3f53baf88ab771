// Kernels that process rows: all elements along one dimension.
#ifndef TENON_PASSES_KERNEL_ROWS_ROWKERNELS_H
#define TENON_PASSES_KERNEL_ROWS_ROWKERNELS_H

#include "passes/kernel/Kernel.h"

#include <optional>

namespace tenon {

/// Emits reductions along the last dimension, with the elementwise ops before
/// and after them.
TaskCounter emitRows(Kernel &kernel);

/// A fusion of few long rows has kernels whose tasks are pieces of rows: one
/// for each reduction, which writes the pieces' partials to memory, and one for
/// the outputs.
struct LongRows {
  int64_t pieces;                              ///< of one row
  llvm::SmallVector<mlir::MemRefType> scratch; ///< partials of `mostRows` rows
  size_t phases;
  /// More rows are enough tasks.
  static constexpr int64_t mostRows = 16;

  /// Nullopt if the rows are short, their extent is not known, or their work is
  /// not worth several launches.
  static std::optional<LongRows> of(FusionOp fusion);
};

/// Emits the kernel of one phase for at most `LongRows::mostRows` rows.
void emitLongRows(Kernel &kernel, mlir::ValueRange scratch, size_t phase);

/// Emits cumulative sums and other scans along one dimension.
TaskCounter emitScan(Kernel &kernel);

/// Emits a sort along one dimension.
TaskCounter emitSort(Kernel &kernel);

/// Emits the first elements in order along one dimension.
TaskCounter emitTopK(Kernel &kernel);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_ROWS_ROWKERNELS_H
