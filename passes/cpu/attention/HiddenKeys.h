// Keys that a causal mask hides from rows. Their scores are filled; where the
// powers of those are zero and the values finite, the keys say nothing and may
// be left out.
#ifndef TENON_PASSES_CPU_ATTENTION_HIDDENKEYS_H
#define TENON_PASSES_CPU_ATTENTION_HIDDENKEYS_H

#include "passes/cpu/attention/AttentionTile.h"

namespace tenon {

class HiddenKeys : AttentionTile {
public:
  HiddenKeys(Kernel &kernel, AttentionOp op, const AttentionSizes &sizes,
             const AttentionScratch &scratch);

  /// How many of the block's first keys any row sees whose last keys these are.
  mlir::Value visible(llvm::ArrayRef<mlir::Value> lastKeys,
                      const KeyBlock &block);

  /// Whether all values of the block are finite: zero times their sum is zero
  /// then.
  mlir::Value finiteValues(const KeyBlock &block);

  /// Whether any of the task's rows, up to the query row `lastRow`, sees a key
  /// of the block or would feel those it does not. Asked before there are
  /// scores of the block.
  mlir::Value seenOrFelt(const KeyBlock &block, mlir::Value lastRow,
                         mlir::Value rows);

  /// Whether any of the task's rows feels keys of the block that it does not
  /// see, beside the scores of those that it sees.
  mlir::Value felt(const KeyBlock &block, mlir::Value rows) {
    return felt(block, rows, true);
  }

private:
  mlir::Value felt(const KeyBlock &block, mlir::Value rows, bool inBlock);
  mlir::Value fillsVanish(mlir::Value rows, bool inBlock);
  mlir::Value truth();

  AttentionOp op;
};

} // namespace tenon

#endif // TENON_PASSES_CPU_ATTENTION_HIDDENKEYS_H
