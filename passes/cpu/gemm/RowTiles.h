// The rows of a contraction's task, a register tile of them at a time, and
// where each starts in lhs.
#ifndef TENON_PASSES_CPU_GEMM_ROWTILES_H
#define TENON_PASSES_CPU_GEMM_ROWTILES_H

#include "passes/cpu/gemm/GemmPlan.h"
#include "passes/cpu/tile/GemmTask.h"
#include "passes/cpu/tile/KernelLoops.h"

namespace tenon {

/// The rows of a tile: `exist` of them do, the others repeat the last one and
/// are not stored; null: all do. Those of a tile `inLine` differ in their last
/// index alone.
struct RowRun {
  mlir::Value first;
  int64_t count;
  mlir::Value exist;
  bool inLine = false;
};

class RowTiles : KernelLoops {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  RowTiles(Kernel &kernel, const GemmPlan &plan, const GemmTask &task)
      : KernelLoops(kernel), plan(plan), task(task) {}

  /// Code for each tile of the rows [low, high).
  void forEach(mlir::Value low, mlir::Value high,
               llvm::function_ref<void(const RowRun &)> body);
  /// Per row its indices.
  llvm::SmallVector<Values> positionsOf(const RowRun &run);
  /// Where the rows, at `positions`, start in lhs.
  Values offsetsOf(const RowRun &run, llvm::ArrayRef<Values> positions);

private:
  /// The number of a row of the run, or of the last that exists.
  mlir::Value existing(const RowRun &run, int64_t row);
  /// Whether whole tiles lie in one line of the last index each.
  bool fillLines();

  const GemmPlan &plan;
  const GemmTask &task;
};

} // namespace tenon

#endif // TENON_PASSES_CPU_GEMM_ROWTILES_H
