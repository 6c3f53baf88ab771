// A task's operands as AMX multiplies them: pieces of rows and columns split
// into bf16 parts, in tiles on the stack, and the magnitudes of what was split.
#ifndef TENON_PASSES_CPU_AMX_AMXOPERANDS_H
#define TENON_PASSES_CPU_AMX_AMXOPERANDS_H

#include "passes/cpu/amx/AmxPlan.h"
#include "passes/cpu/amx/BfloatParts.h"
#include "passes/cpu/tile/GemmTask.h"
#include "passes/cpu/tile/KernelLoops.h"
#include "passes/kernel/nest/ContractionNest.h"

namespace tenon {

class AmxOperands : KernelLoops {
public:
  AmxOperands(Kernel &kernel, const ContractionNest &nest, const AmxPlan &plan,
              const GemmTask &task);

  /// Forgets the magnitudes of former tasks.
  void clear();
  /// The next sums are those from k on, in so many steps.
  void enter(mlir::Value k, mlir::Value steps);
  /// Splits row number `row` of the task, or `vectors` vectors of columns from
  /// `column` on, where they are not read from memory; zeros stand for sums
  /// past the end.
  void bringRow(mlir::Value row);
  void bringColumns(mlir::Value column, int64_t vectors);

  /// What was brought, in tile registers: 16 rows of the task, or vector number
  /// `vector` of the panel that starts with `column`.
  mlir::Value loadRows(int64_t part, mlir::Value tile, mlir::Value step);
  mlir::Value loadColumns(int64_t part, mlir::Value column, int64_t vector,
                          mlir::Value step);

  /// Of a row, in all lanes; of a vector of columns after they were looked at.
  /// Few sums ask for the latter.
  Magnitudes magnitudesOfRow(mlir::Value row);
  void findMagnitudes(mlir::Value column, int64_t vectors);
  Magnitudes magnitudesOfColumns(mlir::Value column);

  /// Where a row starts in lhs, and a column in rhs.
  mlir::Value startOfRow(mlir::Value row);
  mlir::Value startOfColumn(mlir::Value column);

private:
  void splitRow(mlir::Value row);
  void splitColumns(mlir::Value column, int64_t vectors);
  llvm::SmallVector<mlir::Value> pairsOfParts(mlir::Value low, mlir::Value high,
                                              int64_t count);
  void findMagnitudesOfVector(mlir::Value column);
  void copyRow(mlir::Value row);
  void copyColumns(mlir::Value column, int64_t vectors);
  mlir::Value load(mlir::VectorType type, mlir::Value memory,
                   mlir::Value place);
  mlir::Value loadMasked(mlir::VectorType type, mlir::Value memory,
                         mlir::Value place, mlir::Value mask);
  mlir::Value loadFloats(mlir::Value memory, mlir::Type element,
                         mlir::Value place, mlir::Value mask);
  mlir::Value firstLanes(int64_t count, mlir::Value left);
  mlir::Value allLanes(mlir::Value line);
  void storeParts(mlir::Value word, mlir::Value memory, mlir::Value place);
  mlir::Value loadTile(mlir::Value memory, mlir::Value place,
                       mlir::Value stride);
  mlir::Value placeOfTile(mlir::Value line, mlir::Value step);
  mlir::Value placeInRows(int64_t part, mlir::Value row, mlir::Value step);
  mlir::Value placeOfMagnitudes(mlir::Value column);

  const ContractionNest &nest;
  const AmxPlan &plan;
  const GemmTask &task;
  mlir::VectorType words;
  mlir::Value k, steps; ///< the piece at hand
  /// Tiles of parts: [part][tile of rows][step] and [part][vector][step].
  mlir::Value rowParts, columnParts;
  /// Vectors of the least and the greatest side by side: of each row, in lanes
  /// that mean nothing, and of each vector of columns, zeros while they have
  /// not been looked at.
  mlir::Value rowMagnitudes, columnMagnitudes;
};

} // namespace tenon

#endif // TENON_PASSES_CPU_AMX_AMXOPERANDS_H
