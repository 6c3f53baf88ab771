// The ops that a weight's recipe may hold. Both the passes that build recipes
// and the evaluator that runs them ask here.
#ifndef TENON_DIALECTS_TENON_HOSTEVALUABLE_H
#define TENON_DIALECTS_TENON_HOSTEVALUABLE_H

#include "mlir/IR/Operation.h"

namespace tenon {

/// True if the artifact writer can evaluate `op` on the host: shapes are
/// static, and it implements the op for these element types.
bool isHostEvaluable(mlir::Operation *op);

/// True for an op that makes a form in which weights are stored. Only recipes
/// have such ops: no kernel computes them.
bool makesStoredForm(mlir::Operation *op);

} // namespace tenon

#endif // TENON_DIALECTS_TENON_HOSTEVALUABLE_H
