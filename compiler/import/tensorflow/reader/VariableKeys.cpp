// Searches backwards from the restoring op for assignments of restored values.
// The key of a variable is the one that its value is read with.
#include "compiler/import/tensorflow/reader/VariableKeys.h"

#include <functional>
#include <set>

namespace tenon::tf {

namespace {
/// Follows Identity nodes; null if the edge leads out of the body.
const Node *producer(const Body &body, Edge &edge) {
  // A chain longer than the body is a cycle.
  for (size_t steps = 0; steps <= body.nodes.size(); ++steps) {
    const Node *node = body.find(edge.node);
    if (!node || node->op != "Identity" || node->inputs.empty())
      return node;
    edge = node->inputs.front();
  }
  return nullptr;
}

bool isAssignment(const Node &node) {
  return node.op == "AssignVariableOp" || node.op == "Assign";
}

/// The key that the assigned value is restored with.
std::optional<std::string> restoredKey(const Body &body, Edge value) {
  const Node *restore = producer(body, value);
  if (!restore || restore->op != "RestoreV2" || restore->inputs.size() < 2)
    return std::nullopt;
  Edge names = restore->inputs[1];
  const Node *constant = producer(body, names);
  const Attr *attr = constant ? constant->find("value") : nullptr;
  const auto *tensor = attr ? std::get_if<Tensor>(attr) : nullptr;
  const auto *keys =
      tensor ? std::get_if<std::vector<std::string>>(&tensor->payload)
             : nullptr;
  if (!keys || size_t(value.index) >= keys->size())
    return std::nullopt;
  return (*keys)[size_t(value.index)];
}
} // namespace

std::map<std::string, std::string>
findVariableKeys(const Model &model, const std::string &restoreOp) {
  std::map<std::string, std::string> keys;
  /// `outside` maps a body's argument to its name in the main graph.
  auto assignments =
      [&](const Body &body, const Node &node,
          const std::function<std::string(const std::string &)> &outside) {
        if (!isAssignment(node) || node.inputs.size() < 2)
          return;
        Edge variable = node.inputs[0];
        std::optional<std::string> key = restoredKey(body, node.inputs[1]);
        std::string name = outside(variable.node);
        if (key && !name.empty())
          keys.emplace(name, *key);
      };
  // Go back from the op over data and control edges.
  std::set<const Node *> seen;
  std::vector<const Node *> open;
  auto visit = [&](const std::string &name) {
    const Node *node = model.graph.find(name);
    if (node && seen.insert(node).second)
      open.push_back(node);
  };
  visit(restoreOp.substr(0, restoreOp.find(':')));
  while (!open.empty()) {
    const Node *node = open.back();
    open.pop_back();
    assignments(model.graph, *node,
                [](const std::string &name) { return name; });
    const Attr *attr = node->find("f");
    const auto *callee = attr ? std::get_if<FunctionName>(attr) : nullptr;
    auto function =
        callee ? model.functions.find(callee->name) : model.functions.end();
    if (function != model.functions.end())
      for (const Node &inner : function->second.body.nodes)
        assignments(function->second.body, inner,
                    [&](const std::string &name) -> std::string {
                      const auto &arguments = function->second.inputs;
                      for (size_t i = 0; i < arguments.size(); ++i)
                        if (arguments[i].name == name &&
                            i < node->inputs.size())
                          return node->inputs[i].node;
                      return {};
                    });
    for (const Edge &input : node->inputs)
      visit(input.node);
    for (const std::string &control : node->controls)
      visit(control);
  }
  return keys;
}

} // namespace tenon::tf
