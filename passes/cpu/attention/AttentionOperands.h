// The operands of attention in memory.
#ifndef TENON_PASSES_CPU_ATTENTION_ATTENTIONOPERANDS_H
#define TENON_PASSES_CPU_ATTENTION_ATTENTIONOPERANDS_H

#include "passes/cpu/attention/AttentionPlan.h"
#include "passes/cpu/attention/JoinedRows.h"

namespace tenon {

struct AttentionOperands {
  AttentionOp op;
  StridedOperand query, key, value;
  std::optional<StridedOperand> table; ///< null: keys stand in their entry
  std::optional<JoinedRows> joinedKeys, joinedValues; ///< null: in memory

  /// The operands; nullopt if one is computed or a depth is dynamic. Maps
  /// joined keys and values to the kernel's outputs.
  static std::optional<AttentionOperands> of(Kernel &kernel);

  size_t batch() const { return key.extents.size() - 2; }
  /// The batch extents of queries, with the heads of the keys.
  llvm::SmallVector<mlir::Value> sharedExtents() const;
  /// Rows that share a head of the keys.
  mlir::Value rows(Kernel &kernel) const;
  AttentionFacts facts(Kernel &kernel) const;
};

} // namespace tenon

#endif // TENON_PASSES_CPU_ATTENTION_ATTENTIONOPERANDS_H
