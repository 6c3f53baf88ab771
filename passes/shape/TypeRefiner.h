// Makes the types of a function say what follows from those of its arguments.
#ifndef TENON_PASSES_SHAPE_TYPEREFINER_H
#define TENON_PASSES_SHAPE_TYPEREFINER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon {

/// After argument types of `func` were made more static: index arithmetic is
/// folded, and every op's type has the extents that are known now. What loops
/// carry keeps the shape it begins with. Failure, with an error at the op,
/// where the extents cannot be. Assumes that the sizes are checked.
llvm::LogicalResult refineTypes(mlir::func::FuncOp func);

} // namespace tenon

#endif // TENON_PASSES_SHAPE_TYPEREFINER_H
