// What a model file holds, told without compiling it: straight from the checked structures of the reader.
#include "compiler/ModelDescriber.h"

#include "compiler/ModelLoader.h"
#include "compiler/import/onnx/OnnxReader.h"
#include "compiler/import/onnx/OpRegistry.h"

#include "llvm/ADT/MapVector.h"
#include <algorithm>

namespace tenon {

namespace {
/// Counts the operators of a graph and the graphs inside it.
struct OpCounter {
  onnx::OpRegistry registry;
  const onnx::Model &model;
  llvm::MapVector<std::string, OpSummary> ops;

  explicit OpCounter(const onnx::Model &model) : model(model) { onnx::registerAllOps(registry); }

  void count(const onnx::Graph &graph) {
    for (const onnx::Node &node : graph.nodes) {
      std::string name = node.domain.empty() ? node.opType : node.domain + "." + node.opType;
      OpSummary &summary = ops[name];
      summary.name = name;
      ++summary.count;
      auto version = model.opsets.find(node.domain);
      bool known = version != model.opsets.end() && registry.find(node.domain, node.opType, version->second);
      summary.unsupported += !known && !model.findFunction(node.domain, node.opType);
      for (const auto &[key, attribute] : node.attributes)
        if (auto inner = std::get_if<std::unique_ptr<onnx::Graph>>(&attribute.value))
          count(**inner);
    }
  }
};

TensorSummary summarize(const onnx::ValueInfo &value) {
  TensorSummary summary{value.name, onnx::elementTypeName(value.type.element), {}};
  if (!value.type.shape)
    return summary;
  for (const onnx::Dim &dim : *value.type.shape)
    summary.dims.push_back(dim.kind == onnx::Dim::Kind::Static     ? std::to_string(dim.size)
                           : dim.kind == onnx::Dim::Kind::Symbolic ? dim.symbol
                                                                   : "?");
  return summary;
}
} // namespace

ModelSummary describeModel(const CompileOptions &options, const DiagnosticHandler &report, Status &status) {
  ModelSummary summary;
  if (isMlirText(options.input)) {
    summary.format = "MLIR text";
    status = Status::Success;
    return summary;
  }
  status = Status::Failure;
  auto model = readOnnx(options.input, [&](const Diagnostic &d) {
    if (d.severity == Severity::Error)
      status = d.status;
    report(d);
  });
  if (!model)
    return summary;
  status = Status::Success;
  auto opset = model->opsets.find("");
  summary.format = "ONNX, opset " + std::to_string(opset == model->opsets.end() ? 0 : opset->second);
  summary.name = model->graph.name;
  summary.producer = model->producer;
  llvm::StringMap<bool> weights;
  for (const onnx::Tensor &tensor : model->graph.initializers) {
    int64_t elements = 1;
    for (int64_t dim : tensor.dims)
      elements *= dim;
    summary.parameters += elements;
    summary.parameterBytes += elements * onnx::elementSize(tensor.type);
    weights[tensor.name] = true;
  }
  for (const onnx::ValueInfo &input : model->graph.inputs)
    if (!weights.contains(input.name))
      summary.inputs.push_back(summarize(input));
  for (const onnx::ValueInfo &output : model->graph.outputs)
    summary.outputs.push_back(summarize(output));
  OpCounter counter(*model);
  counter.count(model->graph);
  for (auto &[name, op] : counter.ops)
    summary.ops.push_back(op);
  std::stable_sort(summary.ops.begin(), summary.ops.end(), [](const OpSummary &a, const OpSummary &b) { return a.count > b.count; });
  return summary;
}

} // namespace tenon
