// Finds the nodes of a frame by their edges: an Exit follows the Switch of a
// Merge, and an Enter of the frame feeds that Merge.
#include "compiler/import/tensorflow/reader/TfFrames.h"

#include <algorithm>

namespace tenon::tf {

static const Node *producer(const Body &body, const Node &node, size_t i) {
  return i < node.inputs.size() ? body.find(node.inputs[i].node) : nullptr;
}

static bool is(const Node *node, std::string_view op) {
  return node && (node->op == op || node->op == "Ref" + std::string(op));
}

static std::string frameOf(const Node &enter) {
  const Attr *attr = enter.find("frame_name");
  const auto *name = attr ? std::get_if<std::string>(attr) : nullptr;
  return name ? *name : std::string();
}

std::optional<FrameLoop> findFrameLoop(const Body &body, const Node &exit) {
  const Node *fork = producer(body, exit, 0);
  const Node *merge = is(fork, "Switch") ? producer(body, *fork, 0) : nullptr;
  const Node *enter = is(merge, "Merge") ? producer(body, *merge, 0) : nullptr;
  if (!is(enter, "Enter"))
    return std::nullopt;
  std::string name = frameOf(*enter);
  FrameLoop loop;
  loop.condition = producer(body, *fork, 1);
  if (!is(loop.condition, "LoopCond") || loop.condition->inputs.empty())
    return std::nullopt;
  for (const Node &node : body.nodes) {
    if (!is(&node, "Enter") || frameOf(node) != name)
      continue;
    loop.constants.push_back(&node);
  }
  auto enters = [&](const Node *node) {
    return node && std::find(loop.constants.begin(), loop.constants.end(),
                             node) != loop.constants.end();
  };
  for (const Node &node : body.nodes) {
    if (!is(&node, "Merge") || node.inputs.size() != 2)
      continue;
    FrameVariable variable;
    variable.merge = &node;
    variable.enter = producer(body, node, 0);
    variable.next = producer(body, node, 1);
    if (!enters(variable.enter) || !is(variable.next, "NextIteration") ||
        variable.next->inputs.empty())
      continue;
    loop.variables.push_back(variable);
  }
  for (const Node &node : body.nodes)
    for (FrameVariable &variable : loop.variables) {
      if (is(&node, "Switch") && producer(body, node, 0) == variable.merge)
        variable.fork = &node;
      if (is(&node, "Exit") && is(producer(body, node, 0), "Switch") &&
          producer(body, *producer(body, node, 0), 0) == variable.merge)
        variable.exit = &node;
    }
  for (const FrameVariable &variable : loop.variables) {
    std::erase(loop.constants, variable.enter);
    if (!variable.fork)
      return std::nullopt;
  }
  return loop;
}

} // namespace tenon::tf
