// Chooses the size of a contraction's register tile and of its task. This is
// pure arithmetic on static facts: the result depends neither on the number of
// threads nor on a dynamic extent.
#ifndef TENON_PASSES_CPU_TILE_REGISTERTILE_H
#define TENON_PASSES_CPU_TILE_REGISTERTILE_H

#include "dialects/tenon/Machine.h"
#include "passes/kernel/nest/NestTask.h"

#include <cstdint>
#include <optional>

namespace tenon {

/// Extents as far as they are known at compile time.
struct ContractionSize {
  std::optional<int64_t> outer, rows, columns, sum;
  int64_t rowFactor = 1; ///< the row count is a multiple of this
  /// Rows along the innermost dimension that windows slide over. A tile should
  /// not continue into the next such line; 0: no restriction.
  int64_t line = 0;
  bool isOpenImage = false; ///< the row count is not known and rarely small
};

/// A register tile: rows, and vectors of accumulators in each row.
struct RegisterTile {
  int64_t rows, vectors;
};

/// How the columns are stored.
struct ColumnLayout {
  bool scratch = false;     ///< columns are not contiguous: packed at run time
  int64_t panelVectors = 0; ///< vectors of a panel packed at compile time
  bool converted = false;   ///< columns are converted when they are loaded
  bool broadcastsInProducts = false; ///< no register holds a broadcast
  bool halves = false; ///< two rows may share the last vector's register
};

/// True if the remainder of `columns` fills no more than half a vector.
bool endInHalf(int64_t columns, int64_t lanes);

/// The tile for vectors of `lanes` elements. It is as wide as whole panels or
/// an even share of one panel.
RegisterTile chooseTile(const ContractionSize &size, MachineAttr machine,
                        int64_t lanes, const ColumnLayout &layout);

/// The rows of each of `parts` nearly equal parts, in whole tiles.
int64_t evenRows(int64_t rows, int64_t parts, RegisterTile tile);

TaskBlock chooseBlock(const ContractionSize &size, MachineAttr machine,
                      RegisterTile tile, int64_t lanes,
                      const ColumnLayout &layout);

} // namespace tenon

#endif // TENON_PASSES_CPU_TILE_REGISTERTILE_H
