// Shares of what comes next. A share is one prefetch, or a few, for every few
// steps of a tile: more would be in the way of its loads.
#include "passes/cpu/gemm/ColumnFetcher.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace tenon {

/// Rows of a product whose rows are known only in the run; those of one image
/// are.
constexpr int64_t typicalRows = 128;
/// Lines that the only tile of the rows fetches ahead, in all panels it reads
/// and in one: what memory answers meanwhile, a quarter of the first cache.
constexpr int64_t linesAhead = 192, mostInPanel = 128;
/// Small tiles do little but read, which the hardware follows by itself: the
/// same for them.
constexpr int64_t smallLinesAhead = 96, mostInSmallPanel = 64;
/// Fewer rows wait for a panel even where it comes from the second cache.
constexpr int64_t patientRows = 64;
/// Tiles of so few rows are all there is, as often as not.
constexpr int64_t smallTile = 3;
/// Rows of an image that are few.
constexpr int64_t fewRows = 16;
/// Lines a tile may fetch before a packing without being held up.
constexpr int64_t mostFetched = 32;

ColumnFetcher::ColumnFetcher(Kernel &kernel, const ContractionNest &nest,
                             const ContractionSize &size, RegisterTile tile)
    : b(kernel.builder), loc(kernel.loc()), nest(nest), size(size), tile(tile),
      machine(kernel.machine),
      lanes(machine.lanes(nest.sum.getIntOrFloatBitWidth() / 8)),
      together(stepsPerIteration(nest)) {}

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
/// after `rows` of them. An image may have no more: then each panel is read
/// but once, and comes from further away.
bool ColumnFetcher::staysInCache(int64_t rows) {
  return size.columns &&
         nest.storedBytes(*size.columns * *size.sum) <= machine.secondCache() &&
         (size.rowFactor <= fewRows || size.rowFactor > rows);
}

void ColumnFetcher::fetchNext(ColumnSource &columns, Value next, Value row,
                              int64_t count, FetchedPiece piece) {
  if (!readsThrough())
    return;
  int64_t width = nest.panels->width, panels = tile.vectors * lanes / width,
          bytes = nest.storedBytes(width * together),
          lines = bytes / machine.getLine();
  // Lines are fetched whole, and not by those who read a share of them.
  if (panels == 0 || lines * machine.getLine() != bytes ||
      (count == 1 && panels > 1))
    return;
  PanelLines read{panels, lines,
                  width * together / nest.sumsPerElement / lines};
  bool alone = size.rows ? *size.rows <= tile.rows
                         : count < tile.rows || tile.rows <= smallTile;
  if (alone)
    fetchOwn(columns, read, count);
  else if (size.rows && tilesOf(piece) <= lines)
    fetchPart(columns, next, row, read, piece);
  else if (count == tile.rows &&
           !(piece.rows >= patientRows && staysInCache(piece.rows)))
    fetchShare(columns, next, row, read, piece);
}

/// The only tile of the rows fetches what it reads itself, and where its panels
/// end what the next ones begin with.
void ColumnFetcher::fetchOwn(ColumnSource &columns, PanelLines read,
                             int64_t count) {
  bool small = count <= smallTile;
  int64_t perPanel = (small ? smallLinesAhead : linesAhead) / read.panels,
          steps = std::min(perPanel, small ? mostInSmallPanel : mostInPanel) /
                  read.lines;
  Value ahead = at().constant(steps * read.lines * read.elements);
  columns.ahead = FetchAhead{{}, read.lines, read.elements, true};
  for (int64_t p = 0; p < read.panels; ++p)
    columns.ahead->bases.push_back(
        at().add(columns.base, at().add(ahead, panelOffset(at().constant(p)))));
  if (read.panels == 1 || nest.sums.size() > 1)
    return;
  columns.ahead->turn =
      at().sub(nest.sums.back().extent, at().constant(steps * together));
  columns.ahead->jump = panelOffset(at().constant(read.panels - 1));
}

/// Each of a few tiles fetches a part of every panel: as many lines at any
/// time, from the first tile to the last.
void ColumnFetcher::fetchPart(ColumnSource &columns, Value next, Value row,
                              PanelLines read, FetchedPiece piece) {
  int64_t lines = llvm::divideCeilSigned(read.lines, tilesOf(piece));
  // The last part may reach into the one before.
  Value part = at().min(at().mul(numberOf(row), at().constant(lines)),
                        at().constant(read.lines - lines));
  Value base = at().add(next, partOffset(part, lines, read, piece));
  bool isSmall = nest.storedBytes(tile.vectors * lanes * piece.depth) <=
                 machine.firstCache();
  columns.ahead = FetchAhead{{}, lines, read.elements, isSmall};
  for (int64_t p = 0; p < read.panels; ++p)
    columns.ahead->bases.push_back(
        at().add(base, panelOffset(at().constant(p))));
}

/// Each of many tiles fetches a share of one panel.
void ColumnFetcher::fetchShare(ColumnSource &columns, Value next, Value row,
                               PanelLines read, FetchedPiece piece) {
  int64_t shares = read.lines;
  while (shares > 1 && tilesOf(piece) < read.panels * shares)
    shares /= 2;
  int64_t lines = read.lines / shares;
  Value number = numberOf(row);
  Value panel = at().min(at().floorDiv(number, at().constant(shares)),
                         at().constant(read.panels - 1));
  Value part = at().mul(at().remainder(number, at().constant(shares)),
                        at().constant(lines));
  Value base = at().add(at().add(next, panelOffset(panel)),
                        partOffset(part, lines, read, piece));
  columns.ahead = FetchAhead{{base}, lines, read.elements};
}

/// How many tiles the piece's rows are, as far as is known.
int64_t ColumnFetcher::tilesOf(FetchedPiece piece) {
  int64_t known =
      size.rows || size.rowFactor > fewRows ? size.rowFactor : typicalRows;
  return llvm::divideCeilSigned(std::min(known, piece.rows), tile.rows);
}

Value ColumnFetcher::numberOf(Value row) {
  return at().floorDiv(row, at().constant(tile.rows));
}

Value ColumnFetcher::panelOffset(Value panel) {
  return at().mul(panel, nest.panels->stride);
}

/// Where a tile begins to fetch, `lines` in each iteration, that leaves `part`
/// of a panel's lines to those before it. Its steps are counted from the first
/// product of all.
Value ColumnFetcher::partOffset(Value part, int64_t lines, PanelLines read,
                                FetchedPiece piece) {
  Value start =
      at().mul(part, at().constant(piece.depth / together * read.elements));
  if (!piece.first)
    return start;
  Value former = at().floorDiv(piece.first, at().constant(together));
  return at().sub(start,
                  at().mul(former, at().constant(lines * read.elements)));
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
