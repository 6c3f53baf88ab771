// The second step of a tile: powers of its scores, beside the greatest so far,
// and the values they weigh.
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

  /// What the block's scores of the first `rows` rows are taken beside, and
  /// what brings the former sums there.
  void chooseShifts(mlir::Value rows);

  /// Adds the block to the sums of these rows: the keys [0, keysOf(slot)) to
  /// those of the tile that starts at row `slot`.
  void emit(mlir::Value rows, const KeyBlock &block,
            llvm::function_ref<mlir::Value(mlir::Value)> keysOf);

private:
  /// Of the scores of a tile.
  void powers(mlir::Value firstSlot, mlir::Value units);
  /// Of those in one vector of a row.
  void power(mlir::Value slot, mlir::Value vector);
  /// Of the next tile's, those whose turn it is with the keys from `key` on.
  void nextPowers(mlir::Value firstSlot, mlir::Value key);
  void addTotals(mlir::Value slot, mlir::Value units);
  void weigh(mlir::Value firstSlot, const BlockLines &values, mlir::Value keys,
             bool overlapped);
  void weighColumns(mlir::Value firstSlot, const BlockLines &values,
                    mlir::Value keys, mlir::Value column, int64_t vectors,
                    bool overlapped);
  /// `sum` joins the sum at `place` of the blocks before.
  void join(mlir::Value sum, mlir::Value rescale, mlir::Value memory,
            mlir::Value place);
  /// The rows of a tile.
  Values slots(mlir::Value firstSlot);
  /// Where the scores of a row stand.
  mlir::Value lineOf(mlir::Value slot);

  ContractionNest averages;
};

} // namespace tenon

#endif // TENON_PASSES_CPU_ATTENTION_ATTENTIONVALUES_H
