// Sizes at the place of a launch: the elements that its tasks divide, and
// whether there are any.
#ifndef TENON_PASSES_KERNEL_LAUNCHSIZES_H
#define TENON_PASSES_KERNEL_LAUNCHSIZES_H

#include "dialects/tenon/TenonDialect.h"

#include "mlir/IR/Builders.h"

namespace tenon {

/// True if no output of the fusion ever has an element.
bool hasNoElements(FusionOp fusion);

/// The sizes that the tasks divide: those of the elements that are written.
llvm::SmallVector<mlir::OpFoldResult> dividedSizes(mlir::OpBuilder &builder,
                                                   FusionOp fusion);

/// The number of tasks, or 0 at run time if no output has an element: a launch
/// must not iterate over 2^62 empty rows. A map of rank 1 needs no test: its
/// tasks divide the extent that is 0.
mlir::Value unlessEmpty(mlir::OpBuilder &builder, FusionOp fusion,
                        mlir::Value tasks);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_LAUNCHSIZES_H
