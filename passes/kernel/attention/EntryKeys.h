// The keys of each entry, the first batch extent: how many there are, and which
// of them its rows see.
#ifndef TENON_PASSES_KERNEL_ATTENTION_ENTRYKEYS_H
#define TENON_PASSES_KERNEL_ATTENTION_ENTRYKEYS_H

#include "passes/kernel/KernelLoops.h"

namespace tenon {

/// What the task's entry says about its keys.
struct TaskKeys {
  mlir::Value count;  ///< the keys that exist
  mlir::Value causal; ///< row r sees keys up to r + causal; null: all keys
};

class EntryKeys : KernelLoops {
public:
  /// `keys` and `rows` are the extents of keys and of queries.
  EntryKeys(Kernel &kernel, AttentionOp op, mlir::Value keys, mlir::Value rows)
      : KernelLoops(kernel), op(op), keys(keys), rows(rows) {}

  /// The keys that exist at `place`, a number in each batch dimension. The
  /// first is the entry; without batch dimensions there are no entries.
  mlir::Value count(mlir::ArrayRef<mlir::Value> place);
  TaskKeys of(mlir::ArrayRef<mlir::Value> place);

private:
  /// Element `entry` of a tensor of i64, as an index.
  mlir::Value elementOf(mlir::Value entries, mlir::Value entry);

  AttentionOp op;
  mlir::Value keys, rows;
};

} // namespace tenon

#endif // TENON_PASSES_KERNEL_ATTENTION_ENTRYKEYS_H
