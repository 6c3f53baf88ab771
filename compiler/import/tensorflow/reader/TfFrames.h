// Loops of TensorFlow 1: frames made of Enter, Merge, Switch, NextIteration and
// Exit nodes.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFFRAMES_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFFRAMES_H

#include "compiler/import/tensorflow/reader/TfModel.h"

namespace tenon::tf {

/// One variable of a loop, by its nodes in the body around the loop.
struct FrameVariable {
  const Node *enter = nullptr; ///< its initial value
  const Node *merge = nullptr; ///< its value at the beginning of an iteration
  const Node *fork = nullptr;  ///< the Switch: into the body, or out
  const Node *next = nullptr;  ///< the NextIteration
  const Node *exit = nullptr;  ///< its final value; null if unused
};

struct FrameLoop {
  std::vector<FrameVariable> variables;
  std::vector<const Node *> constants; ///< Enter nodes of constant values
  const Node *condition = nullptr;     ///< the LoopCond
};

/// The loop that `exit` leaves; null if the nodes form no loop.
std::optional<FrameLoop> findFrameLoop(const Body &body, const Node &exit);

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFFRAMES_H
