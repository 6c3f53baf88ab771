// Cycles of nodes, over data and control edges.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFCYCLES_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFCYCLES_H

#include "compiler/import/tensorflow/reader/TfModel.h"

#include <functional>

namespace tenon::tf {

/// A cycle among the nodes that `starts` depend on over data and control edges,
/// as text `b <- a <- b`; null if there is none. Loops of TensorFlow 1, which
/// go through a NextIteration, are no cycles. The search stops at edges that
/// are `given`.
std::optional<std::string>
findCycle(const Body &body, const std::vector<std::string> &starts,
          const std::function<bool(const Edge &)> &given);

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFCYCLES_H
