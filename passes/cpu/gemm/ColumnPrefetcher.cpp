// Each tile prefetches a share of the next columns: one or a few cache lines
// for every few steps. More prefetches would delay the tile's own loads.
#include "passes/cpu/gemm/ColumnPrefetcher.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace tenon {

/// The assumed number of rows if it is known only at run time. The rows of one
/// image are known.
constexpr int64_t typicalRows = 128;
/// The prefetch distance in cache lines if one tile computes all rows:
/// `linesAhead` over all panels, `maxInPanel` in each panel. Memory delivers
/// that many lines in time, and 128 lines are a quarter of L1.
constexpr int64_t linesAhead = 192, maxInPanel = 128;
/// The same two limits for small tiles. They are lower because a small tile
/// does little but read, which the hardware prefetcher follows by itself.
constexpr int64_t smallLinesAhead = 96, maxInSmallPanel = 64;
/// The limit of both kinds for weights in fewer bits that are prefetched into
/// L2.
constexpr int64_t linesAheadInL2 = 48;
/// Fewer rows than this wait for a panel even if it comes from L2.
constexpr int64_t patientRows = 64;
/// A tile of at most this many rows is often the only tile.
constexpr int64_t smallTile = 3;
/// An image with at most this many rows is small.
constexpr int64_t smallImage = 16;
/// The most cache lines that a tile can prefetch for a later packing without a
/// delay of its own.
constexpr int64_t maxPrefetched = 32;

ColumnPrefetcher::ColumnPrefetcher(Kernel &kernel, const ContractionNest &nest,
                                   const ContractionSize &size,
                                   RegisterTile tile)
    : b(kernel.builder), loc(kernel.loc()), nest(nest), size(size), tile(tile),
      machine(kernel.machine),
      lanes(machine.lanes(nest.sum.getIntOrFloatBitWidth() / 8)),
      iterationSteps(stepsPerIteration(nest)) {}

/// True if the sums read a panel from its start to its end in memory order.
bool ColumnPrefetcher::readsThrough() {
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

/// True if all columns are still in L2 when the next rows follow, after `rows`
/// rows. An image may have no further rows: then each panel is read only once
/// and comes from a more distant cache or memory.
bool ColumnPrefetcher::staysInCache(int64_t rows) {
  return size.columns &&
         nest.storedBytes(*size.columns * *size.sum) <= machine.l2Bytes() &&
         (size.rowFactor <= smallImage || size.rowFactor > rows);
}

void ColumnPrefetcher::prefetchNext(ColumnSource &columns, Value next,
                                    Value row, int64_t count,
                                    PrefetchedPiece piece) {
  if (!readsThrough())
    return;
  int64_t width = nest.panels->width, panels = tile.vectors * lanes / width,
          bytes = nest.storedBytes(width * iterationSteps),
          lines = bytes / machine.getLine();
  // Only whole cache lines are prefetched, and a tile that reads only a part of
  // a panel prefetches none.
  if (panels == 0 || lines * machine.getLine() != bytes ||
      (count == 1 && panels > 1))
    return;
  PanelLines read{panels, lines,
                  width * iterationSteps / nest.sumsPerElement / lines};
  bool alone =
      size.rows ? *size.rows <= tile.rows
                : piece.fewRows || count < tile.rows || tile.rows <= smallTile;
  if (alone)
    prefetchOwn(columns, read, count);
  else if (size.rows && tilesOf(piece) <= lines)
    prefetchPart(columns, next, row, read, piece);
  else if (count == tile.rows &&
           !(piece.rows >= patientRows && staysInCache(piece.rows)))
    prefetchShare(columns, next, row, read, piece);
}

/// The only tile of the rows prefetches what it reads itself. At the end of its
/// panels it prefetches the beginning of the next ones. It prefetches nothing
/// that the processor reads ahead by itself.
void ColumnPrefetcher::prefetchOwn(ColumnSource &columns, PanelLines read,
                                   int64_t count) {
  if (machine.getReadsAhead() && isa<FloatType>(nest.rhsElement))
    return;
  bool small = count <= smallTile,
       intoL2 = machine.prefetchesIntoL2() && nest.rhsElement != nest.sum;
  auto [all, inPanel] = intoL2  ? std::pair(linesAheadInL2, linesAheadInL2)
                        : small ? std::pair(smallLinesAhead, maxInSmallPanel)
                                : std::pair(linesAhead, maxInPanel);
  int64_t steps = std::min(all / read.panels, inPanel) / read.lines;
  Value ahead = at().constant(steps * read.lines * read.elements);
  columns.prefetch = Prefetch{{}, read.lines, read.elements, !intoL2};
  for (int64_t p = 0; p < read.panels; ++p)
    columns.prefetch->bases.push_back(
        at().add(columns.base, at().add(ahead, panelOffset(at().constant(p)))));
  if (read.panels == 1 || nest.sums.size() > 1)
    return;
  columns.prefetch->turn =
      at().sub(nest.sums.back().extent, at().constant(steps * iterationSteps));
  columns.prefetch->jump = panelOffset(at().constant(read.panels - 1));
}

/// Each of a few tiles prefetches a part of every panel. All tiles prefetch at
/// the same rate, from the first to the last.
void ColumnPrefetcher::prefetchPart(ColumnSource &columns, Value next,
                                    Value row, PanelLines read,
                                    PrefetchedPiece piece) {
  int64_t lines = llvm::divideCeilSigned(read.lines, tilesOf(piece));
  // The last part may overlap the part before it.
  Value part = at().min(at().mul(numberOf(row), at().constant(lines)),
                        at().constant(read.lines - lines));
  Value base = at().add(next, partOffset(part, lines, read, piece));
  bool isSmall =
      nest.storedBytes(tile.vectors * lanes * piece.depth) <= machine.l1Bytes();
  columns.prefetch = Prefetch{{}, lines, read.elements, isSmall};
  for (int64_t p = 0; p < read.panels; ++p)
    columns.prefetch->bases.push_back(
        at().add(base, panelOffset(at().constant(p))));
}

/// Each of many tiles prefetches a share of one panel.
void ColumnPrefetcher::prefetchShare(ColumnSource &columns, Value next,
                                     Value row, PanelLines read,
                                     PrefetchedPiece piece) {
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
  columns.prefetch = Prefetch{{base}, lines, read.elements};
}

/// The number of tiles in the piece's rows; an estimate if the rows are
/// unknown.
int64_t ColumnPrefetcher::tilesOf(PrefetchedPiece piece) {
  int64_t known =
      size.rows || size.rowFactor > smallImage ? size.rowFactor : typicalRows;
  return llvm::divideCeilSigned(std::min(known, piece.rows), tile.rows);
}

Value ColumnPrefetcher::numberOf(Value row) {
  return at().floorDiv(row, at().constant(tile.rows));
}

Value ColumnPrefetcher::panelOffset(Value panel) {
  return at().mul(panel, nest.panels->stride);
}

/// The offset at which a tile begins to prefetch part number `part` of a panel,
/// `lines` cache lines in each iteration. The tiles before it prefetch the
/// earlier parts. The tile's iterations are counted from the first product of
/// the sum, not from the first of the piece, so the offset subtracts the
/// earlier ones.
Value ColumnPrefetcher::partOffset(Value part, int64_t lines, PanelLines read,
                                   PrefetchedPiece piece) {
  Value start = at().mul(
      part, at().constant(piece.depth / iterationSteps * read.elements));
  if (!piece.first)
    return start;
  Value former = at().floorDiv(piece.first, at().constant(iterationSteps));
  return at().sub(start,
                  at().mul(former, at().constant(lines * read.elements)));
}

void ColumnPrefetcher::prefetchForPacking(Value next, int64_t vectors,
                                          Value row, int64_t count,
                                          PrefetchedPiece piece) {
  if (count != tile.rows)
    return;
  int64_t rows = std::min(piece.rows, size.rows.value_or(piece.rows)),
          tiles = std::max<int64_t>(1, rows / tile.rows),
          share = (piece.depth + tiles - 1) / tiles;
  if (share > maxPrefetched)
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
