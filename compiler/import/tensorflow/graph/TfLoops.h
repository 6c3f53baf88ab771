// Loops of either TensorFlow: variables, a condition on them and a body that
// gives their next values become one scf.while.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFLOOPS_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFLOOPS_H

#include "compiler/import/tensorflow/graph/TfNodeContext.h"

namespace tenon::tf {

/// Imports the condition or the body for the given variables.
using LoopPart =
    llvm::function_ref<llvm::FailureOr<Results>(llvm::ArrayRef<Result>)>;

/// The variables' last values. Tensors and lists keep their shape; lists that
/// nothing has been written to yet get that of what the body writes; handles
/// are the same throughout.
llvm::FailureOr<Results> importLoop(NodeContext &c, Results start,
                                    LoopPart cond, LoopPart body);

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFLOOPS_H
