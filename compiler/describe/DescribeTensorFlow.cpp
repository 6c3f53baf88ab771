// Describes signatures with their tensors, saved variables, and the ops
// reachable from signatures. A SavedModel's ops for training and saving are not
// counted.
#include "compiler/describe/DescribeTensorFlow.h"

#include "compiler/import/tensorflow/graph/TfOpRegistry.h"
#include "compiler/import/tensorflow/graph/TfPorts.h"
#include "compiler/import/tensorflow/reader/TensorBundle.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace tenon {

using namespace tf;

namespace {
/// Counts the ops that results depend on, in the graph and in the functions
/// that it calls.
class OpCounter {
public:
  explicit OpCounter(const Model &model) : model(model) {}

  void reach(const Body &body, const std::string &name) {
    std::vector<std::pair<const Body *, std::string>> open = {{&body, name}};
    while (!open.empty()) {
      auto [where, what] = open.back();
      open.pop_back();
      const Node *node = where->find(what);
      if (!node || !seen.insert(node).second)
        continue;
      for (const Edge &edge : node->inputs)
        open.push_back({where, edge.node});
      bool calls = false;
      auto enter = [&](const std::string &callee) {
        auto function = model.functions.find(callee);
        if (function == model.functions.end())
          return;
        calls = true;
        for (const auto &[output, edge] : function->second.results)
          open.push_back({&function->second.body, edge.node});
      };
      enter(node->op);
      for (const auto &[key, attr] : node->attrs)
        if (const auto *callee = std::get_if<FunctionName>(&attr))
          enter(callee->name);
      OpSummary &op = ops[node->op];
      op.name = node->op;
      ++op.count;
      // Nodes that end an iteration have no handler, because they are imported
      // with their loop.
      bool ofLoop = llvm::is_contained(
          {"Exit", "RefExit", "NextIteration", "RefNextIteration"}, node->op);
      op.unsupported += calls || ofLoop || registry.find(node->op) ? 0 : 1;
    }
  }

  std::vector<OpSummary> take() {
    std::vector<OpSummary> result;
    for (auto &[name, op] : ops)
      result.push_back(op);
    llvm::stable_sort(result, [](const OpSummary &a, const OpSummary &b) {
      return a.count > b.count;
    });
    return result;
  }

private:
  const Model &model;
  OpRegistry registry;
  std::set<const Node *> seen;
  std::map<std::string, OpSummary> ops;
};
} // namespace

static std::vector<TensorSummary> summarize(llvm::ArrayRef<Port> ports) {
  std::vector<TensorSummary> result;
  for (const Port &port : ports) {
    TensorSummary summary{port.name, dataTypeName(port.type), {}};
    if (!port.shape.hasRank)
      summary.dims.push_back("...");
    for (int64_t dim : port.shape.dims)
      summary.dims.push_back(dim < 0 ? "?" : std::to_string(dim));
    result.push_back(std::move(summary));
  }
  return result;
}

ModelSummary describeTensorFlow(const Model &model) {
  ModelSummary summary;
  summary.format =
      model.isSavedModel ? "TensorFlow SavedModel" : "TensorFlow graph";
  summary.name = model.path;
  if (!model.version.empty())
    summary.producer = "TensorFlow " + model.version;
  OpCounter counter(model);
  for (const auto &[name, signature] : model.signatures) {
    summary.signatures.push_back(
        {name, summarize(signature.inputs), summarize(signature.outputs)});
    for (const Port &port : signature.outputs)
      counter.reach(model.graph, port.tensor.substr(0, port.tensor.rfind(':')));
  }
  if (!model.isSavedModel) {
    for (const Node &node : model.graph.nodes)
      counter.reach(model.graph, node.name);
    std::vector<Port> outputs;
    for (const Node *node : finalNodes(model.graph))
      outputs.push_back(portOf(*node, node->name));
    summary.inputs = summarize(placeholders(model.graph, outputs));
    summary.outputs = summarize(outputs);
  }
  summary.ops = counter.take();
  for (const auto &[variable, key] : model.variableKeys)
    if (model.bundle && model.bundle->contains(key)) {
      int64_t elements = model.bundle->numElements(key);
      summary.parameters += elements;
      summary.parameterBytes +=
          elements * elementSize(model.bundle->typeOf(key));
    }
  return summary;
}

} // namespace tenon
