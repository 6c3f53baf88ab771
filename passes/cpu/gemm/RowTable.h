// What each row of a task reads, computed once for all taps and pieces.
#ifndef TENON_PASSES_CPU_GEMM_ROWTABLE_H
#define TENON_PASSES_CPU_GEMM_ROWTABLE_H

#include "passes/cpu/gemm/RowTiles.h"
#include "passes/cpu/tile/TileKernel.h"

namespace tenon {

/// A table on the stack: for each row its offset in lhs, and where its window
/// starts along each dimension that may leave the input.
class RowTable : KernelLoops {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  RowTable(Kernel &kernel, const GemmPlan &plan, RowTiles &rows,
           TileKernel &tiles)
      : KernelLoops(kernel), plan(plan), rows(rows), tiles(tiles) {}

  /// Allocates the table. Must be called before the other functions.
  void reserve();
  /// Computes the entries of the rows [low, high), at most the plan's shared
  /// rows.
  void fill(mlir::Value low, mlir::Value high);
  /// The offset of row number `row` since `low`.
  mlir::Value offsetOf(mlir::Value row);
  /// Where the windows of row number `row` since `low` start.
  Values windowStartsOf(mlir::Value row);

private:
  mlir::Value placeOf(mlir::Value row, int64_t column);
  mlir::Value load(mlir::Value row, int64_t column);

  const GemmPlan &plan;
  RowTiles &rows;
  TileKernel &tiles;
  int64_t width = 0; ///< entries of a row
  mlir::Value memory;
};

} // namespace tenon

#endif // TENON_PASSES_CPU_GEMM_ROWTABLE_H
