// How large a piece of a contraction stays in registers, and how large a piece
// is one task. Pure arithmetic on static facts: neither the number of threads
// nor a dynamic extent has a say.
#ifndef TENON_PASSES_CPU_TILE_REGISTERTILE_H
#define TENON_PASSES_CPU_TILE_REGISTERTILE_H

#include "dialects/tenon/Machine.h"

#include <cstdint>
#include <optional>

namespace tenon {

/// Extents as far as they are known at compile time.
struct ContractionSize {
  std::optional<int64_t> outer, rows, columns, sum;
  int64_t rowFactor = 1; ///< divides the rows, however many they are
  /// Rows side by side in what windows slide over, where tiles should not go on
  /// into the next line; 0: no matter.
  int64_t line = 0;
};

/// Rows and vectors of accumulators.
struct RegisterTile {
  int64_t rows, vectors;
};

/// Rows and columns of the result that one task computes.
struct TaskBlock {
  int64_t rows, columns;
};

/// Where the columns come from.
struct ColumnLayout {
  bool scratch = false;     ///< packed in the run, from many places
  int64_t panelVectors = 0; ///< packed before: vectors of a panel
  bool converted = false;   ///< to what they are summed in, where they are read
  bool halves = false;      ///< two rows may share the last vector's register
};

/// Whether the last of `columns` fill no more than half a vector.
bool endInHalf(int64_t columns, int64_t lanes);

/// The tile for vectors of `lanes` elements: whole panels, or an even share of
/// one.
RegisterTile chooseTile(const ContractionSize &size, MachineAttr machine,
                        int64_t lanes, const ColumnLayout &layout);

/// Rows of each of `parts` about equal parts, in whole tiles.
int64_t evenRows(int64_t rows, int64_t parts, RegisterTile tile);

TaskBlock chooseBlock(const ContractionSize &size, MachineAttr machine,
                      RegisterTile tile, int64_t lanes,
                      const ColumnLayout &layout);

} // namespace tenon

#endif // TENON_PASSES_CPU_TILE_REGISTERTILE_H
