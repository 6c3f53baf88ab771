// The first step of a tile: the scores of its rows for a block of keys, and the
// row maxima.
#ifndef TENON_PASSES_CPU_ATTENTION_ATTENTIONSCORES_H
#define TENON_PASSES_CPU_ATTENTION_ATTENTIONSCORES_H

#include "passes/cpu/attention/AttentionTile.h"
#include "passes/cpu/tile/TileKernel.h"
#include "passes/kernel/nest/ContractionNest.h"
#include "passes/kernel/nest/StridedOperand.h"

namespace tenon {

/// The rows of a tile: the place of each query in memory and among the scores.
struct TileRows {
  mlir::Value firstSlot; ///< of the task's rows
  llvm::SmallVector<mlir::Value> queries;
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> places; ///< batch and row
  llvm::SmallVector<mlir::Value>
      lastKeys; ///< each row's last key; empty if not causal
};

/// True if `op` has no mask or the mask can be read as vectors.
bool readsMaskAsVectors(Kernel &kernel, AttentionOp op, int64_t lanes);

class AttentionScores : AttentionTile {
public:
  AttentionScores(Kernel &kernel, AttentionOp op, const AttentionSizes &sizes,
                  const AttentionScratch &scratch, const StridedOperand &query,
                  const TaskKeys &task);

  /// Computes the scores of the block's keys [0, keys).
  void emit(const TileRows &rows, const KeyBlock &block, mlir::Value keys);
  /// Computes the scores that `emit` left out, up to the block's last key.
  void emitRest(const TileRows &rows, const KeyBlock &block, mlir::Value keys);

private:
  mlir::Value unitsOf(const KeyBlock &block);
  /// Computes the scores of the units [from, to), one after another.
  void unitScores(const TileRows &rows, const KeyBlock &block, mlir::Value from,
                  mlir::Value to);
  /// Computes the scores of `vectors` vectors from column `column` of the block
  /// on.
  void scores(const TileRows &rows, const KeyBlock &block, mlir::Value column,
              int64_t vectors);
  /// The place of the score of row number `row` for the key in a column.
  mlir::Value scorePlace(const TileRows &rows, int64_t row,
                         mlir::Value column) {
    mlir::Value slot = at().add(rows.firstSlot, at().constant(row));
    return at().add(column, at().mul(slot, at().constant(attentionBlock)));
  }
  Values productsWithPacked(const TileRows &rows, mlir::Value column,
                            int64_t vectors);
  Values productsOfTiles(const TileRows &rows, const KeyBlock &block,
                         mlir::Value column, int64_t vectors);
  /// The products of the task's one tile with keys that are not packed.
  Values productsInPlace(const TileRows &rows, const KeyBlock &block,
                         mlir::Value column, int64_t vectors);
  void prefetchShare(const KeyBlock &block, mlir::Value column,
                     mlir::Value square);
  mlir::Value masked(const TileRows &rows, size_t row, const KeyBlock &block,
                     mlir::Value column, mlir::Value score);
  /// Stores the row maxima over the units [from, to) in the task's scratch
  /// memory. If `more`, they include the row maxima that are stored there.
  void storeRowMaxima(const TileRows &rows, mlir::Value from, mlir::Value to,
                      bool more);

  AttentionOp op;
  const StridedOperand &query;
  const TaskKeys &task;
  ContractionNest products;
};

} // namespace tenon

#endif // TENON_PASSES_CPU_ATTENTION_ATTENTIONSCORES_H
