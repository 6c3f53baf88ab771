// Liveness of nodes: a node is live if all its operands are live. A result of a
// Switch also needs its side of the condition. A Merge is live if any operand
// is.
#include "compiler/import/tensorflow/reader/TfConditionals.h"

#include <algorithm>
#include <string_view>

namespace tenon::tf {

static bool is(const Node &node, std::string_view op) {
  return node.op == op || node.op == "Ref" + std::string(op);
}

/// True for a Switch of a value by a condition.
static bool isFork(const Node &node) {
  return is(node, "Switch") && node.inputs.size() == 2;
}

/// True if the edge takes the result of a Switch for a true condition.
static bool takesTrue(const Edge &edge) {
  return edge.output.empty() ? edge.index == 1 : edge.output == "output_true";
}

/// True for the Merge, NextIteration and Exit nodes of loops, which are live
/// wherever their loop is.
static bool belongsToLoop(const Body &body, const Node &node) {
  if (is(node, "NextIteration") || is(node, "Exit"))
    return true;
  auto leads = [&](const Edge &edge, std::string_view op) {
    const Node *from = body.find(edge.node);
    return from && is(*from, op);
  };
  if (is(node, "Merge"))
    return std::any_of(
        node.inputs.begin(), node.inputs.end(),
        [&](const Edge &e) { return leads(e, "NextIteration"); });
  return isFork(node) && leads(node.inputs[1], "LoopCond");
}

/// The source of an edge behind Identity nodes.
static Edge source(const Body &body, Edge edge) {
  for (size_t steps = 0; steps <= body.nodes.size(); ++steps) {
    const Node *node = body.find(edge.node);
    if (!node || node->op != "Identity" || node->inputs.empty())
      break;
    edge = node->inputs.front();
  }
  return edge;
}

std::string conditionName(const Body &body, const Node &fork) {
  if (fork.inputs.size() != 2)
    return {};
  Edge edge = source(body, fork.inputs[1]);
  return edge.node + ":" + edge.output + ":" + std::to_string(edge.index);
}

const Node *ConditionFinder::producer(const Edge &edge) const {
  return given(edge) ? nullptr : body.find(edge.node);
}

ConditionFinder::Conditions ConditionFinder::of(const Edge &edge) const {
  const Node *node = producer(edge);
  auto found = node ? known.find(node) : known.end();
  if (found == known.end())
    return {};
  Conditions conditions = found->second;
  if (isFork(*node) && !belongsToLoop(body, *node))
    conditions.emplace(conditionName(body, *node), takesTrue(edge));
  return conditions;
}

void ConditionFinder::settle(const Node &node) {
  Conditions conditions;
  if (is(node, "Merge")) {
    // The conditions that all its operands require.
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      Conditions one = of(node.inputs[i]), both;
      std::set_intersection(one.begin(), one.end(), conditions.begin(),
                            conditions.end(),
                            std::inserter(both, both.begin()));
      conditions = i == 0 ? one : both;
    }
  } else {
    for (const Edge &edge : node.inputs)
      conditions.merge(of(edge));
    // A constant belongs to a side by a control edge.
    for (const std::string &control : node.controls)
      if (auto found = known.find(body.find(control)); found != known.end())
        conditions.insert(found->second.begin(), found->second.end());
  }
  known[&node] = std::move(conditions);
}

void ConditionFinder::workOut(const Node &start) {
  // Depth first with an explicit stack. A node in a cycle requires no
  // condition.
  std::vector<std::pair<const Node *, size_t>> path = {{&start, 0}};
  std::set<const Node *> seen = {&start};
  while (!path.empty()) {
    auto &[node, next] = path.back();
    size_t data = node->inputs.size();
    if (known.count(node) || belongsToLoop(body, *node)) {
      known.try_emplace(node);
      path.pop_back();
      continue;
    }
    if (next < data + node->controls.size()) {
      size_t i = next++;
      const Node *from = i < data ? producer(node->inputs[i])
                                  : body.find(node->controls[i - data]);
      if (from && seen.insert(from).second)
        path.push_back({from, 0});
      continue;
    }
    settle(*node);
    path.pop_back();
  }
}

std::optional<Conditional> ConditionFinder::find(const Node &merge) {
  if (merge.inputs.size() != 2 || belongsToLoop(body, merge))
    return std::nullopt;
  workOut(merge);
  Conditions sides[2] = {of(merge.inputs[0]), of(merge.inputs[1])};
  Conditional result;
  bool found = false;
  for (const auto &[name, value] : sides[0])
    if (!found && sides[1].count({name, !value})) {
      found = true;
      result.name = name;
      result.inputs[value] = 0;
      result.inputs[!value] = 1;
    }
  if (!found)
    return std::nullopt;
  // Go back through both sides to their beginnings.
  auto within = [&](const Edge &edge) {
    Conditions all = of(edge);
    return all.count({result.name, false}) || all.count({result.name, true});
  };
  std::set<const Node *> seen;
  std::vector<const Node *> open = {&merge};
  while (!open.empty()) {
    const Node *node = open.back();
    open.pop_back();
    for (const Edge &edge : node->inputs) {
      const Node *from = producer(edge);
      if (!from)
        continue;
      if (!within(edge)) {
        result.outside.push_back(edge);
      } else if (seen.insert(from).second) {
        open.push_back(from);
        if (isFork(*from) && conditionName(body, *from) == result.name)
          result.condition = from->inputs[1];
      }
    }
  }
  // A side with only constants is connected to its Switch by control edges.
  if (result.condition.node.empty())
    for (const Node &node : body.nodes)
      if (isFork(node) && conditionName(body, node) == result.name)
        result.condition = node.inputs[1];
  return result;
}

} // namespace tenon::tf
