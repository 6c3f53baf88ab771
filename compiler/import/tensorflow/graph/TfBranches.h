// Branches, whoever finds the nodes of their sides: functions, or a Merge of
// TensorFlow 1.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFBRANCHES_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFBRANCHES_H

#include "compiler/import/tensorflow/graph/TfNodeContext.h"

namespace tenon::tf {

/// A tensor of one element as an SSA condition: whether it is not zero.
llvm::FailureOr<mlir::Value> truth(NodeContext &c, mlir::Value value);

/// A branch on `condition`, its sides built by `side`. Results are tensors and
/// lists.
llvm::FailureOr<Results>
importBranches(NodeContext &c, mlir::Value condition,
               llvm::function_ref<llvm::FailureOr<Results>(bool)> side);

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFBRANCHES_H
