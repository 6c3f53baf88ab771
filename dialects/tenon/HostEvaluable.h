// What a weight's recipe may hold: passes that make recipes and the evaluator
// that runs them ask the same question here.
#ifndef TENON_DIALECTS_TENON_HOSTEVALUABLE_H
#define TENON_DIALECTS_TENON_HOSTEVALUABLE_H

#include "mlir/IR/Operation.h"

namespace tenon {

/// Whether the artifact writer can evaluate `op` on bytes: static shapes, and
/// an op it knows on element types it knows it for.
bool isHostEvaluable(mlir::Operation *op);

} // namespace tenon

#endif // TENON_DIALECTS_TENON_HOSTEVALUABLE_H
