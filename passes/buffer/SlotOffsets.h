// The offsets of a plan in slots, computed before a run from the factors.
#ifndef TENON_PASSES_BUFFER_SLOTOFFSETS_H
#define TENON_PASSES_BUFFER_SLOTOFFSETS_H

#include "passes/buffer/ArenaPlanner.h"

#include "mlir/IR/Builders.h"

namespace tenon {

struct SlotOffsets {
  llvm::SmallVector<mlir::Value> offsets; ///< of the buffers, in the arena
  mlir::Value bytes;                      ///< of the arena
};

/// Emits the offsets of the buffers of `plan`, all multiples of the alignment
/// of buffers. `factors` has the factor of each buffer, null for one.
SlotOffsets emitSlotOffsets(mlir::OpBuilder &builder, mlir::Location loc,
                            const ScaledPlan &plan,
                            llvm::ArrayRef<mlir::Value> factors);

} // namespace tenon

#endif // TENON_PASSES_BUFFER_SLOTOFFSETS_H
