// Checks the nodes in their order. If a name is missing, the whole graph is
// searched for the reason: it is produced later, is part of a cycle, or has no
// producer. The recursion depth is the nesting of graphs.
#include "compiler/import/onnx/reader/OnnxChecker.h"

#include "compiler/files/ReadFailure.h"
#include "compiler/import/onnx/reader/OnnxEnvelope.h"
#include "compiler/import/onnx/reader/OnnxOpTable.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace tenon::onnx {

namespace {

/// The names visible at one point of a graph.
struct Scope {
  const Scope *outer;
  const std::vector<Node> &nodes;
  std::unordered_set<std::string_view> names = {};

  bool sees(std::string_view name) const {
    for (const Scope *scope = this; scope; scope = scope->outer)
      if (scope->names.count(name))
        return true;
    return false;
  }
};

class GraphChecker {
public:
  GraphChecker(const Model &model) : model(model) {
    for (const Function &function : model.functions)
      functions.emplace(QualifiedName(function.domain, function.name),
                        &function);
  }

  void checkGraph(const Graph &graph, const Scope *outer);
  void checkFunction(const Function &function);

private:
  void define(Scope &scope, std::string_view name, const std::string &place);
  void checkNodes(Scope &scope);
  void checkNode(const Node &node, const Scope &scope);
  void checkSignature(const Node &node);
  void checkAttributes(const Node &node, const OpSignature &signature);
  void checkCall(const Node &node, const Function &function);
  void checkBodies(const Node &node);
  [[noreturn]] void refuseUse(const Node &node, const std::string &name,
                              const Scope &scope);

  const Model &model;
  const Function *function = nullptr; ///< the function being checked
  std::map<QualifiedName, const Function *> functions;
};

std::string count(size_t number, const char *noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

/// Collects the names from outside that `node` and its subgraphs read.
void collectUses(const Node &node, std::vector<std::string_view> &uses) {
  for (const std::string &input : node.inputs)
    if (!input.empty())
      uses.push_back(input);
  forEachGraph(node, [&](const Graph &graph) {
    // Names defined inside are collected too, which does no harm: no node
    // outside produces them.
    for (const Node &inner : graph.nodes)
      collectUses(inner, uses);
    for (const ValueInfo &output : graph.outputs)
      uses.push_back(output.name);
  });
}

/// A cycle among `nodes` that `start` depends on, as node indices in the
/// direction of the data; empty if there is none.
std::vector<size_t>
findCycle(const std::vector<Node> &nodes, size_t start,
          const std::unordered_map<std::string_view, size_t> &producers) {
  enum class State : uint8_t { New, Open, Done };
  struct Step {
    size_t node;
    std::vector<size_t> sources;
  };
  std::vector<State> states(nodes.size(), State::New);
  std::vector<Step> path;
  auto enter = [&](size_t index) {
    Step step{index, {}};
    std::vector<std::string_view> uses;
    collectUses(nodes[index], uses);
    for (std::string_view use : uses)
      if (auto found = producers.find(use); found != producers.end())
        step.sources.push_back(found->second);
    states[index] = State::Open;
    path.push_back(std::move(step));
  };
  enter(start);
  while (!path.empty()) {
    Step &step = path.back();
    if (step.sources.empty()) {
      states[step.node] = State::Done;
      path.pop_back();
      continue;
    }
    size_t source = step.sources.back();
    step.sources.pop_back();
    if (states[source] == State::New) {
      enter(source);
    } else if (states[source] == State::Open) {
      // The path goes from users to producers, so reverse it.
      std::vector<size_t> cycle;
      for (size_t i = path.size(); i-- > 0;) {
        cycle.push_back(path[i].node);
        if (path[i].node == source)
          return cycle;
      }
    }
  }
  return {};
}

void GraphChecker::refuseUse(const Node &node, const std::string &name,
                             const Scope &scope) {
  for (const Scope *at = &scope; at; at = at->outer) {
    std::unordered_map<std::string_view, size_t> producers;
    for (const Node &candidate : at->nodes)
      for (const std::string &output : candidate.outputs)
        if (!output.empty())
          producers.emplace(output, candidate.index);
    auto producer = producers.find(name);
    if (producer == producers.end())
      continue;
    std::vector<size_t> cycle =
        findCycle(at->nodes, producer->second, producers);
    if (cycle.empty())
      fail(placeOf(node), "input " + quoted(name) +
                              " is used before it is produced by " +
                              placeOf(at->nodes[producer->second]) +
                              ": expected nodes in topological order");
    std::ostringstream text;
    text << "nodes form a cycle: ";
    for (size_t i = 0; i < cycle.size() && i < 20; ++i)
      text << quoted(at->nodes[cycle[i]].name) << " -> ";
    if (cycle.size() > 20)
      text << "... (" << cycle.size() << " nodes) -> ";
    text << quoted(at->nodes[cycle[0]].name);
    fail(placeOf(at->nodes[cycle[0]]), text.str());
  }
  fail(placeOf(node),
       "input " + quoted(name) +
           " is produced by no node and is neither an input nor an "
           "initializer");
}

void GraphChecker::define(Scope &scope, std::string_view name,
                          const std::string &place) {
  if (scope.outer && scope.outer->sees(name))
    fail(place,
         quoted(name) + " hides a value of that name of the graph around it");
  if (!scope.names.insert(name).second)
    fail(place,
         "expected one definition of " + quoted(name) + ", got another before");
}

static void checkCount(uint64_t found, const char *what, const Graph &graph) {
  if (found > maxGraphValues)
    fail("graph " + quoted(graph.name),
         "expected at most " + std::to_string(maxGraphValues) + " " + what +
             ", got " + std::to_string(found),
         Status::Limit);
}

void GraphChecker::checkGraph(const Graph &graph, const Scope *outer) {
  Scope scope{outer, graph.nodes};
  for (const Tensor &tensor : graph.initializers)
    define(scope, tensor.name, "initializer " + quoted(tensor.name));
  for (const SparseTensor &tensor : graph.sparseInitializers)
    define(scope, tensor.values.name,
           "sparse initializer " + quoted(tensor.values.name));
  // An input may have the name of an initializer, which is its default value.
  // Two inputs may not have one name.
  std::unordered_set<std::string_view> inputs;
  uint64_t given = 0;
  for (const ValueInfo &input : graph.inputs) {
    std::string place = "input " + quoted(input.name);
    if (!inputs.insert(input.name).second)
      fail(place, "expected one input of this name, got two");
    if (!scope.names.count(input.name)) {
      define(scope, input.name, place);
      ++given;
    }
    if (!outer && input.type.kind == Type::Kind::Unknown)
      fail(place, "expected an input with a type, got none");
    if (!outer && input.type.kind == Type::Kind::Tensor &&
        input.type.element == ElementType::Undefined)
      fail(place, "expected an input with an element type, got none");
  }
  checkCount(given, "inputs that are no initializers", graph);
  checkCount(graph.outputs.size(), "outputs", graph);
  checkNodes(scope);
  for (const ValueInfo &output : graph.outputs)
    if (!scope.sees(output.name))
      fail("output " + quoted(output.name),
           "the graph's output is produced by no node and is neither an input "
           "nor an initializer");
}

void GraphChecker::checkFunction(const Function &checked) {
  function = &checked;
  std::string place = "function " + quoted(checked.name);
  if (functions[{checked.domain, checked.name}] != &checked)
    fail(place, "expected one function of this name and domain, got two");
  Scope scope{nullptr, checked.nodes};
  for (const std::string &input : checked.inputs)
    define(scope, input, place);
  checkNodes(scope);
  for (const std::string &output : checked.outputs)
    if (!scope.sees(output))
      fail(place, "output " + quoted(output) +
                      " is produced by no node and is no input");
  function = nullptr;
}

void GraphChecker::checkNodes(Scope &scope) {
  for (const Node &node : scope.nodes) {
    checkNode(node, scope);
    for (const std::string &output : node.outputs) {
      if (output.empty())
        continue;
      if (scope.outer && scope.outer->sees(output))
        fail(placeOf(node), "output " + quoted(output) +
                                " hides a value of that name of the graph "
                                "around it");
      if (!scope.names.insert(output).second)
        fail(placeOf(node), "expected one definition of output " +
                                quoted(output) + ", got another before");
    }
  }
}

void GraphChecker::checkNode(const Node &node, const Scope &scope) {
  for (const std::string &input : node.inputs)
    if (!input.empty() && !scope.sees(input))
      refuseUse(node, input, scope);
  for (const auto &[name, attribute] : node.attributes) {
    if (attribute.refName.empty())
      continue;
    if (!function)
      fail(placeOf(node), "attribute " + quoted(name) + " refers to " +
                              quoted(attribute.refName) +
                              ": expected a value outside of functions");
    if (std::find(function->attributes.begin(), function->attributes.end(),
                  attribute.refName) == function->attributes.end())
      fail(placeOf(node), "attribute " + quoted(name) + " refers to " +
                              quoted(attribute.refName) + ", which function " +
                              quoted(function->name) + " does not declare");
  }
  checkSignature(node);
  forEachGraph(node, [&](const Graph &graph) { checkGraph(graph, &scope); });
}

void GraphChecker::checkSignature(const Node &node) {
  auto called = functions.find({node.domain, node.opType});
  if (called != functions.end()) {
    checkCall(node, *called->second);
    return;
  }
  const auto &opsets = function ? function->opsets : model.opsets;
  auto opset = opsets.find(node.domain);
  if (opset == opsets.end())
    fail(placeOf(node),
         "expected an opset_import for the node's domain " +
             quoted(node.domain.empty() ? "ai.onnx" : node.domain) +
             ", got none");
  if (!node.domain.empty())
    return;
  const OpSignature *signature = findOpSignature(node.opType, opset->second);
  if (!signature || signature->deprecated)
    return; // the importer decides if such an op can be compiled

  auto arity = [&](const char *what, size_t got, int min, int max) {
    if (got >= size_t(min) && (max < 0 || got <= size_t(max)))
      return;
    std::string range = std::to_string(min);
    if (max < 0)
      range = "at least " + range;
    else if (max != min)
      range += " to " + std::to_string(max);
    fail(placeOf(node), "expected " + range + " " + what + " in opset " +
                            std::to_string(opset->second) + ", got " +
                            std::to_string(got));
  };
  arity("inputs", node.inputs.size(), signature->minInputs,
        signature->maxInputs);
  arity("outputs", node.outputs.size(), signature->minOutputs,
        signature->maxOutputs);
  // Loop, and Scan of opset 8, have optional inputs before required ones.
  if (node.opType != "Loop" && node.opType != "Scan")
    for (int i = 0; i < signature->minInputs; ++i)
      if (node.inputs[i].empty())
        fail(placeOf(node),
             "expected input " + std::to_string(i) + ", got none");
  checkAttributes(node, *signature);
  checkBodies(node);
}

void GraphChecker::checkAttributes(const Node &node,
                                   const OpSignature &signature) {
  std::set<std::string_view> known;
  std::string_view list = signature.attributes;
  while (!list.empty()) {
    std::string_view entry = list.substr(0, list.find(' '));
    list.remove_prefix(std::min(list.size(), entry.size() + 1));
    bool required = entry.back() == '!';
    if (required)
      entry.remove_suffix(1);
    size_t colon = entry.find(':');
    std::string name(entry.substr(0, colon));
    int kind = std::stoi(std::string(entry.substr(colon + 1)));
    known.insert(entry.substr(0, colon));
    const Attribute *found = node.find(name);
    if (!found && required)
      fail(placeOf(node), "expected attribute " + quoted(name) + ", got none");
    if (found && static_cast<int>(found->kind) != kind &&
        (found->refName.empty() || found->kind != AttributeKind::Undefined))
      fail(placeOf(node),
           "attribute " + quoted(name) + ": expected kind " +
               attributeKindName(static_cast<AttributeKind>(kind)) + ", got " +
               attributeKindName(found->kind));
  }
  for (const auto &[name, attribute] : node.attributes)
    if (!known.count(name))
      fail(placeOf(node), "attribute " + quoted(name) + " is not one of " +
                              node.opType + "'s since opset " +
                              std::to_string(signature.since));
}

void GraphChecker::checkCall(const Node &node, const Function &called) {
  if (node.inputs.size() > called.inputs.size())
    fail(placeOf(node), "expected at most " +
                            count(called.inputs.size(), "input") +
                            " of function " + quoted(called.name) + ", got " +
                            std::to_string(node.inputs.size()));
  if (node.outputs.size() > called.outputs.size())
    fail(placeOf(node), "expected at most " +
                            count(called.outputs.size(), "output") +
                            " of function " + quoted(called.name) + ", got " +
                            std::to_string(node.outputs.size()));
}

/// Checks the numbers of inputs and outputs of control-flow bodies against
/// those of the node.
void GraphChecker::checkBodies(const Node &node) {
  auto expect = [&](const char *body, const char *what, size_t want,
                    size_t got) {
    if (want != got)
      fail(placeOf(node), std::string(body) + ": expected " +
                              std::to_string(want) + " " + what + ", got " +
                              std::to_string(got));
  };
  if (node.opType == "If") {
    for (const char *name : {"then_branch", "else_branch"})
      if (const Graph *branch = node.graph(name)) {
        expect(name, "inputs", 0, branch->inputs.size());
        expect(name, "outputs", node.outputs.size(), branch->outputs.size());
      }
  } else if (node.opType == "Loop") {
    if (const Graph *body = node.graph("body")) {
      size_t carried =
          node.inputs.size() - std::min<size_t>(2, node.inputs.size());
      expect("body", "inputs", 2 + carried, body->inputs.size());
      expect("body", "outputs", 1 + node.outputs.size(), body->outputs.size());
      if (node.outputs.size() < carried)
        fail(placeOf(node), "expected at least " + std::to_string(carried) +
                                " outputs, one per carried value, got " +
                                std::to_string(node.outputs.size()));
    }
  }
}

} // namespace

void checkModel(const Model &model) {
  GraphChecker checker(model);
  for (const Function &function : model.functions)
    checker.checkFunction(function);
  checkFunctions(model);
  checker.checkGraph(model.graph, nullptr);
}

} // namespace tenon::onnx
