// The graph of a module at phase `imported`.
#ifndef TENON_COMPILER_DESCRIBE_DESCRIBEGRAPH_H
#define TENON_COMPILER_DESCRIBE_DESCRIBEGRAPH_H

#include "compiler/report/ModelGraph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon {

/// "f32 [1, ?, 64]"; `type` is a tensor or memref.
std::string shapeText(mlir::ShapedType type);

/// Adds the node of an input or output to `graph`. Spare names end in `number`.
void addBoundary(OpGraph &graph, const char *kind, mlir::StringAttr name,
                 size_t number, mlir::Type type);

/// Sorts edges and removes repeats.
void finishEdges(OpGraph &graph);

/// Adds the graphs of all functions before fusion: ops on tensors, also those
/// in loops and branches. Ops that compute sizes are left out.
void describeGraphs(mlir::ModuleOp module, ModelGraph &graph);

} // namespace tenon

#endif // TENON_COMPILER_DESCRIBE_DESCRIBEGRAPH_H
