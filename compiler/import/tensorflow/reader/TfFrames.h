// Loops of TensorFlow 1: frames made of Enter, Merge, Switch, NextIteration and
// Exit nodes.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFFRAMES_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFFRAMES_H

#include "compiler/import/tensorflow/reader/TfModel.h"

namespace tenon::tf {

/// One variable of a loop; nodes of the body that the loop stands in.
struct FrameVariable {
  const Node *enter = nullptr; ///< what it starts with
  const Node *merge = nullptr; ///< its value at the head of an iteration
  const Node *fork = nullptr;  ///< the Switch: into the body, or out
  const Node *next = nullptr;  ///< the NextIteration
  const Node *exit = nullptr;  ///< its last value; null: not used
};

struct FrameLoop {
  std::vector<FrameVariable> variables;
  std::vector<const Node *> constants; ///< Enter nodes of what does not vary
  const Node *condition = nullptr;     ///< the LoopCond
};

/// The loop that `exit` leaves; nothing where the nodes do not make one.
std::optional<FrameLoop> findFrameLoop(const Body &body, const Node &exit);

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFFRAMES_H
