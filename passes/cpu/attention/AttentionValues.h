// The second step of a tile: the exponentials of its scores, relative to the
// row maxima so far, and the sums of values weighted by them.
#ifndef TENON_PASSES_CPU_ATTENTION_ATTENTIONVALUES_H
#define TENON_PASSES_CPU_ATTENTION_ATTENTIONVALUES_H

#include "passes/cpu/attention/AttentionTile.h"
#include "passes/cpu/tile/TileKernel.h"
#include "passes/kernel/nest/ContractionNest.h"

namespace tenon {

class AttentionValues : AttentionTile {
public:
  AttentionValues(Kernel &kernel, const AttentionSizes &sizes,
                  const AttentionScratch &scratch);

  /// Chooses the shift of each of the first `rows` rows, which is the row
  /// maximum so far, and the factor that rescales earlier sums.
  void chooseShifts(mlir::Value rows);

  /// Adds the block to the sums of the first `rows` rows. The tile that starts
  /// at row `slot` reads the keys [0, keysOf(slot)).
  void emit(mlir::Value rows, const KeyBlock &block,
            llvm::function_ref<mlir::Value(mlir::Value)> keysOf);

private:
  /// Replaces the scores of a tile by their exponentials.
  void computeExponentials(mlir::Value firstSlot, mlir::Value units);
  /// Replaces the scores in one vector of a row by their exponentials.
  void computeExponential(mlir::Value slot, mlir::Value vector);
  /// Computes the part of the next tile's exponentials that goes with the keys
  /// from `key` on.
  void computeNextExponentials(mlir::Value firstSlot, mlir::Value key);
  void addTotals(mlir::Value slot, mlir::Value units);
  void weigh(mlir::Value firstSlot, const KeyBlock &block, mlir::Value keys,
             bool overlapped);
  std::pair<SoonRows, mlir::Value> rowAfter(const KeyBlock &block,
                                            mlir::Value key);
  /// `meanwhile` emits work of each iteration, which begins with a key.
  void weighColumns(mlir::Value firstSlot, const BlockRows &values,
                    mlir::Value keys, mlir::Value column, int64_t vectors,
                    llvm::function_ref<void(mlir::Value)> meanwhile);
  /// Adds `sum` to the rescaled sum of the blocks before, which is at `place`.
  void join(mlir::Value sum, mlir::Value rescale, mlir::Value memory,
            mlir::Value place);
  /// The rows of a tile.
  Values slots(mlir::Value firstSlot);
  /// The place of a row's scores.
  mlir::Value scoresOf(mlir::Value slot);

  ContractionNest averages;
};

} // namespace tenon

#endif // TENON_PASSES_CPU_ATTENTION_ATTENTIONVALUES_H
