// Shares of what comes next. A share is one prefetch, or a few, for every few
// steps of a tile: more would be in the way of its loads.
#include "passes/cpu/ColumnFetcher.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace tenon {

/// Rows of a product whose rows are known only in the run; those of one image
/// are.
constexpr int64_t typicalRows = 128;
/// Up to so many rows fetch their own columns, this many lines ahead in each of
/// a few panels, or in one.
constexpr int64_t ownReaders = 16, fetchDistance = 32, singleDistance = 64;
/// Fewer rows wait for a panel even where it comes from the second cache.
constexpr int64_t patientRows = 64;
/// Tiles of so few rows are all there is, as often as not.
constexpr int64_t smallTile = 3;
/// Lines a tile may fetch before a packing without being held up.
constexpr int64_t mostFetched = 32;

ColumnFetcher::ColumnFetcher(Kernel &kernel, const ContractionNest &nest,
                             const ContractionSize &size, RegisterTile tile)
    : b(kernel.builder), loc(kernel.loc()), nest(nest), size(size), tile(tile),
      lanes(kernel.vectorBytes * 8 / nest.sum.getIntOrFloatBitWidth()) {}

/// Whether the sums go through a panel from its start to its end.
bool ColumnFetcher::readsThrough() {
  if (!nest.panels || !size.sum)
    return false;
  int64_t next = nest.panels->width / nest.sumsPerElement;
  for (const SumDim &dim : llvm::reverse(nest.sums)) {
    if (getConstantIntValue(dim.rhsStride) != next)
      return false;
    next *= *getConstantIntValue(dim.extent);
  }
  return true;
}

/// Whether all columns are still in the second cache when the next rows come,
/// after `together` of them. An image may have no more: then each panel is read
/// but once, and comes from further away.
bool ColumnFetcher::staysInCache(int64_t together) {
  return size.columns &&
         nest.storedBytes(*size.columns * *size.sum) <= secondCache &&
         (size.rowFactor <= ownReaders || size.rowFactor > together);
}

void ColumnFetcher::fetchNext(ColumnSource &columns, Value next, Value row,
                              int64_t count, FetchedPiece piece) {
  if (!readsThrough())
    return;
  int64_t width = nest.panels->width, panels = tile.vectors * lanes / width,
          together = stepsTogether(nest),
          lines = nest.storedBytes(width * together) / lineBytes;
  // Lines are fetched whole, and not by those who read a share of them.
  if (panels == 0 || lines * lineBytes != nest.storedBytes(width * together))
    return;
  bool own = size.rows ? *size.rows <= ownReaders
                       : count < tile.rows || tile.rows <= smallTile;
  if ((size.rows || !own) && count != tile.rows)
    return;
  if (count == 1 && panels > 1)
    return;
  int64_t lineElements = width * together / nest.sumsPerElement / lines;
  if (own) {
    int64_t distance = panels == 1 ? singleDistance : fetchDistance;
    columns.ahead = FetchAhead{{}, lines, lineElements, true};
    for (int64_t p = 0; p < panels; ++p)
      columns.ahead->bases.push_back(
          at().add(at().add(columns.base,
                            at().mul(at().constant(p), nest.panels->stride)),
                   at().constant(distance * lineElements)));
    return;
  }
  if (piece.rows >= patientRows && staysInCache(piece.rows))
    return;
  int64_t known =
      size.rows || size.rowFactor > ownReaders ? size.rowFactor : typicalRows;
  int64_t rows = std::min(known, piece.rows),
          tiles = (rows - 1) / tile.rows + 1, shares = lines;
  while (shares > 1 && tiles < panels * shares)
    shares /= 2;
  Value number = at().floorDiv(row, at().constant(tile.rows));
  Value panel = at().min(at().floorDiv(number, at().constant(shares)),
                         at().constant(panels - 1));
  Value share = at().remainder(number, at().constant(shares));
  Value base =
      at().add(at().add(next, at().mul(panel, nest.panels->stride)),
               at().mul(share, at().constant(piece.depth / shares * width /
                                             nest.sumsPerElement)));
  int64_t linesNow = lines / shares;
  // The tile counts its steps from the first product of all.
  if (piece.first)
    base = at().sub(
        base, at().mul(at().floorDiv(piece.first, at().constant(together)),
                       at().constant(linesNow * lineElements)));
  columns.ahead = FetchAhead{{base}, linesNow, lineElements};
}

void ColumnFetcher::fetchForPacking(Value next, int64_t vectors, Value row,
                                    int64_t count, FetchedPiece piece) {
  if (count != tile.rows)
    return;
  int64_t rows = std::min(piece.rows, size.rows.value_or(piece.rows)),
          tiles = std::max<int64_t>(1, rows / tile.rows),
          share = (piece.depth + tiles - 1) / tiles;
  if (share > mostFetched)
    return;
  Value line = at().mul(at().floorDiv(row, at().constant(tile.rows)),
                        at().constant(share));
  for (int64_t i = 0; i < share; ++i) {
    Value k = at().add(line, at().constant(i));
    Value from = at().add(next, at().mul(k, nest.sums.back().rhsStride));
    for (int64_t v = 0; v < vectors; ++v)
      memref::PrefetchOp::create(
          b, loc, nest.rhs,
          ValueRange{at().add(from, at().constant(v * lanes))},
          /*isWrite=*/false, /*localityHint=*/2, /*isDataCache=*/true);
  }
}

} // namespace tenon
