// Prefetches columns in the loops of the tiles that compute before the columns
// are needed. The cache lines of a panel are consecutive, but the hardware
// prefetcher does not know which panel comes next. If a tile has few rows, the
// hardware also does not prefetch early enough.
#ifndef TENON_PASSES_CPU_GEMM_COLUMNPREFETCHER_H
#define TENON_PASSES_CPU_GEMM_COLUMNPREFETCHER_H

#include "passes/cpu/tile/RegisterTile.h"
#include "passes/cpu/tile/TileKernel.h"

namespace tenon {

/// The work during which tiles prefetch the next columns: `rows` rows and
/// `depth` products. `first` is the number of the first product; null: 0.
/// `fewRows` is true if few tiles read the piece, so that each prefetches the
/// columns that it reads itself.
struct PrefetchedPiece {
  int64_t rows, depth;
  mlir::Value first{};
  bool fewRows = false;
};

class ColumnPrefetcher {
public:
  ColumnPrefetcher(Kernel &kernel, const ContractionNest &nest,
                   const ContractionSize &size, RegisterTile tile);

  /// Lets a tile prefetch its share of the columns that come after `columns`.
  /// The tile has `count` rows and starts at the piece's row `row`; the first
  /// panel of the next columns begins at `next`. If one tile or a few compute
  /// all rows, each prefetches the columns that it reads itself. A tile of one
  /// row and several panels prefetches nothing: it does little but read, and
  /// the hardware prefetcher suffices.
  void prefetchNext(ColumnSource &columns, mlir::Value next, mlir::Value row,
                    int64_t count, PrefetchedPiece piece);

  /// Lets a tile prefetch columns that are packed after this piece, so that the
  /// packing does not wait for memory. The columns are `vectors` wide and begin
  /// at `next` in unpacked rows of rhs.
  void prefetchForPacking(mlir::Value next, int64_t vectors, mlir::Value row,
                          int64_t count, PrefetchedPiece piece);

private:
  /// The cache lines that one iteration of a tile's innermost loop reads:
  /// `lines` lines of `elements` elements in each of `panels` panels.
  struct PanelLines {
    int64_t panels, lines, elements;
  };

  bool readsThrough();
  bool staysInCache(int64_t rows);
  void prefetchOwn(ColumnSource &columns, PanelLines read, int64_t count);
  void prefetchPart(ColumnSource &columns, mlir::Value next, mlir::Value row,
                    PanelLines read, PrefetchedPiece piece);
  void prefetchShare(ColumnSource &columns, mlir::Value next, mlir::Value row,
                     PanelLines read, PrefetchedPiece piece);
  int64_t tilesOf(PrefetchedPiece piece);
  mlir::Value numberOf(mlir::Value row);
  mlir::Value panelOffset(mlir::Value panel);
  mlir::Value partOffset(mlir::Value part, int64_t lines, PanelLines read,
                         PrefetchedPiece piece);
  IndexBuilder at() { return {b, loc}; }

  mlir::OpBuilder &b;
  mlir::Location loc;
  const ContractionNest &nest;
  ContractionSize size;
  RegisterTile tile;
  MachineAttr machine;
  int64_t lanes, iterationSteps;
};

} // namespace tenon

#endif // TENON_PASSES_CPU_GEMM_COLUMNPREFETCHER_H
