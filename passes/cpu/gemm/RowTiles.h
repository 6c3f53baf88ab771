// Divides the rows of a contraction's task into register tiles and computes the
// offset of each row in lhs.
#ifndef TENON_PASSES_CPU_GEMM_ROWTILES_H
#define TENON_PASSES_CPU_GEMM_ROWTILES_H

#include "passes/cpu/gemm/GemmPlan.h"
#include "passes/kernel/KernelLoops.h"
#include "passes/kernel/nest/NestTask.h"

namespace tenon {

/// The rows of one tile, from row `first` on. Only the first `exist` of `count`
/// rows exist; the others repeat the last one and are not stored. If `exist` is
/// null, all exist. `consecutive` is true if the rows differ only in their last
/// index, `isRest` if the tile is the last one of the rows.
struct RowRun {
  mlir::Value first;
  int64_t count;
  mlir::Value exist;
  bool consecutive = false, isRest = false;
};

class RowTiles : KernelLoops {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  RowTiles(Kernel &kernel, const GemmPlan &plan, const NestTask &task)
      : KernelLoops(kernel), plan(plan), task(task) {}

  /// Calls `body` for each tile of the rows [low, high).
  void forEach(mlir::Value low, mlir::Value high,
               llvm::function_ref<void(const RowRun &)> body);
  /// Where full tiles of the rows [low, high) end. The rows behind are those of
  /// forRest.
  mlir::Value endOfFull(mlir::Value low, mlir::Value high);
  /// Calls `body` for each tile of the rows [low, high), which full tiles
  /// compute.
  void forEachFull(mlir::Value low, mlir::Value high,
                   llvm::function_ref<void(const RowRun &)> body);
  /// Calls `body` for the tile of the `rest` rows from `first` on; there are
  /// fewer than a full tile has, or none.
  void forRest(mlir::Value first, mlir::Value rest,
               llvm::function_ref<void(const RowRun &)> body);
  /// The number of `row` within the run, or the number of the last row that
  /// exists.
  mlir::Value existing(const RowRun &run, int64_t row);
  /// True if all rows of a full tile differ only in their last index.
  bool areTilesConsecutive();
  /// The indices of each row.
  llvm::SmallVector<Values> positionsOf(const RowRun &run);
  /// The offset in lhs of each row, given its indices.
  Values offsetsOf(const RowRun &run, llvm::ArrayRef<Values> positions);

private:
  /// False if full tiles are known to have all rows.
  bool mayHaveRest() const;
  int64_t roomFor(int64_t rows);

  const GemmPlan &plan;
  const NestTask &task;
};

} // namespace tenon

#endif // TENON_PASSES_CPU_GEMM_ROWTILES_H
