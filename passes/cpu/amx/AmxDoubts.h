// The sums of tiles that may be wrong, and their repair.
#ifndef TENON_PASSES_CPU_AMX_AMXDOUBTS_H
#define TENON_PASSES_CPU_AMX_AMXDOUBTS_H

#include "passes/cpu/amx/AmxColumns.h"
#include "passes/cpu/amx/AmxRows.h"
#include "passes/cpu/tile/TilePanels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tenon {

/// A row of a task with finished sums.
struct AmxRow {
  mlir::Value number;                      ///< in the task
  llvm::SmallVector<mlir::Value> position; ///< its indices
  Magnitudes magnitudes;                   ///< among its elements, in all lanes
  mlir::Value isExtreme; ///< in all lanes: true if an element is so small or
                         ///< great that the columns must be examined
};

/// AMX treats denormals as zeros, and a split infinity gives NaN. So a sum that
/// is not finite is computed again by fused multiply-adds of the original
/// operands. With three parts, a sum that may lack flushed numbers is computed
/// again too.
class AmxDoubts : KernelLoops {
public:
  AmxDoubts(Kernel &kernel, const ContractionNest &nest, const AmxPlan &plan,
            AmxRows &rows, AmxColumns &columns, TileKernel &again)
      : KernelLoops(kernel), nest(nest), plan(plan), rows(rows),
        columns(columns), again(again),
        words(mlir::VectorType::get({lanes}, b.getI32Type())) {}

  AmxRow rowAt(mlir::Value number, llvm::ArrayRef<mlir::Value> position);
  /// The row's sums in a panel: those `found`, or computed again.
  Values resolve(const TilePanel &panel, const AmxRow &row,
                 llvm::ArrayRef<mlir::Value> found);

private:
  static constexpr int64_t lanes = amxTile;

  bool mayBeWrong();
  mlir::Value wordsOf(int32_t word);
  mlir::Value is(mlir::Value x, mlir::arith::CmpIPredicate than, int64_t limit);
  mlir::Value either(mlir::Value x, mlir::Value y) {
    return mlir::arith::OrIOp::create(b, loc, x, y);
  }
  mlir::Value both(mlir::Value x, mlir::Value y) {
    return mlir::arith::AndIOp::create(b, loc, x, y);
  }
  mlir::Value magnitudeOf(mlir::Value sum);
  mlir::Value lacksParts(mlir::Value seen);
  mlir::Value isGreat(mlir::Value seen);
  mlir::Value anyOf(const TilePanel &panel,
                    llvm::function_ref<mlir::Value(int64_t)> test);
  mlir::Value areSuspect(const TilePanel &panel, const AmxRow &row,
                         llvm::ArrayRef<mlir::Value> found);
  mlir::Value areDoubtful(const TilePanel &panel, const AmxRow &row,
                          llvm::ArrayRef<mlir::Value> found);
  Values computeAgain(const TilePanel &panel, const AmxRow &row);

  const ContractionNest &nest;
  const AmxPlan &plan;
  AmxRows &rows;
  AmxColumns &columns;
  TileKernel &again;
  mlir::VectorType words;
};

} // namespace tenon

#endif // TENON_PASSES_CPU_AMX_AMXDOUBTS_H
