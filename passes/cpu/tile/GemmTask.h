// One task of a contraction: a block of rows and columns of one batch, and
// where it lies in the operands and in the result.
#ifndef TENON_PASSES_CPU_TILE_GEMMTASK_H
#define TENON_PASSES_CPU_TILE_GEMMTASK_H

#include "passes/cpu/tile/RegisterTile.h"
#include "passes/kernel/nest/ContractionNest.h"

namespace tenon {

/// How many tasks a nest divided into blocks has, from the sizes of its result.
TaskCounter countTasks(const ContractionNest &nest, TaskBlock block);
/// The same of its rows.
TaskCounter countRows(const ContractionNest &nest);

/// The rows of a nest, and the task, or tasks, at hand after enter().
struct GemmTask {
  using Values = llvm::SmallVector<mlir::Value>;

  GemmTask(Kernel &kernel, const ContractionNest &nest, TaskBlock block);

  void enter(mlir::Value task);
  /// The blocks of columns [first, last) of block of rows number `line`, of all
  /// batches.
  void enterLine(mlir::Value line, mlir::Value first, mlir::Value last);
  /// The indices of row number `row`. Those of linear rows are all in the last
  /// one, which then exceeds its extent: whoever reads or writes there must
  /// turn them into one place of flat memory, and check none against its
  /// extent.
  Values positionOf(mlir::Value row) const;
  /// Whether rows follow one another in memory wherever the epilogue reads or
  /// writes them.
  bool areLinear;
  /// The place in the result of the row at `position` and of a column.
  Values placeOf(llvm::ArrayRef<mlir::Value> position, mlir::Value column);

  mlir::Value rows; ///< of all tasks
  Values rowExtents;
  Values outer; ///< the outer indices
  mlir::Value lhsBase, rhsBase, firstRow, lastRow, firstColumn, lastColumn;

private:
  void enterBlocks(mlir::Value outerNumber, mlir::Value row, mlir::Value first,
                   mlir::Value last);
  IndexBuilder at() const { return {kernel.builder, kernel.loc()}; }

  Kernel &kernel;
  const ContractionNest &nest;
  TaskBlock block;
};

} // namespace tenon

#endif // TENON_PASSES_CPU_TILE_GEMMTASK_H
