// Nodes that wait for one another, by data or by order alone.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFCYCLES_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFCYCLES_H

#include "compiler/import/tensorflow/reader/TfModel.h"

#include <functional>

namespace tenon::tf {

/// A circle among the nodes that `starts` lead back to, over data and control
/// edges: `b <- a <- b`. Loops of TensorFlow 1 go round by NextIteration, which
/// is none. Nothing is looked at behind edges that are `given`.
std::optional<std::string>
findCycle(const Body &body, const std::vector<std::string> &starts,
          const std::function<bool(const Edge &)> &given);

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFCYCLES_H
