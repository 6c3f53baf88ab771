// The inputs and outputs of a graph without a signature.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFPORTS_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFPORTS_H

#include "compiler/import/tensorflow/reader/TfModel.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace tenon::tf {

/// The port that a placeholder, or any node with such attributes, declares.
Port portOf(const Node &node, const std::string &tensor);

/// The nodes whose results no other node uses. Constants, placeholders and
/// nodes without results do not count.
mlir::SmallVector<const Node *> finalNodes(const Body &graph);

/// The placeholders that the outputs depend on.
mlir::SmallVector<Port> placeholders(const Body &graph,
                                     mlir::ArrayRef<Port> outputs);

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFPORTS_H
