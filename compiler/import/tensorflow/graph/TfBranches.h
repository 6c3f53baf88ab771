// Branches on a condition. The sides are functions, or the nodes before a Merge
// of TensorFlow 1; the caller imports them.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFBRANCHES_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFBRANCHES_H

#include "compiler/import/tensorflow/graph/TfNodeContext.h"

namespace tenon::tf {

/// A tensor of one element as an i1 that is true if the element is not zero.
llvm::FailureOr<mlir::Value> truth(NodeContext &c, mlir::Value value);

/// Imports a branch on `condition`; `side(true)` and `side(false)` import its
/// sides. Results must be tensors and lists.
llvm::FailureOr<Results>
importBranches(NodeContext &c, mlir::Value condition,
               llvm::function_ref<llvm::FailureOr<Results>(bool)> side);

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFBRANCHES_H
