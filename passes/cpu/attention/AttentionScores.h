// The first step of a tile: scores of its rows with a block of keys, and the
// greatest of each row.
#ifndef TENON_PASSES_CPU_ATTENTION_ATTENTIONSCORES_H
#define TENON_PASSES_CPU_ATTENTION_ATTENTIONSCORES_H

#include "passes/cpu/attention/AttentionTile.h"
#include "passes/cpu/tile/TileKernel.h"
#include "passes/kernel/nest/ContractionNest.h"
#include "passes/kernel/nest/StridedOperand.h"

namespace tenon {

/// The rows of a tile: where each query lies, and its place among scores.
struct TileRows {
  mlir::Value firstSlot; ///< of the task's rows
  llvm::SmallVector<mlir::Value> queries;
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> places; ///< batch and row
  llvm::SmallVector<mlir::Value> lastKeys; ///< by causal, else empty
};

/// Whether the mask of `op`, if there is one, can be read as vectors.
bool readsMaskAsVectors(Kernel &kernel, AttentionOp op, int64_t lanes);

class AttentionScores : AttentionTile {
public:
  AttentionScores(Kernel &kernel, AttentionOp op, const AttentionSizes &sizes,
                  const AttentionScratch &scratch, const StridedOperand &query,
                  mlir::Value keyCount);

  /// Scores of the block's keys [0, keys).
  void emit(const TileRows &rows, const KeyBlock &block, mlir::Value keys);
  /// Those left out by that, up to the block's last.
  void emitRest(const TileRows &rows, const KeyBlock &block, mlir::Value keys);

private:
  mlir::Value unitsOf(const KeyBlock &block);
  /// Scores of the units [from, to), one after another.
  void unitScores(const TileRows &rows, const KeyBlock &block, mlir::Value from,
                  mlir::Value to);
  /// Scores of `vectors` vectors from the column `column` of the block on.
  void scores(const TileRows &rows, const KeyBlock &block, mlir::Value column,
              int64_t vectors);
  /// Products of the one row with keys that are not packed.
  Values productsInPlace(const TileRows &rows, const KeyBlock &block,
                         mlir::Value column, int64_t vectors);
  mlir::Value masked(const TileRows &rows, size_t row, const KeyBlock &block,
                     mlir::Value column, mlir::Value score);
  /// Puts where all of a task are the greatest score of each row among the
  /// units [from, to), or `more` of those that are there.
  void highest(const TileRows &rows, mlir::Value from, mlir::Value to,
               bool more);

  AttentionOp op;
  const StridedOperand &query;
  mlir::Value keyCount;
  ContractionNest products;
};

} // namespace tenon

#endif // TENON_PASSES_CPU_ATTENTION_ATTENTIONSCORES_H
