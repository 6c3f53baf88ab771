// The columns of a task in AMX tiles.
#ifndef TENON_PASSES_CPU_AMX_AMXCOLUMNS_H
#define TENON_PASSES_CPU_AMX_AMXCOLUMNS_H

#include "passes/cpu/amx/AmxOperands.h"
#include "passes/cpu/tile/TilePanels.h"

namespace tenon {

class AmxColumns : AmxOperands {
public:
  AmxColumns(Kernel &kernel, const ContractionNest &nest, const AmxPlan &plan,
             const NestTask &task);

  /// Forgets the magnitudes of earlier tasks.
  void clear();
  /// The lines of a step; a line is one row of each tile.
  static constexpr int64_t linesOfStep = amxTile;
  /// Some lines of one step, found together.
  struct Lines {
    mlir::Value step, within; ///< the step, and the first line in it
    mlir::Value index;        ///< of the innermost sum
    mlir::Value inElement;    ///< the number of the index in an element of rhs
    llvm::SmallVector<mlir::Value> places, next; ///< in rhs, for each vector
  };
  Lines linesAt(const AmxPanel &panel, mlir::Value line);
  /// Splits or copies line number `number` of `lines`. Elements past the end of
  /// a tap are zeros. Prefetches columns that are read in place.
  void prepareLine(const AmxPanel &panel, const Lines &lines, int64_t number);
  /// Loads vector number `vector` of a panel into a tile register.
  mlir::Value load(const AmxPanel &panel, int64_t part, int64_t vector,
                   mlir::Value step);

  /// The scales of a panel, if the plan has groups.
  std::optional<ScaleSource> scalesOf(const TilePanel &panel);

  /// The magnitudes of a vector of columns, one column in each lane. Call
  /// `findMagnitudes` before magnitudesOf(): columns are examined only on
  /// demand, because few sums need it.
  void findMagnitudes(mlir::Value column, int64_t vectors);
  Magnitudes magnitudesOf(mlir::Value column);
  /// The place where a column starts in rhs.
  mlir::Value startOf(mlir::Value column);

private:
  void prefetch(mlir::Value place);
  mlir::Value placeInPanels(mlir::Value column, mlir::Value stride);
  mlir::Value loadColumns(const Lines &lines, int64_t vector, int64_t further);
  mlir::Value vectorOf(mlir::Value column, int64_t vector);
  mlir::Value placeInRhs(mlir::Value column, mlir::Value line);
  mlir::Value allLanes(mlir::Value k);
  mlir::Value lineOf(mlir::Value tap, mlir::Value index);
  mlir::Value placeOf(const AmxPanel &panel, int64_t part, int64_t vector,
                      mlir::Value step);
  void findMagnitudesOfVector(mlir::Value column);
  mlir::Value placeOfMagnitudes(mlir::Value column);

  mlir::Value parts; ///< tiles: [buffer][part][vector][step]
  /// The magnitudes found so far: two vectors side by side, the least and the
  /// greatest, with one column in each lane. Zeros mean that the columns are
  /// not examined yet.
  mlir::Value magnitudes;
};

} // namespace tenon

#endif // TENON_PASSES_CPU_AMX_AMXCOLUMNS_H
