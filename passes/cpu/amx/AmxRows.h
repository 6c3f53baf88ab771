// The rows of a task in AMX tiles.
#ifndef TENON_PASSES_CPU_AMX_AMXROWS_H
#define TENON_PASSES_CPU_AMX_AMXROWS_H

#include "passes/cpu/amx/AmxOperands.h"
#include "passes/cpu/tile/TileKernel.h"

namespace tenon {

class AmxRows : AmxOperands {
public:
  /// `windows` says which taps are inside the input.
  AmxRows(Kernel &kernel, const ContractionNest &nest, const AmxPlan &plan,
          const NestTask &task, TileKernel &windows);

  /// Forgets the magnitudes of earlier tasks.
  void clear();
  /// Splits or copies the elements of row number `row` of the task in a piece.
  /// Does nothing for rows that are read in place. Elements past the end of a
  /// tap, and taps outside the input, are zeros.
  void prepare(const AmxPiece &piece, mlir::Value row);
  /// The first row of a tile, counted from the task's first row. If rows are
  /// read in place, the last tile of all starts early enough to be whole, and
  /// repeats rows of the tile before it.
  mlir::Value firstOf(mlir::Value tile);
  /// Loads a tile of rows into a register.
  mlir::Value load(const AmxPiece &piece, int64_t part, mlir::Value tile,
                   mlir::Value step);
  /// The magnitudes of a row, the same in all lanes.
  Magnitudes magnitudesOf(mlir::Value row);
  /// The place where a row starts in lhs.
  mlir::Value startOf(mlir::Value row);

private:
  void prepareTap(const AmxPiece &piece, mlir::Value row, mlir::Value start,
                  mlir::Value firstStep);
  void copy(const AmxPiece &piece, mlir::Value row, mlir::Value start,
            mlir::Value firstStep);
  void split(const AmxPiece &piece, mlir::Value row, mlir::Value start,
             mlir::Value firstStep);
  void clearTap(const AmxPiece &piece, mlir::Value row, mlir::Value firstStep);
  mlir::Value firstLanes(int64_t count, mlir::Value left);
  mlir::Value placeOf(int64_t part, mlir::Value row, mlir::Value step);

  TileKernel &windows;
  mlir::Value parts; ///< tiles: [part][tile of rows][step]
  /// The magnitudes found so far: two vectors side by side, the least and the
  /// greatest, with lanes in an unspecified order.
  mlir::Value magnitudes;
};

} // namespace tenon

#endif // TENON_PASSES_CPU_AMX_AMXROWS_H
