// Checks recipes of weights in text that people wrote.
#ifndef TENON_COMPILER_ARTIFACT_CHECKRECIPES_H
#define TENON_COMPILER_ARTIFACT_CHECKRECIPES_H

#include "mlir/IR/BuiltinOps.h"

namespace tenon {

/// Fails, after an error at each place, if a recipe of `module` holds an op
/// that the host cannot evaluate, depends on its own result, or is nested too
/// deep.
mlir::LogicalResult checkRecipes(mlir::ModuleOp module);

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_CHECKRECIPES_H
