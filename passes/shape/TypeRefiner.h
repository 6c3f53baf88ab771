// Propagates static extents from a function's arguments through its types.
#ifndef TENON_PASSES_SHAPE_TYPEREFINER_H
#define TENON_PASSES_SHAPE_TYPEREFINER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon {

/// Call it after argument types of `func` became more static. Folds index
/// arithmetic and sets every op's type to the extents that are known now. A
/// value that a loop carries keeps its initial shape. Fails, with an error at
/// the op, if extents contradict. Assumes that the sizes are checked.
llvm::LogicalResult refineTypes(mlir::func::FuncOp func);

} // namespace tenon

#endif // TENON_PASSES_SHAPE_TYPEREFINER_H
