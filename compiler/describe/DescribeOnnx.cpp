// Reads the model and counts its parts without importing it, so that models
// with unsupported operators can be described, too.
#include "compiler/describe/DescribeOnnx.h"

#include "compiler/import/onnx/graph/OpRegistry.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

#include <algorithm>
#include <map>

namespace tenon {

namespace {
/// Counts the operators and constants of a graph and its subgraphs.
class OpCounter {
public:
  OpCounter(const onnx::Model &model, ModelSummary &summary)
      : model(model), summary(summary) {
    onnx::registerAllOps(registry);
  }

  void count(const onnx::Graph &graph,
             const std::map<std::string, int64_t> &opsets) {
    for (const onnx::Tensor &weight : graph.initializers)
      count(weight);
    for (const onnx::SparseTensor &weight : graph.sparseInitializers)
      count(weight.values);
    count(graph.nodes, opsets);
  }

  void count(const std::vector<onnx::Node> &nodes,
             const std::map<std::string, int64_t> &opsets) {
    for (const onnx::Node &node : nodes) {
      // A Constant node counts as a weight.
      if (auto *constant = node.get<onnx::Tensor>("value");
          constant && node.opType == "Constant" && node.domain.empty())
        count(*constant);
      OpSummary &op = ops[{node.domain, node.opType}];
      ++op.count;
      op.unsupported += isSupported(node, opsets) ? 0 : 1;
      for (const auto &[name, attribute] : node.attributes) {
        using GraphPointer = std::unique_ptr<onnx::Graph>;
        if (auto *graph = std::get_if<GraphPointer>(&attribute.value))
          count(**graph, opsets);
        else if (auto *graphs =
                     std::get_if<std::vector<GraphPointer>>(&attribute.value))
          for (const GraphPointer &inner : *graphs)
            count(*inner, opsets);
      }
    }
  }

  /// The counted operators: the most frequent first, those of equal count by
  /// name.
  std::vector<OpSummary> take() {
    std::vector<OpSummary> result;
    for (auto &[key, op] : ops) {
      op.name = key.first.empty() ? key.second : key.first + "." + key.second;
      result.push_back(op);
    }
    llvm::stable_sort(result, [](const OpSummary &a, const OpSummary &b) {
      return a.count > b.count;
    });
    return result;
  }

private:
  void count(const onnx::Tensor &weight) {
    summary.parameters += weight.numElements();
    summary.parameterBytes += weight.numBytes();
  }

  bool isSupported(const onnx::Node &node,
                   const std::map<std::string, int64_t> &opsets) const {
    if (model.findFunction(node.domain, node.opType))
      return true;
    auto opset = opsets.find(node.domain);
    return opset != opsets.end() &&
           registry.find(node.domain, node.opType, opset->second);
  }

  const onnx::Model &model;
  ModelSummary &summary;
  onnx::OpRegistry registry;
  std::map<std::pair<std::string, std::string>, OpSummary> ops;
};
} // namespace

/// A named dimension with the options applied: a number, a range, or its name.
static std::string namedExtent(const std::string &symbol,
                               const CompileOptions &options) {
  for (const DimOption &dim : options.dims)
    if (dim.name == symbol)
      return dim.min == dim.max ? std::to_string(dim.min)
                                : symbol + "=" + std::to_string(dim.min) +
                                      ".." + std::to_string(dim.max);
  return symbol;
}

/// The name of a dynamic extent, as in a compilation. An input's extent without
/// a name in the model is named after the input and the dimension.
static std::string openExtent(const onnx::ValueInfo &value, size_t index,
                              bool isInput, const CompileOptions &options) {
  const auto &shape = value.type.shape;
  std::string symbol =
      shape && index < shape->size() ? (*shape)[index].symbol : "";
  if (symbol.empty() && isInput)
    symbol = value.name + "_dim" + std::to_string(index);
  return symbol.empty() ? "?" : namedExtent(symbol, options);
}

static TensorSummary summarize(const onnx::ValueInfo &value, bool isInput,
                               const CompileOptions &options) {
  TensorSummary summary{value.name, "?", {}};
  if (value.type.kind != onnx::Type::Kind::Tensor)
    return summary;
  summary.dtype = onnx::elementTypeName(value.type.element);
  for (const ShapeOption &shape : options.shapes)
    if (shape.input == value.name) {
      for (auto [i, extent] : llvm::enumerate(shape.dims))
        summary.dims.push_back(extent ? std::to_string(*extent)
                                      : openExtent(value, i, isInput, options));
      return summary;
    }
  if (!value.type.shape)
    summary.dims.push_back("...");
  else
    for (auto [i, dim] : llvm::enumerate(*value.type.shape))
      summary.dims.push_back(dim.kind == onnx::Dim::Kind::Static
                                 ? std::to_string(dim.size)
                                 : openExtent(value, i, isInput, options));
  return summary;
}

ModelSummary describeOnnx(const onnx::Model &model,
                          const CompileOptions &options) {
  ModelSummary summary;
  auto opset = model.opsets.find("");
  summary.format = "ONNX";
  if (opset != model.opsets.end())
    summary.format += ", opset " + std::to_string(opset->second);
  summary.name = model.graph.name;
  summary.producer = model.producer;
  llvm::StringSet<> defaults;
  for (const onnx::Tensor &weight : model.graph.initializers)
    defaults.insert(weight.name);
  for (const onnx::SparseTensor &weight : model.graph.sparseInitializers)
    defaults.insert(weight.values.name);
  for (const onnx::ValueInfo &input : model.graph.inputs)
    if (!defaults.contains(input.name))
      summary.inputs.push_back(summarize(input, /*isInput=*/true, options));
  for (const onnx::ValueInfo &output : model.graph.outputs)
    summary.outputs.push_back(summarize(output, /*isInput=*/false, options));
  OpCounter counter(model, summary);
  counter.count(model.graph, model.opsets);
  for (const onnx::Function &function : model.functions)
    counter.count(function.nodes, function.opsets);
  summary.ops = counter.take();
  return summary;
}

} // namespace tenon
