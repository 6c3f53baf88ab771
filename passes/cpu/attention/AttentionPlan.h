// How many rows of attention share registers and how many are one task. Pure
// arithmetic on static facts: neither the number of threads nor a dynamic
// extent has a say.
#ifndef TENON_PASSES_CPU_ATTENTION_ATTENTIONPLAN_H
#define TENON_PASSES_CPU_ATTENTION_ATTENTIONPLAN_H

#include "dialects/tenon/KernelPlan.h"
#include "dialects/tenon/Machine.h"
#include "dialects/tenon/NumericsContract.h"

#include <cstdint>
#include <optional>

namespace tenon {

/// Extents as far as they are known at compile time, and how operands lie.
struct AttentionFacts {
  int64_t heads;               ///< of the keys, in all batches; at least
  std::optional<int64_t> rows; ///< that share a head of the keys
  int64_t depth, valueDepth;
  bool causal; ///< rows see different keys
  /// Elements of a key lie side by side; of a value, as f32.
  bool wholeKeys = false, wholeValues = false;
};

AttentionPlanAttr planAttention(const AttentionFacts &facts,
                                MachineAttr machine);

/// The sizes of a kernel, from its plan and its operands.
struct AttentionSizes {
  AttentionSizes(AttentionPlanAttr plan, MachineAttr machine, int64_t depth,
                 int64_t valueDepth);

  int64_t lanes;                         ///< of a vector
  int64_t depth, valueDepth, valueWidth; ///< the width: whole vectors
  int64_t accumulators; ///< vectors of sums that a tile keeps in registers
  int64_t taskRows;
  int64_t scoreRows, valueRows; ///< of the tiles of either step
  /// The powers of the next tile are computed while values are weighed.
  bool overlapped;

  int64_t vectorsPerUnit() const { return attentionLanes / lanes; }
  /// Rows that the last tiles of a task may reach, the next tile among them.
  int64_t scratchRows() const { return taskRows + scoreRows + 2 * valueRows; }
};

} // namespace tenon

#endif // TENON_PASSES_CPU_ATTENTION_ATTENTIONPLAN_H
