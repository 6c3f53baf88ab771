// One task of a contraction: a block of rows and columns of one batch, and its
// offsets in the operands and the result.
#ifndef TENON_PASSES_KERNEL_NEST_NESTTASK_H
#define TENON_PASSES_KERNEL_NEST_NESTTASK_H

#include "passes/kernel/nest/ContractionNest.h"

namespace tenon {

/// Rows and columns of the result that one task computes.
struct TaskBlock {
  int64_t rows, columns;
  /// Set for blocks that are made equally large, in multiples of so many rows,
  /// if only the run knows how many rows there are. `rows` is then their limit.
  std::optional<int64_t> evenStep{};
};

/// Computes the number of a nest's tasks from the sizes of its result.
TaskCounter countTasks(const ContractionNest &nest, TaskBlock block);
/// Computes the number of a nest's rows from the sizes of its result.
TaskCounter countRows(const ContractionNest &nest);

/// The rows of a nest, and the current task or tasks after enter().
struct NestTask {
  using Values = llvm::SmallVector<mlir::Value>;

  NestTask(Kernel &kernel, const ContractionNest &nest, TaskBlock block);

  void enter(mlir::Value task);
  /// Enters the blocks of columns [first, last) of one block of rows.
  /// `rowBlock` is the number of that block among the blocks of all batches.
  void enterRowBlock(mlir::Value line, mlir::Value first, mlir::Value last);
  /// The indices of row number `row`. If rows are linear, the last index is the
  /// row number and the others are 0. The last index then exceeds its extent: a
  /// caller that reads or writes there must compute an offset in flat memory
  /// and must not check the index against its extent.
  Values positionOf(mlir::Value row) const;
  /// True if rows are contiguous in all memory that the epilogue reads or
  /// writes.
  bool areLinear;
  /// The indices in the result of a column of the row at `position`.
  Values placeOf(llvm::ArrayRef<mlir::Value> position, mlir::Value column);

  mlir::Value rows; ///< of all tasks
  Values rowExtents;
  Values outer; ///< the outer indices
  mlir::Value lhsBase, rhsBase, firstRow, lastRow, firstColumn, lastColumn;

private:
  void enterBlocks(mlir::Value outerNumber, mlir::Value row, mlir::Value first,
                   mlir::Value last);
  mlir::Value rowsOfBlock();
  IndexBuilder at() const { return {kernel.builder, kernel.loc()}; }

  Kernel &kernel;
  const ContractionNest &nest;
  TaskBlock block;
};

} // namespace tenon

#endif // TENON_PASSES_KERNEL_NEST_NESTTASK_H
