// Loops of TensorFlow 1 and 2. Variables, a condition on them and a body that
// computes their next values become one scf.while.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFLOOPS_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFLOOPS_H

#include "compiler/import/tensorflow/graph/TfNodeContext.h"

namespace tenon::tf {

/// Imports the condition or the body for the given variables.
using LoopPart =
    llvm::function_ref<llvm::FailureOr<Results>(llvm::ArrayRef<Result>)>;

/// Imports a loop and returns the final values of its variables. Tensors and
/// lists keep their shapes. Reserved lists get the shape of the tensors that
/// the body writes. Handles do not change.
llvm::FailureOr<Results> importLoop(NodeContext &c, Results start,
                                    LoopPart cond, LoopPart body);

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFLOOPS_H
