// Keys that a causal mask excludes from rows. Their scores are the fill. If the
// exponential of the fill is zero and the values are finite, masked keys add
// nothing and are left out.
#ifndef TENON_PASSES_CPU_ATTENTION_MASKEDKEYS_H
#define TENON_PASSES_CPU_ATTENTION_MASKEDKEYS_H

#include "passes/cpu/attention/AttentionTile.h"

namespace tenon {

class MaskedKeys : AttentionTile {
public:
  MaskedKeys(Kernel &kernel, AttentionOp op, const AttentionSizes &sizes,
             const AttentionScratch &scratch, const TaskKeys &task);

  /// The number of the block's first keys that some row sees; `lastKeys` has
  /// the last key of each row.
  mlir::Value visible(llvm::ArrayRef<mlir::Value> lastKeys,
                      const KeyBlock &block);

  /// True if all values of the block are finite, so that zero times each is
  /// zero.
  mlir::Value finiteValues(const KeyBlock &block);
  /// The same, or true if the task's rows, from `firstRow` on, see all keys of
  /// the block: then nothing depends on it, and the values are not read.
  mlir::Value finiteWhereMasked(const KeyBlock &block, mlir::Value firstRow);

  /// True if the block can change any of the task's rows: a row sees one of its
  /// keys, or a masked key matters. `lastRow` is the last query row. Call it
  /// before the block has scores.
  mlir::Value canMatter(const KeyBlock &block, mlir::Value lastRow,
                        mlir::Value rows);

  /// True if masked keys of the block change any of the task's rows. The row
  /// maximum of a row includes the keys of the block that the row sees.
  mlir::Value matter(const KeyBlock &block, mlir::Value rows) {
    return matter(block, rows, true);
  }

private:
  mlir::Value matter(const KeyBlock &block, mlir::Value rows, bool inBlock);
  mlir::Value fillsVanish(mlir::Value rows, bool inBlock);
  mlir::Value truth();

  AttentionOp op;
  const TaskKeys &task;
};

} // namespace tenon

#endif // TENON_PASSES_CPU_ATTENTION_MASKEDKEYS_H
