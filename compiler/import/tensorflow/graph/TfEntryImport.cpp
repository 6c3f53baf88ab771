// Imports an entry as a function of the module: its arguments, its captured
// objects and its results.
#include "compiler/import/tensorflow/graph/TfGraphImporter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace tenon::tf {

std::optional<Result> GraphImporter::captured(const Entry &entry,
                                              int64_t number, Frame &frame) {
  std::string place = "function '" + entry.name + "'";
  if (number < 0 || size_t(number) >= model.objects.size()) {
    error(place, "it captures an object that is not there");
    return std::nullopt;
  }
  const Object &object = model.objects[size_t(number)];
  if (!object.constant.empty()) {
    Edge edge{object.constant, "", 0};
    FailureOr<const Node *> producer = producerOf(frame, edge, nullptr);
    if (failed(producer) || (*producer && !evaluate(frame, **producer)))
      return std::nullopt;
    return resultOf(frame, edge, nullptr);
  }
  // The variable node that the graph restores from the object's key.
  for (const auto &[node, key] : model.variableKeys)
    if (!object.variableKey.empty() && key == object.variableKey)
      if (const Node *variable = model.graph.find(node)) {
        Result result;
        result.kind = Result::Kind::Variable;
        result.variable = variable;
        return result;
      }
  error(place, "it captures what is neither a constant nor a saved variable",
        Status::Unsupported);
  return std::nullopt;
}

/// The tensor that a port names.
static Edge edgeOf(const Port &port) {
  size_t colon = port.tensor.rfind(':');
  Edge edge{port.tensor.substr(0, colon), "", 0};
  if (colon != std::string::npos &&
      StringRef(port.tensor).drop_front(colon + 1).getAsInteger(10, edge.index))
    edge.index = 0;
  return edge;
}

std::optional<Results>
GraphImporter::resultsOf(const Entry &entry, Results arguments, Frame &frame) {
  if (entry.function) {
    for (int64_t object : entry.captures) {
      std::optional<Result> result = captured(entry, object, frame);
      if (!result)
        return std::nullopt;
      arguments.push_back(*result);
    }
    Node site;
    site.name = entry.name;
    site.op = entry.function->name;
    FailureOr<Results> called = call(site, entry.function->name, arguments);
    if (failed(called))
      return std::nullopt;
    return *called;
  }
  for (auto [port, argument] : llvm::zip(entry.inputs, arguments)) {
    Edge edge = edgeOf(port);
    frame.fed[{edge.node, edge.index}] = argument;
  }
  std::vector<std::string> ends;
  for (const Port &port : entry.outputs)
    ends.push_back(edgeOf(port).node);
  if (!checkCycles(frame, ends))
    return std::nullopt;
  Results results;
  for (const Port &port : entry.outputs) {
    Edge edge = edgeOf(port);
    FailureOr<const Node *> producer = producerOf(frame, edge, nullptr);
    if (failed(producer) || (*producer && !evaluate(frame, **producer)))
      return std::nullopt;
    std::optional<Result> result = resultOf(frame, edge, nullptr);
    if (!result)
      return std::nullopt;
    results.push_back(*result);
  }
  return results;
}

bool GraphImporter::buildEntry(const Entry &entry) {
  Frame frame{model.graph, nullptr, ""};
  effects.forget();
  Results arguments;
  func::FuncOp function = addArguments(entry, arguments);
  if (!function)
    return false;
  frames.push_back(&frame);
  llvm::scope_exit leave([&] { frames.pop_back(); });
  std::optional<Results> results = resultsOf(entry, arguments, frame);
  if (!results)
    return false;
  SmallVector<Value> values;
  SmallVector<std::string> names;
  for (auto [port, result] : llvm::zip(entry.outputs, *results)) {
    names.push_back(port.name);
    if (result.kind == Result::Kind::Reference) {
      Value value = variable(*result.variable);
      if (!value)
        return !hasErrors();
      result = Result::tensor(value);
    }
    if (result.kind == Result::Kind::Tensor) {
      values.push_back(result.value);
    } else if (result.kind == Result::Kind::Complex) {
      // Complex results become real ones with a last dimension of two parts.
      int64_t rank = g.rankOf(result.value);
      values.push_back(g.concat({g.unsqueeze(result.value, {rank}),
                                 g.unsqueeze(result.imaginary, {rank})},
                                rank));
    } else if (result.kind != Result::Kind::Nothing || !hasUnsupported()) {
      error("output '" + port.name + "'", "expected a tensor",
            Status::Unsupported);
      return false;
    }
  }
  if (!hasUnsupported())
    endEntry(function, values, names);
  return true;
}

} // namespace tenon::tf
