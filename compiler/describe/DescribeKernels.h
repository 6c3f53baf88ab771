// The graph after fusion: kernels, what they read from one another, and the
// memory between them.
#ifndef TENON_COMPILER_DESCRIBE_DESCRIBEKERNELS_H
#define TENON_COMPILER_DESCRIBE_DESCRIBEKERNELS_H

#include "compiler/report/ModelGraph.h"

#include "mlir/IR/BuiltinOps.h"

namespace tenon {

/// Adds the fusions and buffers of a module at phase `planned`. The location of
/// each fusion gets the number of its node, because the launches of a fusion
/// have its location.
void describeFusions(mlir::ModuleOp module, ModelGraph &graph);

/// Adds the launches of the same module at phase `tiled` to the nodes of their
/// fusions.
void describeLaunches(mlir::ModuleOp module, ModelGraph &graph);

} // namespace tenon

#endif // TENON_COMPILER_DESCRIBE_DESCRIBEKERNELS_H
