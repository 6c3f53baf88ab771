// A task's operands in the layout that AMX multiplies: pieces of rows and
// columns, split into bf16 parts, in tiles on the stack. Also finds the
// magnitudes of the split numbers.
#ifndef TENON_PASSES_CPU_AMX_AMXOPERANDS_H
#define TENON_PASSES_CPU_AMX_AMXOPERANDS_H

#include "passes/cpu/amx/AmxPlan.h"
#include "passes/cpu/amx/BfloatParts.h"
#include "passes/kernel/KernelLoops.h"
#include "passes/kernel/nest/ContractionNest.h"
#include "passes/kernel/nest/NestTask.h"

namespace tenon {

class AmxOperands : KernelLoops {
public:
  AmxOperands(Kernel &kernel, const ContractionNest &nest, const AmxPlan &plan,
              const NestTask &task);

  /// Forgets the magnitudes of earlier tasks.
  void clear();
  /// Starts the piece of the depth from `k` on, which has `steps` steps.
  void enter(mlir::Value k, mlir::Value steps);
  /// Splits or copies row number `row` of the task, or `vectors` vectors of
  /// columns from `column` on. Does nothing for an operand that is read in
  /// place. Elements past the end of the depth are zeros.
  void prepareRow(mlir::Value row);
  void prepareColumns(mlir::Value column, int64_t vectors);

  /// Loads an operand into a tile register: 16 rows of the task, or vector
  /// number `vector` of the panel that starts with `column`.
  mlir::Value loadRows(int64_t part, mlir::Value tile, mlir::Value step);
  mlir::Value loadColumns(int64_t part, mlir::Value column, int64_t vector,
                          mlir::Value step);

  /// The magnitudes of a row are the same in all lanes. The magnitudes of a
  /// vector of columns have one column in each lane. Call `findMagnitudes`
  /// before magnitudesOfColumns: columns are examined only on demand, because
  /// few sums need it.
  Magnitudes magnitudesOfRow(mlir::Value row);
  void findMagnitudes(mlir::Value column, int64_t vectors);
  Magnitudes magnitudesOfColumns(mlir::Value column);

  /// The place where a row starts in lhs, and a column in rhs.
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
  mlir::Value allLanes(mlir::Value k);
  void storeParts(mlir::Value word, mlir::Value memory, mlir::Value place);
  mlir::Value loadTile(mlir::Value memory, mlir::Value place,
                       mlir::Value stride);
  mlir::Value placeOfTile(mlir::Value line, mlir::Value step);
  mlir::Value placeInRows(int64_t part, mlir::Value row, mlir::Value step);
  mlir::Value placeOfMagnitudes(mlir::Value column);

  const ContractionNest &nest;
  const AmxPlan &plan;
  const NestTask &task;
  mlir::VectorType words;
  mlir::Value k, steps; ///< the current piece
  /// Tiles of parts: [part][tile of rows][step] and [part][vector][step].
  mlir::Value rowParts, columnParts;
  /// The magnitudes found so far: two vectors side by side, the least and the
  /// greatest. For a row the lanes are in an unspecified order. For a vector of
  /// columns each lane is one column, and zeros mean that it is not examined
  /// yet.
  mlir::Value rowMagnitudes, columnMagnitudes;
};

} // namespace tenon

#endif // TENON_PASSES_CPU_AMX_AMXOPERANDS_H
