// Columns are fetched before they are needed, by the tiles that compute
// meanwhile: lines of a panel follow one another, but the hardware sees neither
// where a tile goes next nor, where it has few rows, far enough ahead.
#ifndef TENON_PASSES_CPU_GEMM_COLUMNFETCHER_H
#define TENON_PASSES_CPU_GEMM_COLUMNFETCHER_H

#include "passes/cpu/tile/RegisterTile.h"
#include "passes/cpu/tile/TileKernel.h"

namespace tenon {

/// What the tiles of some rows fetch together: as many lines of each panel. The
/// products they compute meanwhile begin with number `first`; null: with 0.
struct FetchedPiece {
  int64_t rows, depth;
  mlir::Value first{};
};

class ColumnFetcher {
public:
  ColumnFetcher(Kernel &kernel, const ContractionNest &nest,
                const ContractionSize &size, RegisterTile tile);

  /// Lets a tile of `count` rows, the first of which is the piece's `row`,
  /// fetch its share of the columns that come after `columns`: `next` is where
  /// their first panel begins. A tile that is alone fetches what it reads
  /// itself; one row of several panels does nothing but read, which needs no
  /// help.
  void fetchNext(ColumnSource &columns, mlir::Value next, mlir::Value row,
                 int64_t count, FetchedPiece piece);

  /// The same for columns, `vectors` wide, that lie across rows at `next` and
  /// are packed after this piece, so that the packing does not wait for memory.
  void fetchForPacking(mlir::Value next, int64_t vectors, mlir::Value row,
                       int64_t count, FetchedPiece piece);

private:
  /// What an iteration of a tile's innermost loop reads: so many lines, each of
  /// so many elements, of each of its panels.
  struct PanelLines {
    int64_t panels, lines, elements;
  };

  bool readsThrough();
  bool staysInCache(int64_t rows);
  void fetchOwn(ColumnSource &columns, PanelLines read, int64_t count);
  void fetchPart(ColumnSource &columns, mlir::Value next, mlir::Value row,
                 PanelLines read, FetchedPiece piece);
  void fetchShare(ColumnSource &columns, mlir::Value next, mlir::Value row,
                  PanelLines read, FetchedPiece piece);
  int64_t tilesOf(FetchedPiece piece);
  mlir::Value numberOf(mlir::Value row);
  mlir::Value panelOffset(mlir::Value panel);
  mlir::Value partOffset(mlir::Value part, int64_t lines, PanelLines read,
                         FetchedPiece piece);
  IndexBuilder at() { return {b, loc}; }

  mlir::OpBuilder &b;
  mlir::Location loc;
  const ContractionNest &nest;
  ContractionSize size;
  RegisterTile tile;
  MachineAttr machine;
  int64_t lanes, together;
};

} // namespace tenon

#endif // TENON_PASSES_CPU_GEMM_COLUMNFETCHER_H
