// The elements of its operand that a scatter or dynamic_update_slice changes.
#ifndef TENON_PASSES_KERNEL_INDEX_UPDATETARGET_H
#define TENON_PASSES_KERNEL_INDEX_UPDATETARGET_H

#include "passes/kernel/element/ElementEmitter.h"

namespace tenon {

/// The element of the operand that an element of the update changes.
struct UpdateTarget {
  llvm::SmallVector<mlir::Value> place;
  mlir::Value inside; ///< i1; null: always inside the operand
};

/// True if update elements that differ in dimension `dim` never have one
/// target.
bool hasOwnTargets(ScatterOp op, int64_t dim);

/// The target of the update element at `place`. `emitter` has one lane; it
/// reads the indices.
UpdateTarget scatterTarget(Kernel &kernel, ElementEmitter &emitter,
                           ScatterOp op, llvm::ArrayRef<mlir::Value> place);

/// The first target of a dynamic_update_slice: its offsets, clamped.
llvm::SmallVector<mlir::Value>
sliceStart(Kernel &kernel, ElementEmitter &emitter, DynamicUpdateSliceOp op);

/// The old and the new value combined, both lanes of `element`. f16 and bf16
/// are combined in f32 and rounded after each update, as their elementwise ops
/// are.
mlir::Value combineUpdate(mlir::OpBuilder &b, mlir::Location loc,
                          ScatterKind kind, mlir::Type element, mlir::Value old,
                          mlir::Value update);

/// Writes the element at `place` of the update of `op`, a scatter or
/// dynamic_update_slice, to `target` of the output, combined with the old
/// element as a scatter says. `emitter` has one lane.
void storeUpdate(Kernel &kernel, ElementEmitter &emitter, mlir::Operation *op,
                 llvm::ArrayRef<mlir::Value> place,
                 llvm::ArrayRef<mlir::Value> target);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_INDEX_UPDATETARGET_H
