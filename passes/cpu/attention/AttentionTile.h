// Some rows of attention and one block of keys, in two steps: scores, then
// their powers and the values they weigh. Between them all rows of a task
// learn what their scores are taken beside: the second step of a tile does not
// wait for the first of the same tile, and the processor overlaps tiles. A
// row's state (greatest score, sum of powers, sum of values) waits on the stack
// between blocks.
#ifndef TENON_PASSES_CPU_ATTENTION_ATTENTIONTILE_H
#define TENON_PASSES_CPU_ATTENTION_ATTENTIONTILE_H

#include "passes/cpu/attention/AttentionPlan.h"
#include "passes/cpu/tile/KernelLoops.h"
#include "passes/kernel/numerics/LaneFolds.h"

namespace tenon {

/// Memory of a task. What holds one number a row has room for a vector behind
/// the last.
struct AttentionScratch {
  mlir::Value keys;             ///< depth x block; null: read in place
  mlir::Value values;           ///< block x value width; null: read in place
  mlir::Value scores;           ///< task rows x block, then their powers
  mlir::Value sums;             ///< task rows x value width
  mlir::Value totals;           ///< task rows x 16
  mlir::Value greatest;         ///< score of each row in the blocks before
  mlir::Value highest;          ///< score of each row in the block
  mlir::Value shifts, rescales; ///< of each row in the block
};

/// Where the keys or values of a block lie: that of key k at base + k * stride.
struct BlockLines {
  mlir::Value memory, base, stride;
  mlir::Type element; ///< of the tenon tensor
};

/// One block of keys. Scores are computed for units of 16 keys.
struct KeyBlock {
  mlir::Value first, count; ///< index
  int64_t units;            ///< at most, static
  bool whole;               ///< count is the block's
  BlockLines keys, values;  ///< keys where they are not packed
  mlir::Value finite;       ///< i1, of the values; null without causal
};

/// What both steps share: vectors and numbers in a task's memory.
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
  /// Where the vectors of a line stand, side by side.
  Values places(int64_t vectors);
  mlir::Value load(mlir::Value memory, mlir::Value place);
  void store(mlir::Value vector, mlir::Value memory, mlir::Value place);
  mlir::Value loadOne(mlir::Value memory, mlir::Value place);

  const AttentionSizes &sizes;
  const AttentionScratch &scratch;
};

/// The greater of two floats, or of two vectors' lanes; `a` where one is NaN.
mlir::Value greater(mlir::OpBuilder &b, mlir::Location loc, mlir::Value a,
                    mlir::Value other);

} // namespace tenon

#endif // TENON_PASSES_CPU_ATTENTION_ATTENTIONTILE_H
