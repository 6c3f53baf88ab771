// Keys and values whose rows stand in entries that a table names. Rows of one
// entry are read in place. If a block has rows of several entries, they are
// copied side by side first.
#ifndef TENON_PASSES_CPU_ATTENTION_TABLEROWS_H
#define TENON_PASSES_CPU_ATTENTION_TABLEROWS_H

#include "passes/cpu/attention/AttentionTile.h"
#include "passes/kernel/nest/StridedOperand.h"

namespace tenon {

/// One block of the table: entries of rows [first, first + count).
struct TableBlock {
  mlir::Value first, count, start; ///< start: the offset in the table
  mlir::Value alike;               ///< i1: all rows stand in one entry
};

class TableRows : KernelLoops {
public:
  TableRows(Kernel &kernel, const StridedOperand &table)
      : KernelLoops(kernel), table(table) {}

  /// True if rows of `operand` can be read: their elements are contiguous, and
  /// their number is known.
  static bool canRead(const StridedOperand &operand);

  /// Stack memory for the rows of a block of `operand`, and its bytes.
  static int64_t bytes(const StridedOperand &operand);
  mlir::Value scratchFor(const StridedOperand &operand);

  /// The block of row `row` of the table. `whole` if it has attentionBlock
  /// rows.
  TableBlock block(mlir::Value row, mlir::Value first, mlir::Value count,
                   bool whole);

  /// The rows of `operand` for a block, at the other indices of `batch`, which
  /// starts with the entry. `scratch` is memory from scratchFor.
  BlockRows read(const StridedOperand &operand,
                 llvm::ArrayRef<mlir::Value> batch, const TableBlock &block,
                 mlir::Value scratch);

  /// The offset of row `row` of `operand` for row batch[0] of the table, at the
  /// other indices of `batch`.
  mlir::Value placeOf(const StridedOperand &operand,
                      llvm::ArrayRef<mlir::Value> batch, mlir::Value row);

private:
  /// The offset of the row of `operand` that the table's element at `place`
  /// names; an entry outside the operand is clamped.
  mlir::Value rowAt(const StridedOperand &operand, Values batch,
                    mlir::Value place, mlir::Value row);
  void copyRow(const StridedOperand &operand, mlir::Value from,
               mlir::Value scratch, mlir::Value to);

  const StridedOperand &table;
};

} // namespace tenon

#endif // TENON_PASSES_CPU_ATTENTION_TABLEROWS_H
