// Sizes of register tiles and tasks. The registers must hold a tile's
// accumulators, one vector of columns for each of the tile's vectors, and a
// broadcast element. Further accumulators would spill.
#include "passes/cpu/tile/RegisterTile.h"

#include "dialects/tenon/NumericsContract.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

namespace tenon {
using llvm::divideCeilSigned;

/// The assumed value of an extent that is not known at compile time.
constexpr int64_t typicalExtent = 128;
/// The least products of a task: a few microseconds of work.
constexpr int64_t leastWork = 1 << 18;
constexpr int64_t maxWork = 1 << 22;
/// The wanted number of tasks: enough for sixteen threads to end at nearly the
/// same time.
constexpr int64_t wantedTasks = 64;
constexpr int64_t fewestTasks = 8;
/// The most rows of one task that reuses all columns of a panel.
constexpr int64_t maxRows = 256;
/// From this many rows it pays to read all columns again. Fewer suffice if the
/// columns stay in L2.
constexpr int64_t leastRows = 64, leastCachedRows = 32;
/// Parts of nearly equal work that two, four or eight threads share evenly.
constexpr int64_t evenParts = 8;
/// From this many rows the tile stays as tall as possible if columns are
/// converted: a remainder costs less than converting the columns more often.
constexpr int64_t tallRows = 24;
constexpr int64_t widestTile = 16;
/// The fewest rows of an image that are worth a tile of their own: that many
/// chains keep the multipliers busy.
constexpr int64_t fewestLineRows = 7;
/// Up to this many rows are computed as fast as the columns come from memory.
constexpr int64_t waitingRows = 16;
/// The most panels that a tile of few rows reads at once, each from its start
/// to its end. The hardware prefetches more streams less well.
constexpr int64_t panelStreams = 4;
/// Reading an element of the columns takes as long as this many products.
constexpr int64_t productsPerRead = 16;

/// The assumed rows and vectors of columns if the extents are known only at run
/// time. All tile sizes divide them, so that no remainder affects the choice.
constexpr int64_t rowsForAll = 24, vectorsForAll = 12;

int64_t evenRows(int64_t rows, int64_t parts, RegisterTile tile) {
  return divideCeilSigned(divideCeilSigned(rows, parts), tile.rows) * tile.rows;
}

bool endInHalf(int64_t columns, int64_t lanes) {
  int64_t rest = columns % lanes;
  return lanes >= 8 && rest > 0 && 2 * rest <= lanes;
}

namespace {
/// Estimates the cycles of all rows and columns for one step of the sum: two
/// products or two loads a cycle, and four cycles of latency from one product
/// of a chain to the next.
struct TileCost {
  ContractionSize size;
  int64_t vectors;
  bool half; ///< the last vector is shared by two rows

  int64_t of(RegisterTile tile) const;
  /// The best tile with `most.vectors` vectors and between two thirds and all
  /// of `most.rows` rows. A tile without a remainder of rows is preferred, then
  /// one whose rows divide a line, then the lowest cost.
  RegisterTile best(RegisterTile most) const;

private:
  int64_t rows() const;
  int64_t left(RegisterTile tile) const;
  int64_t ofTile(int64_t rows, int64_t whole, bool half) const;
  int64_t ofRow(int64_t rows, int64_t tileVectors) const;
};

/// The rows of the remainder, as priced. If the number of rows is known only at
/// run time, a remainder counts as a full tile, because its code costs as much.
int64_t TileCost::left(RegisterTile tile) const {
  int64_t rest = rows() % tile.rows;
  return size.rows || rest == 0 ? rest : tile.rows;
}

/// The number of rows, as priced. If the batch is a dynamic extent, the rows of
/// one image count, or a multiple that all tile sizes divide if they are few.
int64_t TileCost::rows() const {
  constexpr int64_t fewest = 8;
  if (size.rows)
    return *size.rows;
  return size.rowFactor < fewest ? size.rowFactor * rowsForAll : size.rowFactor;
}

int64_t TileCost::ofTile(int64_t rows, int64_t whole, bool half) const {
  int64_t products = rows * whole + (half ? divideCeilSigned(rows, 2) : 0),
          loads = rows + whole + half, chain = 8;
  return std::max({products, loads, chain});
}

int64_t TileCost::ofRow(int64_t rows, int64_t tileVectors) const {
  if (rows == 0)
    return 0;
  int64_t last = vectors % tileVectors ? vectors % tileVectors : tileVectors,
          others = (vectors - last) / tileVectors;
  bool shared = half && rows > 1;
  return others * ofTile(rows, tileVectors, false) +
         ofTile(rows, last - shared, shared);
}

int64_t TileCost::of(RegisterTile tile) const {
  return rows() / tile.rows * ofRow(tile.rows, tile.vectors) +
         ofRow(left(tile), tile.vectors);
}

RegisterTile TileCost::best(RegisterTile most) const {
  auto rank = [&](int64_t rows) {
    RegisterTile tile{rows, most.vectors};
    return std::tuple(left(tile) != 0, size.line % rows != 0, of(tile), -rows);
  };
  RegisterTile tile = most;
  for (int64_t fewer = most.rows; 3 * fewer >= 2 * most.rows; --fewer)
    if (rank(fewer) < rank(tile.rows))
      tile.rows = fewer;
  // A line of an image is computed without asking what is inside.
  if (size.line >= fewestLineRows && size.line < tile.rows &&
      rank(size.line) < rank(tile.rows))
    tile.rows = size.line;
  return tile;
}
} // namespace

RegisterTile chooseTile(const ContractionSize &size, MachineAttr machine,
                        int64_t lanes, const ColumnLayout &layout) {
  bool few = machine.getRegisters() < 32;
  int64_t accumulators = machine.accumulators();
  int64_t vectors =
      size.columns
          ? std::max<int64_t>(1, divideCeilSigned(*size.columns, lanes))
          : 0;
  int64_t group = std::max<int64_t>(1, layout.panelVectors);
  // True if a tile is as wide as whole panels or an even share of one panel.
  auto fits = [&](int64_t count) {
    return count % group == 0 || group % count == 0;
  };
  auto whole = [&](int64_t count) {
    while (!fits(count))
      --count;
    return count;
  };
  if (size.rows && *size.rows <= memoryBoundRows) {
    int64_t rows = std::max<int64_t>(1, *size.rows);
    int64_t streams = layout.scratch        ? 2
                      : layout.panelVectors ? std::max(panelStreams, group)
                                            : widestTile;
    int64_t most = whole(std::min(streams, accumulators / rows));
    if (vectors)
      most = std::min(whole(vectors + group - 1), most);
    return {rows, most};
  }
  bool tall = layout.converted && size.rows && *size.rows >= tallRows;
  // A tile should read whole panels, unless many rows find them in a cache.
  // Among tiles of equal cost the first one is chosen.
  constexpr RegisterTile wide[] = {{8, 3}, {6, 4}, {12, 2}, {3, 6}},
                         noBroadcasts[] = {{8, 3}, {6, 4}, {12, 2}, {4, 6}},
                         narrow[] = {{6, 2}, {4, 3}, {3, 4}};
  std::span<const RegisterTile> candidates = wide;
  if (few)
    candidates = narrow;
  else if (layout.broadcastsInProducts)
    candidates = noBroadcasts; // registers hold no elements of rows
  TileCost cost{size, vectors ? vectors : vectorsForAll, layout.halves};
  auto best = [&](RegisterTile most) {
    if (size.rows)
      most.rows = std::clamp<int64_t>(*size.rows, 1, most.rows);
    // With fewer rows in a tile, fewer would share each column's conversion.
    return tall ? most : cost.best(most);
  };
  // Few rows wait for the columns, so fewer tiles that read them are better.
  auto passes = [&](RegisterTile tile) -> int64_t {
    return size.rows && *size.rows <= waitingRows
               ? divideCeilSigned(*size.rows, tile.rows)
               : 0;
  };
  // An image of unknown size has code for three tiles in each panel, so a last
  // panel of its own is avoided.
  auto leavesColumns = [&](RegisterTile tile) {
    return size.isOpenImage && vectors % tile.vectors != 0;
  };
  RegisterTile tile{0, 0};
  std::tuple<bool, int64_t, int64_t, bool> least;
  for (RegisterTile candidate : candidates) {
    if (!fits(candidate.vectors))
      continue;
    candidate = best(candidate);
    std::tuple here(!tall && candidate.vectors < group, cost.of(candidate),
                    passes(candidate), leavesColumns(candidate));
    if (tile.rows && here >= least)
      continue;
    tile = candidate;
    least = here;
  }
  if (tile.rows == 0)
    tile = best({std::max<int64_t>(1, accumulators / group), group});
  if (vectors && vectors < tile.vectors && vectors % group == 0) {
    int64_t most = few ? 8 : size.line ? 16 : 12;
    tile =
        best({std::min(most, 2 * accumulators / (2 * vectors - layout.halves)),
              vectors});
  }
  return tile;
}

/// The rows of one image if the batch is a dynamic extent and the image has
/// enough rows; otherwise a typical number.
static int64_t typicalRows(const ContractionSize &size) {
  int64_t typical =
      size.rowFactor >= leastCachedRows ? size.rowFactor : typicalExtent;
  return std::max<int64_t>(1, size.rows.value_or(typical));
}

/// The number of parts that the rows are divided into; each part reads all
/// columns. Two, four or eight threads share the parts evenly, so that in the
/// next contraction each thread reads rows that it wrote itself.
static int64_t rowParts(const ContractionSize &size, int64_t rows,
                        bool areCached) {
  int64_t fewest = divideCeilSigned(rows, maxRows),
          least = areCached ? leastCachedRows : leastRows,
          parts = llvm::alignTo(fewest, evenParts);
  if (size.outer.value_or(1) >= evenParts)
    return fewest;
  while (parts > fewest && rows < parts * least)
    parts /= 2;
  return std::max(parts, fewest);
}

TaskBlock chooseBlock(const ContractionSize &size, MachineAttr machine,
                      RegisterTile tile, int64_t lanes,
                      const ColumnLayout &layout) {
  int64_t outer = size.outer.value_or(1), rows = typicalRows(size),
          pricedRows = std::max(rows, productsPerRead),
          columns = std::max<int64_t>(1, size.columns.value_or(typicalExtent)),
          sum = std::max<int64_t>(1, size.sum.value_or(typicalExtent));
  int64_t work = std::clamp(outer * pricedRows * columns * sum / wantedTasks,
                            leastWork, maxWork);
  int64_t panel = tile.vectors * lanes;
  TaskBlock block;
  int64_t columnBytes = columns * sum * 4;
  // Columns that take up to a quarter of L2 stay in it. Tasks of whole rows
  // then read and write memory in order.
  if (!layout.scratch && size.columns && size.sum &&
      columnBytes <= machine.l2Bytes() / 4) {
    block.columns = divideCeilSigned(columns, panel) * panel;
    block.rows =
        std::max<int64_t>(1, work / (columns * sum * tile.rows)) * tile.rows;
    return block;
  }
  // Few rows share each panel of columns, so all of them are one block. More
  // rows are divided evenly, because a small last block would cost a whole
  // panel.
  int64_t parts = layout.scratch
                      ? divideCeilSigned(rows, maxRows)
                      : rowParts(size, rows, columnBytes <= machine.l2Bytes());
  block.rows = evenRows(rows, parts, tile);
  block.columns =
      panel *
      std::max<int64_t>(
          1, work / (std::max(block.rows, productsPerRead) * sum * panel));
  // Rows are divided further only if there are too few tasks: each part reads
  // all columns again and may have to pack them again.
  auto tasks = [&] {
    return outer * divideCeilSigned(columns, block.columns) * parts;
  };
  while (tasks() < fewestTasks && block.rows > 4 * tile.rows &&
         block.rows * sum * panel > 2 * work)
    block.rows = evenRows(rows, parts *= 2, tile);
  // If a task has all columns, it may have more rows.
  if (size.columns && block.columns >= columns)
    block.rows =
        std::max(block.rows, work / (columns * sum) / tile.rows * tile.rows);
  return block;
}

} // namespace tenon
