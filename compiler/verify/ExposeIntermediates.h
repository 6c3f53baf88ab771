// For finding where compiled code goes wrong: every value a model computes
// becomes an output too.
#ifndef TENON_COMPILER_VERIFY_EXPOSEINTERMEDIATES_H
#define TENON_COMPILER_VERIFY_EXPOSEINTERMEDIATES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon {

/// Appends every tensor that an op at the top level of `function` computes to
/// its results, in the order of the ops. The new results are named after the
/// op's node: `node "x" (tenon.add)`, with a number where that repeats. The
/// outputs the function had stay first.
void exposeIntermediates(mlir::func::FuncOp function);

} // namespace tenon

#endif // TENON_COMPILER_VERIFY_EXPOSEINTERMEDIATES_H
