// Makes every value that a model computes an output, to find the op at which
// compiled code goes wrong.
#ifndef TENON_COMPILER_VERIFY_EXPOSEINTERMEDIATES_H
#define TENON_COMPILER_VERIFY_EXPOSEINTERMEDIATES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon {

/// Appends every value of namedValues(function) to the function's results. The
/// existing outputs stay first.
void exposeIntermediates(mlir::func::FuncOp function);

} // namespace tenon

#endif // TENON_COMPILER_VERIFY_EXPOSEINTERMEDIATES_H
