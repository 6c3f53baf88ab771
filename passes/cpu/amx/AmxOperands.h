// What the rows and the columns of a task in AMX tiles have in common: elements
// are loaded, split into bf16 parts or copied, and stored as tiles on the
// stack.
#ifndef TENON_PASSES_CPU_AMX_AMXOPERANDS_H
#define TENON_PASSES_CPU_AMX_AMXOPERANDS_H

#include "passes/cpu/amx/AmxOrder.h"
#include "passes/cpu/amx/AmxPlan.h"
#include "passes/cpu/tile/BfloatParts.h"
#include "passes/kernel/KernelLoops.h"
#include "passes/kernel/nest/ContractionNest.h"
#include "passes/kernel/nest/NestTask.h"

namespace tenon {

class AmxOperands : protected KernelLoops {
protected:
  /// Lanes of a vector, which are the columns of a tile.
  static constexpr int64_t lanes = amxTile;

  AmxOperands(Kernel &kernel, const ContractionNest &nest, const AmxPlan &plan,
              const NestTask &task)
      : KernelLoops(kernel), nest(nest), plan(plan), task(task),
        words(mlir::VectorType::get({lanes}, b.getI32Type())) {}

  int64_t wordElements() const { return plan.stepElements() / plan.stepExtent; }
  int64_t tileElements() const { return amxTile * plan.stepElements(); }
  /// The type of the elements of tiles: bf16, or bytes.
  mlir::Type tileElement();

  mlir::Value loadVector(mlir::VectorType type, mlir::Value memory,
                         mlir::Value place);
  /// Lanes outside `mask` are zero; a null mask selects all lanes.
  mlir::Value loadMasked(mlir::VectorType type, mlir::Value memory,
                         mlir::Value place, mlir::Value mask);
  mlir::Value loadFloats(mlir::Value memory, mlir::Type element,
                         mlir::Value place, mlir::Value mask);
  /// True if a tap ends with a step that is not whole.
  bool hasPartialStep();
  /// The parts of two vectors of elements of type `element`, joined to pairs.
  /// The elements of `high` are sixteen elements after those of `low` along the
  /// sum.
  Values pairsOfParts(mlir::Value low, mlir::Value high, mlir::Type element,
                      int64_t count);
  /// Stores one row of a tile.
  void storeParts(mlir::Value word, mlir::Value memory, mlir::Value place);
  /// The place of a tile in a scratch of lines of tiles, one for each step.
  mlir::Value placeOfTile(mlir::Value line, mlir::Value step);
  mlir::Value loadTile(mlir::Value memory, mlir::Value place,
                       mlir::Value stride);

  const ContractionNest &nest;
  const AmxPlan &plan;
  const NestTask &task;
  mlir::VectorType words;
};

} // namespace tenon

#endif // TENON_PASSES_CPU_AMX_AMXOPERANDS_H
