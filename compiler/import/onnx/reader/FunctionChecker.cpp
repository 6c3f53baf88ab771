// Checks the call graph of local functions: no cycles, and a limit on the nodes
// after inlining all calls. The count is computed once per function, so that a
// small file that expands to 2^40 nodes is refused quickly.
#include "compiler/files/ReadFailure.h"
#include "compiler/import/onnx/reader/OnnxChecker.h"
#include "compiler/import/onnx/reader/OnnxEnvelope.h"

#include <algorithm>
#include <map>
#include <string>

namespace tenon::onnx {

namespace {

constexpr unsigned maxCallDepth = 64;

/// The size of a body after all its calls are inlined.
struct Inlined {
  uint64_t nodes = 0;
  unsigned calls = 0;   ///< length of the longest chain of calls
  unsigned nesting = 0; ///< depth of nested graphs
};

class CallGraph {
public:
  CallGraph(const Model &model) : model(model) {
    for (size_t i = 0; i < model.functions.size(); ++i)
      indices.emplace(
          QualifiedName(model.functions[i].domain, model.functions[i].name), i);
    inlined.resize(model.functions.size());
    states.resize(model.functions.size(), State::New);
  }

  /// Measures all functions, callees before callers.
  void settle() {
    for (size_t i = 0; i < model.functions.size(); ++i)
      if (states[i] == State::New)
        settleFrom(i);
  }

  /// The size of `nodes` after inlining. Their callees must be measured.
  Inlined measure(const std::vector<Node> &nodes) const {
    Inlined sum;
    for (const Node &node : nodes) {
      sum.nodes += 1;
      if (auto callee = indices.find({node.domain, node.opType});
          callee != indices.end()) {
        const Inlined &body = inlined[callee->second];
        sum.nodes += body.nodes;
        sum.calls = std::max(sum.calls, body.calls + 1);
        sum.nesting = std::max(sum.nesting, body.nesting);
      }
      forEachGraph(node, [&](const Graph &graph) {
        Inlined inner = measure(graph.nodes);
        sum.nodes += inner.nodes;
        sum.calls = std::max(sum.calls, inner.calls);
        sum.nesting = std::max(sum.nesting, inner.nesting + 1);
      });
      // Limit the count at each step, so that sums cannot overflow.
      sum.nodes = std::min(sum.nodes, maxNodes + 1);
    }
    return sum;
  }

  void check(const Inlined &body, const std::string &place) const {
    if (body.nodes > maxNodes)
      fail(place,
           "expected at most " + std::to_string(maxNodes) +
               " nodes with all function calls inlined, got more",
           Status::Limit);
    if (body.calls > maxCallDepth)
      fail(place,
           "expected function calls at most " + std::to_string(maxCallDepth) +
               " deep, got more",
           Status::Limit);
    if (body.nesting > maxGraphNesting)
      fail(place,
           "expected graphs nested at most " + std::to_string(maxGraphNesting) +
               " levels deep with all function calls inlined, got more",
           Status::Limit);
  }

private:
  enum class State : uint8_t { New, Open, Done };

  std::vector<size_t> calleesOf(const Function &function) const {
    std::vector<size_t> callees;
    forEachNode(function.nodes, [&](const Node &node) {
      if (auto callee = indices.find({node.domain, node.opType});
          callee != indices.end())
        callees.push_back(callee->second);
    });
    std::sort(callees.begin(), callees.end());
    callees.erase(std::unique(callees.begin(), callees.end()), callees.end());
    return callees;
  }

  void settleFrom(size_t start) {
    struct Step {
      size_t function;
      std::vector<size_t> callees;
    };
    std::vector<Step> path;
    auto enter = [&](size_t index) {
      states[index] = State::Open;
      path.push_back({index, calleesOf(model.functions[index])});
    };
    enter(start);
    while (!path.empty()) {
      if (path.back().callees.empty()) {
        size_t done = path.back().function;
        const Function &function = model.functions[done];
        inlined[done] = measure(function.nodes);
        check(inlined[done], "function " + quoted(function.name));
        states[done] = State::Done;
        path.pop_back();
        continue;
      }
      size_t callee = path.back().callees.back();
      path.back().callees.pop_back();
      if (states[callee] == State::New) {
        enter(callee);
        continue;
      }
      if (states[callee] == State::Done)
        continue;
      std::string text = "functions call one another in a cycle: ";
      size_t from = 0;
      while (path[from].function != callee)
        ++from;
      for (size_t i = from; i < path.size() && i < from + 20; ++i)
        text += quoted(model.functions[path[i].function].name) + " -> ";
      if (path.size() - from > 20)
        text += "... -> ";
      fail("function " + quoted(model.functions[callee].name),
           text + quoted(model.functions[callee].name));
    }
  }

  const Model &model;
  std::map<QualifiedName, size_t> indices;
  std::vector<Inlined> inlined;
  std::vector<State> states;
};

} // namespace

void checkFunctions(const Model &model) {
  if (model.functions.empty())
    return;
  CallGraph calls(model);
  calls.settle();
  calls.check(calls.measure(model.graph.nodes), "");
}

} // namespace tenon::onnx
