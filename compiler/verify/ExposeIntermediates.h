// Makes every value that a model computes an output, to find the op at which
// compiled code goes wrong.
#ifndef TENON_COMPILER_VERIFY_EXPOSEINTERMEDIATES_H
#define TENON_COMPILER_VERIFY_EXPOSEINTERMEDIATES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon {

/// Appends every tensor that an op at the top level of `function` computes to
/// the function's results, in the order of the ops. The existing outputs stay
/// first. A new result is named after the op's node: `node "x" (tenon.add)`,
/// with a number if the name repeats.
void exposeIntermediates(mlir::func::FuncOp function);

} // namespace tenon

#endif // TENON_COMPILER_VERIFY_EXPOSEINTERMEDIATES_H
