// Some rows of attention and one block of keys: scores, their powers, and the
// values they weigh. A row's state (greatest score, sum of powers, sum of
// values) waits on the stack between blocks.
#ifndef TENON_PASSES_CPU_ATTENTIONTILE_H
#define TENON_PASSES_CPU_ATTENTIONTILE_H

#include "passes/cpu/ContractionNest.h"
#include "passes/cpu/KernelLoops.h"
#include "passes/cpu/StridedOperand.h"
#include "passes/cpu/TileKernel.h"

namespace tenon {

/// Parts of the numerics contract: never depend on the target or on extents.
constexpr int64_t attentionBlock = 64; ///< keys whose sums are rescaled at once
constexpr int64_t attentionLanes = 16; ///< of the sum of powers

/// What is fixed for a kernel.
struct AttentionSizes {
  int64_t lanes;                         ///< of a vector
  int64_t depth, valueDepth, valueWidth; ///< the width: whole vectors
  int64_t tileRows, taskRows;            ///< a task's are whole tiles
  int64_t accumulators; ///< sums that a tile keeps in registers

  int64_t vectorsPerUnit() const { return attentionLanes / lanes; }
};

/// Memory of a task.
struct AttentionScratch {
  mlir::Value keys;             ///< depth x block; null: read in place
  mlir::Value values;           ///< block x value width; null: read in place
  mlir::Value scores;           ///< tile rows x block, then their powers
  mlir::Value sums;             ///< task rows x value width
  mlir::Value greatest;         ///< task rows
  mlir::Value totals;           ///< task rows x 16
  mlir::Value shifts, rescales; ///< tile rows, rounded up to whole vectors
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

/// The rows of a tile: where each query lies, and its place among scores.
struct TileRows {
  mlir::Value firstSlot; ///< of the task's rows
  llvm::SmallVector<mlir::Value> queries;
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> places; ///< batch and row
  llvm::SmallVector<mlir::Value> lastKeys; ///< by causal, else empty
};

class AttentionTile : KernelLoops {
public:
  AttentionTile(Kernel &kernel, AttentionOp op, const AttentionSizes &sizes,
                const AttentionScratch &scratch, const StridedOperand &query,
                mlir::Value keyCount);

  /// Adds the block to the state of the rows.
  void emit(const TileRows &rows, const KeyBlock &block);

  /// Whether a mask can be read as vectors.
  bool isSupported();

  /// Whether the powers of filled scores are zero beside a row's greatest.
  mlir::Value fillVanishes(mlir::Value greatest);

private:
  using Values = llvm::SmallVector<mlir::Value>;

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
  void storeOne(mlir::Value value, mlir::Value memory, mlir::Value place);

  /// Scores of the units [from, to), one after another.
  void unitScores(const TileRows &rows, const KeyBlock &block, mlir::Value from,
                  mlir::Value to);
  /// Scores of `vectors` vectors from the column `column` of the block on.
  void scores(const TileRows &rows, const KeyBlock &block, mlir::Value column,
              int64_t vectors);
  /// Products of the one row with keys that are not packed.
  Values productsInPlace(const TileRows &rows, const KeyBlock &block,
                         mlir::Value column, int64_t vectors);
  mlir::Value masked(const TileRows &rows, size_t row, const KeyBlock &block,
                     mlir::Value column, mlir::Value score);
  /// The greatest score of each row with its units so far; whether fills
  /// vanish beside all of them. The first time in a block the greatest of the
  /// blocks before is kept.
  mlir::Value greatestScores(const TileRows &rows, mlir::Value units,
                             bool first);
  void powers(const TileRows &rows, mlir::Value units);
  void weighValues(const TileRows &rows, const BlockLines &values,
                   mlir::Value keys);
  void weighColumns(const TileRows &rows, const BlockLines &values,
                    mlir::Value keys, mlir::Value column, int64_t vectors);

  AttentionOp op;
  const AttentionSizes &sizes;
  const AttentionScratch &scratch;
  const StridedOperand &query;
  mlir::Value keyCount;
  ContractionNest products, averages;
};

/// The lanes of `vector` combined by a tree: lane i meets lane i + half.
mlir::Value
foldLanes(mlir::OpBuilder &b, mlir::Location loc, mlir::Value vector,
          llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine);

} // namespace tenon

#endif // TENON_PASSES_CPU_ATTENTIONTILE_H
