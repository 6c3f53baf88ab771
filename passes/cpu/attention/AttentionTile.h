// Computes some rows of attention for one block of keys in two steps: first the
// scores, then their exponentials and the values weighted by them. Between the
// steps the row maxima of all rows of the task are chosen. So the second step
// of a tile does not wait for the first step of that tile, and the processor
// overlaps tiles. The state of a row (row maximum, sum of exponentials, sum of
// values) is stored on the stack between blocks.
#ifndef TENON_PASSES_CPU_ATTENTION_ATTENTIONTILE_H
#define TENON_PASSES_CPU_ATTENTION_ATTENTIONTILE_H

#include "passes/cpu/attention/AttentionPlan.h"
#include "passes/kernel/KernelLoops.h"
#include "passes/kernel/attention/EntryKeys.h"
#include "passes/kernel/attention/RowMaximum.h"
#include "passes/kernel/numerics/LaneFolds.h"

#include <optional>

namespace tenon {

/// The memory of a task. A buffer with one number for each row has room for one
/// more vector after the last row.
struct AttentionScratch {
  mlir::Value keys;             ///< depth x block; null: read in place
  mlir::Value values;           ///< block x value width; null: read in place
  mlir::Value scores;           ///< task rows x block, later exponentials
  mlir::Value sums;             ///< task rows x value width
  mlir::Value totals;           ///< task rows x 16
  mlir::Value earlierMaxima;    ///< row maxima of the blocks before
  mlir::Value blockMaxima;      ///< row maxima of the block
  mlir::Value shifts, rescales; ///< one for each row in the block
  mlir::Value tameRows; ///< i1 for each row: tiles can multiply its query
};

/// The keys or values of a block in memory: key k starts at base + k * stride.
struct BlockRows {
  mlir::Value memory, base, stride;
  mlir::Type element; ///< of the tenon tensor
};

/// Rows of keys or values that are read soon: row k starts at base + k * stride
/// up to row `last`.
struct SoonRows {
  BlockRows rows;
  mlir::Value last;
  int64_t width; ///< elements of a row
};

/// One block of keys. Scores are computed for units of 16 keys.
struct KeyBlock {
  mlir::Value first, count; ///< index
  int64_t units;            ///< at most, static
  bool whole;               ///< count is attentionBlock
  BlockRows keys, values;   ///< the keys before packing
  /// The keys that are read after the block's values; null: no prefetch.
  std::optional<SoonRows> soon;
  /// i1: zero times each value is zero; null if not causal.
  mlir::Value finite;
  /// i1: tiles have multiplied the keys, and the products are where the scores
  /// will be; null: no tiles.
  mlir::Value multiplied;
};

/// The helpers of both steps: vectors and numbers in a task's memory.
class AttentionTile : protected KernelLoops {
protected:
  AttentionTile(Kernel &kernel, const AttentionSizes &sizes,
                const AttentionScratch &scratch)
      : KernelLoops(kernel), sizes(sizes), scratch(scratch) {}

  mlir::VectorType vectorType() {
    return mlir::VectorType::get({sizes.lanes}, b.getF32Type());
  }
  mlir::Value splat(mlir::Value scalar);
  mlir::Value number(double value); ///< as a vector
  /// The offsets of consecutive vectors.
  Values places(int64_t vectors);
  mlir::Value load(mlir::Value memory, mlir::Value place);
  /// A vector of keys or values, as f32.
  mlir::Value loadLanes(const BlockRows &rows, mlir::Value place);
  void store(mlir::Value vector, mlir::Value memory, mlir::Value place);
  mlir::Value loadOne(mlir::Value memory, mlir::Value place);
  SoonRows keysOf(const KeyBlock &block);
  SoonRows valuesOf(const KeyBlock &block);
  void prefetchRow(const SoonRows &soon, mlir::Value row);

  const AttentionSizes &sizes;
  const AttentionScratch &scratch;
};

} // namespace tenon

#endif // TENON_PASSES_CPU_ATTENTION_ATTENTIONTILE_H
