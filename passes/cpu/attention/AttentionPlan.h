// Chooses the rows of attention tiles and tasks. The choice depends only on
// static facts, not on the number of threads or on dynamic extents.
#ifndef TENON_PASSES_CPU_ATTENTION_ATTENTIONPLAN_H
#define TENON_PASSES_CPU_ATTENTION_ATTENTIONPLAN_H

#include "dialects/tenon/KernelPlan.h"
#include "dialects/tenon/Machine.h"
#include "dialects/tenon/NumericsContract.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace tenon {

/// Extents, as far as they are static, and the layout of operands.
struct AttentionFacts {
  int64_t heads; ///< heads of the keys in all batches; a lower bound
  std::optional<int64_t> rows; ///< that share a head of the keys
  int64_t depth, valueDepth;
  bool causal; ///< rows see different keys
  /// The elements of a key, or of a value, are contiguous. Values are whole
  /// only beside f32 queries: then no more than one conversion in registers
  /// precedes the products.
  bool wholeKeys = false, wholeValues = false;
  /// The elements of a query are contiguous, and the scale is at most one, so
  /// that it enlarges no error of a product.
  bool tameQueries = false;
  /// Bytes of the stack for keys and values of a block that are copied side by
  /// side.
  int64_t copied = 0;
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
  int64_t scoreRows, valueRows; ///< rows of a tile in the first and second step
  /// The exponentials of the next tile are computed while values are
  /// multiplied.
  bool overlapped;
  bool tiles; ///< of AMX multiply many rows

  /// How many keys or values the prefetch is ahead of the products. Scores are
  /// computed for so many keys at a time, so that keys are read in the order of
  /// memory. One row needs all keys of a block for enough chains of products.
  int64_t prefetchDistance() const {
    return taskRows == 1 ? attentionBlock : attentionLanes;
  }
  int64_t vectorsPerUnit() const { return attentionLanes / lanes; }
  /// Rows that the last tiles of a task may touch, including the next tile.
  int64_t scratchRows() const {
    return std::max(taskRows + scoreRows + 2 * valueRows,
                    tiles ? tileRows() + 2 * amxTile : 0);
  }
  /// The rows of a task in pairs of AMX tiles.
  int64_t tileRows() const { return llvm::alignTo(taskRows, 2 * amxTile); }
  /// The steps of a sum over the depth.
  int64_t querySteps() const { return llvm::divideCeil(depth, amxStep); }
};

} // namespace tenon

#endif // TENON_PASSES_CPU_ATTENTION_ATTENTIONPLAN_H
