// Keys that a causal mask hides from rows. Their scores are the fill. If the
// power of a fill is zero and the values are finite, such keys add nothing and
// may be left out.
#ifndef TENON_PASSES_CPU_ATTENTION_MASKEDKEYS_H
#define TENON_PASSES_CPU_ATTENTION_MASKEDKEYS_H

#include "passes/cpu/attention/AttentionTile.h"

namespace tenon {

class MaskedKeys : AttentionTile {
public:
  MaskedKeys(Kernel &kernel, AttentionOp op, const AttentionSizes &sizes,
             const AttentionScratch &scratch);

  /// The number of the block's first keys that some row sees; `lastKeys` has
  /// the last key of each row.
  mlir::Value visible(llvm::ArrayRef<mlir::Value> lastKeys,
                      const KeyBlock &block);

  /// Whether all values of the block are finite: zero times each is zero then.
  mlir::Value finiteValues(const KeyBlock &block);

  /// Whether the block can change any of the task's rows, up to the query row
  /// `lastRow`: one sees a key of it, or a masked key matters. Called before
  /// the block has scores.
  mlir::Value canMatter(const KeyBlock &block, mlir::Value lastRow,
                        mlir::Value rows);

  /// Whether masked keys of the block matter to any of the task's rows, whose
  /// row maximum includes the keys of the block that it sees.
  mlir::Value matter(const KeyBlock &block, mlir::Value rows) {
    return matter(block, rows, true);
  }

private:
  mlir::Value matter(const KeyBlock &block, mlir::Value rows, bool inBlock);
  mlir::Value fillsVanish(mlir::Value rows, bool inBlock);
  mlir::Value truth();

  AttentionOp op;
};

} // namespace tenon

#endif // TENON_PASSES_CPU_ATTENTION_MASKEDKEYS_H
