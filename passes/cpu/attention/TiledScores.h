// Products of queries and keys in AMX tiles, for many rows: both are split into
// bf16 parts, and sums of tiles lie where the scores will be.
#ifndef TENON_PASSES_CPU_ATTENTION_TILEDSCORES_H
#define TENON_PASSES_CPU_ATTENTION_TILEDSCORES_H

#include "passes/cpu/attention/AttentionTile.h"
#include "passes/kernel/nest/StridedOperand.h"

namespace tenon {

class TiledScores : AttentionTile {
public:
  TiledScores(Kernel &kernel, const AttentionSizes &sizes,
              const AttentionScratch &scratch, const StridedOperand &query);

  /// The rows that are multiplied together.
  static constexpr int64_t pairRows = 2 * amxTile;

  /// Splits the queries of the task's `rows` rows, and tells which of them are
  /// too great for tiles. That of the row in slot s begins at startOf(s).
  void splitQueries(mlir::Value rows,
                    llvm::function_ref<mlir::Value(mlir::Value)> startOf);
  /// Splits the packed keys of a block. Returns an i1: none is too great for
  /// tiles.
  mlir::Value splitKeys();
  /// Multiplies the pair of tiles of rows that begins at slot `first` by all
  /// keys of the block.
  void multiply(mlir::Value first);

private:
  /// An operand's tiles in memory: [part][tile][step].
  struct Tiles {
    mlir::Value memory;
    int64_t tiles, steps;
  };

  Tiles tilesFor(int64_t tiles);
  /// The place of a line of a tile.
  mlir::Value placeOf(const Tiles &of, int64_t part, mlir::Value tile,
                      mlir::Value step, mlir::Value line);
  /// Splits two vectors whose elements are sixteen apart along the sum.
  void splitLine(const Tiles &into, mlir::Value low, mlir::Value high,
                 mlir::Value tile, mlir::Value step, mlir::Value line);
  /// Sixteen elements of the query at `start`, from `first` on; zeros after its
  /// last.
  mlir::Value partOfQuery(mlir::Value start, int64_t first);
  /// Greatest magnitudes: of nothing, and of `seen` and `floats`.
  mlir::Value noMagnitude();
  mlir::Value greater(mlir::Value seen, mlir::Value floats);
  mlir::Value isTame(mlir::Value seen);
  /// Adds the products of one step, of two tiles of rows and `count` of keys.
  Values multiplyStep(mlir::Value firstRow, mlir::Value firstKey, int64_t count,
                      mlir::Value step, Values sums);

  const StridedOperand &query;
  Tiles queries, keys;
};

} // namespace tenon

#endif // TENON_PASSES_CPU_ATTENTION_TILEDSCORES_H
