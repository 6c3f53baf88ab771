// Nested bodies: calls of functions, and the iterations of TensorFlow 1's
// loops, whose nodes are in the body around the loop.
#include "compiler/import/tensorflow/graph/TfLoops.h"
#include "compiler/import/tensorflow/graph/TfNodeContext.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace tenon::tf {

constexpr size_t maxCallDepth = 64;

const Function *GraphImporter::functionNamed(const Node &site, StringRef name) {
  auto found = model.functions.find(name.str());
  if (found != model.functions.end())
    return &found->second;
  error(placeIn(site), "there is no function '" + name.str() + "'");
  return nullptr;
}

/// The nodes that a function's results depend on.
static SmallVector<const Node *> reachedNodes(const Function &function) {
  SmallVector<const Node *> reached;
  llvm::SmallPtrSet<const Node *, 16> seen;
  auto visit = [&](const Edge &edge) {
    const Node *node = function.body.find(edge.node);
    if (node && seen.insert(node).second)
      reached.push_back(node);
  };
  for (const auto &[output, edge] : function.results)
    visit(edge);
  for (size_t i = 0; i < reached.size(); ++i)
    for (const Edge &edge : reached[i]->inputs)
      visit(edge);
  return reached;
}

void GraphImporter::noteUnsupported(const Node &call) {
  // An explicit stack instead of recursion, because functions may call each
  // other in cycles.
  SmallVector<const Node *> open = {&call};
  while (!open.empty()) {
    const Node *node = open.pop_back_val();
    SmallVector<std::string> names = {node->op};
    for (const char *attr : {"f", "then_branch", "else_branch", "cond", "body"})
      if (const Attr *found = node->find(attr))
        if (const auto *function = std::get_if<FunctionName>(found))
          names.push_back(function->name);
    for (const std::string &name : names) {
      auto function = model.functions.find(name);
      if (function == model.functions.end() || !noted.insert(name).second)
        continue;
      for (const Node *inner : reachedNodes(function->second)) {
        if (!registry.find(inner->op) && !model.functions.count(inner->op))
          unsupportedUse(inner->op, placeOf(*inner) + " in function " + name);
        open.push_back(inner);
      }
    }
  }
}

FailureOr<Results> GraphImporter::call(const Node &site, StringRef name,
                                       ArrayRef<Result> operands) {
  const Function *function = functionNamed(site, name);
  if (!function)
    return failure();
  std::string path;
  bool isRecursive = false;
  for (const Frame *frame : frames) {
    path += (frame->function ? frame->function->name : "graph") + " -> ";
    isRecursive |= frame->function == function;
  }
  if (isRecursive) {
    error(placeIn(site), "function calls itself: " + path + name.str());
    return failure();
  }
  if (frames.size() > maxCallDepth) {
    error(placeIn(site),
          "expected calls at most " + std::to_string(maxCallDepth) +
              " deep, got more",
          Status::Limit);
    return failure();
  }
  if (operands.size() != function->inputs.size()) {
    error(placeIn(site), "expected " + std::to_string(function->inputs.size()) +
                             " operands for function " + name.str() + ", got " +
                             std::to_string(operands.size()));
    return failure();
  }
  Frame frame{function->body, function,
              (frames.empty() ? "" : frames.back()->prefix) + site.name + "/"};
  for (auto [argument, operand] : llvm::zip(function->inputs, operands))
    frame.arguments[argument.name] = operand;
  frames.push_back(&frame);
  llvm::scope_exit leave([&] { frames.pop_back(); });
  std::vector<std::string> names;
  for (const Node &node : function->body.nodes)
    names.push_back(node.name);
  if (!checkCycles(frame, names))
    return failure();
  Results results;
  for (const Argument &output : function->outputs) {
    auto edge = function->results.find(output.name);
    if (edge == function->results.end()) {
      error(placeIn(site), "function " + name.str() + " does not say what '" +
                               output.name + "' is");
      return failure();
    }
    FailureOr<const Node *> producer = producerOf(frame, edge->second, nullptr);
    if (failed(producer) || (*producer && !evaluate(frame, **producer)))
      return failure();
    std::optional<Result> result = resultOf(frame, edge->second, nullptr);
    if (!result)
      return failure();
    results.push_back(*result);
  }
  // Nodes that write variables are imported even if no result depends on them.
  if (effects.writes(function->body))
    for (const Node &node : function->body.nodes)
      if (effects.writes(node) && !evaluate(frame, node))
        return failure();
  return results;
}

bool GraphImporter::importFrameLoop(Frame &frame, const Node &exit) {
  const std::optional<FrameLoop> loop = frame.loops.at(&exit);
  frame.done[&exit] = {};
  if (!loop) {
    unsupported(exit, "a frame that is no loop");
    return true;
  }
  if (frames.size() > maxCallDepth) {
    error(placeIn(exit),
          "expected loops at most " + std::to_string(maxCallDepth) +
              " deep, got more",
          Status::Limit);
    return false;
  }
  Results start;
  for (const FrameVariable &variable : loop->variables) {
    const Results &enter = frame.done.at(variable.enter);
    if (enter.empty() || enter[0].kind == Result::Kind::Nothing)
      return true;
    start.push_back(enter[0]);
  }
  g.loc = FusedLoc::get(
      {NameLoc::get(StringAttr::get(&context, frame.prefix + exit.name))},
      StringAttr::get(&context, exit.op), &context);
  // Imports the nodes of one iteration. Nodes outside the loop are imported
  // already; nodes inside are imported again with the variables' values in this
  // iteration. Result 0 of a Switch is its value after the loop, result 1 its
  // value in the body.
  auto inside = [&](ArrayRef<Result> variables,
                    ArrayRef<const Node *> wanted) -> FailureOr<Results> {
    Frame iteration = frame;
    for (auto [variable, value] : llvm::zip(loop->variables, variables)) {
      iteration.done[variable.merge] = {value};
      iteration.done[variable.fork] = {Result(), value};
    }
    frames.push_back(&iteration);
    llvm::scope_exit leave([&] { frames.pop_back(); });
    Results results;
    for (const Node *node : wanted) {
      const Edge &edge = node->inputs[0];
      FailureOr<const Node *> producer = producerOf(iteration, edge, node);
      if (failed(producer) || (*producer && !evaluate(iteration, **producer)))
        return failure();
      std::optional<Result> result = resultOf(iteration, edge, node);
      if (!result)
        return failure();
      results.push_back(*result);
    }
    return results;
  };
  SmallVector<const Node *> next;
  for (const FrameVariable &variable : loop->variables)
    next.push_back(variable.next);
  NodeContext c(*this, exit, {});
  FailureOr<Results> last = importLoop(
      c, start,
      [&](ArrayRef<Result> variables) {
        return inside(variables, {loop->condition});
      },
      [&](ArrayRef<Result> variables) { return inside(variables, next); });
  if (hasErrors())
    return false;
  for (auto [i, variable] : llvm::enumerate(loop->variables))
    if (variable.exit) {
      Results &results = frame.done[variable.exit];
      results.clear();
      if (succeeded(last))
        results.push_back((*last)[i]);
    }
  return true;
}

} // namespace tenon::tf
