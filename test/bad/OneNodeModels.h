// A valid model for every operator that we import, from ONNX's test cases if
// there is one. Tests damage these systematically, so that a new operator is
// tested automatically.
#ifndef TENON_TEST_BAD_ONENODEMODELS_H
#define TENON_TEST_BAD_ONENODEMODELS_H

#include "compiler/import/onnx/graph/OnnxImporter.h"
#include "compiler/import/onnx/graph/OpRegistry.h"
#include "test/bad/OnnxModels.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <map>
#include <set>

namespace tenon::test {

/// The result of reading and importing a model.
struct Import : Reading {
  bool done = false;

  Status status() const { return done ? Status::Success : refusal(); }

private:
  Status refusal() const {
    for (const Diagnostic &d : said)
      if (d.severity == Severity::Error)
        return d.status;
    return Status::Internal; // refused without a message
  }
};

inline Import importModel(const ::onnx::ModelProto &proto) {
  Import result;
  auto report = [&](const Diagnostic &d) { result.said.push_back(d); };
  std::string bytes = proto.SerializeAsString();
  result.model = readOnnx(std::as_bytes(std::span(bytes.data(), bytes.size())),
                          "m.onnx", "", report);
  if (!result.model)
    return result;
  mlir::MLIRContext context;
  result.done = bool(importOnnx(context, *result.model, {}, report));
  return result;
}

/// The folder of ONNX's test cases.
inline const char *const onnxCases = "/usr/share/libonnx-testdata/data/node";

/// A model of one operator for which ONNX 1.12 has no case, with f32 inputs and
/// one output of these extents.
inline ::onnx::ModelProto
makeOneNode(const std::string &op, int64_t opset,
            const std::vector<std::vector<int64_t>> &inputs,
            const std::vector<int64_t> &output,
            int type = ::onnx::TensorProto::FLOAT) {
  ::onnx::ModelProto model = makeEmpty(opset);
  auto *graph = model.mutable_graph();
  graph->clear_input();
  std::vector<std::string> names;
  for (const auto &dims : inputs) {
    names.push_back("x" + std::to_string(names.size()));
    addTensor(graph->mutable_input(), names.back(), dims, type);
  }
  addNode(graph, op, names, {"y"});
  addTensor(graph->mutable_output(), "y", output, type);
  return model;
}

inline void setInts(::onnx::ModelProto &model, const std::string &name,
                    const std::vector<int64_t> &values) {
  auto *attribute = addAttribute(model.mutable_graph()->mutable_node(0), name,
                                 ::onnx::AttributeProto::INTS);
  for (int64_t value : values)
    attribute->add_ints(value);
}

inline void setInt(::onnx::ModelProto &model, const std::string &name,
                   int64_t value) {
  addAttribute(model.mutable_graph()->mutable_node(0), name,
               ::onnx::AttributeProto::INT)
      ->set_i(value);
}

inline void setType(::onnx::ValueInfoProto *value, int type) {
  value->mutable_type()->mutable_tensor_type()->set_elem_type(type);
}

/// As makeOneNode, but the inputs from number `first` on are i64 sizes.
inline ::onnx::ModelProto
makeSized(const std::string &op, int64_t opset,
          const std::vector<std::vector<int64_t>> &inputs, int first,
          const std::vector<int64_t> &output) {
  ::onnx::ModelProto model = makeOneNode(op, opset, inputs, output);
  auto *graph = model.mutable_graph();
  for (int i = first; i < graph->input_size(); ++i)
    setType(graph->mutable_input(i), ::onnx::TensorProto::INT64);
  return model;
}

/// Models of the operators for which ONNX 1.12 has no deterministic case of one
/// node.
inline std::map<std::string, ::onnx::ModelProto> ownModels() {
  std::map<std::string, ::onnx::ModelProto> models;
  for (const char *op : {"BitwiseAnd", "BitwiseOr", "BitwiseXor"})
    models[op] = makeOneNode(op, 18, {{2, 3}, {2, 3}}, {2, 3},
                             ::onnx::TensorProto::INT32);
  models["BitwiseNot"] =
      makeOneNode("BitwiseNot", 18, {{4}}, {4}, ::onnx::TensorProto::INT32);
  models["Gelu"] = makeOneNode("Gelu", 20, {{4}}, {4});
  models["Mish"] = makeOneNode("Mish", 18, {{4}}, {4});
  models["GroupNormalization"] =
      makeOneNode("GroupNormalization", 18, {{1, 4, 3}, {2}, {2}}, {1, 4, 3});
  setInt(models["GroupNormalization"], "num_groups", 2);
  models["GlobalLpPool"] =
      makeOneNode("GlobalLpPool", 13, {{1, 2, 4}}, {1, 2, 1});
  models["LpPool"] = makeOneNode("LpPool", 13, {{1, 2, 4}}, {1, 2, 3});
  setInts(models["LpPool"], "kernel_shape", {2});
  models["LpNormalization"] =
      makeOneNode("LpNormalization", 13, {{2, 3}}, {2, 3});
  models["Multinomial"] = makeOneNode("Multinomial", 13, {{2, 3}}, {2, 1});
  setType(models["Multinomial"].mutable_graph()->mutable_output(0),
          ::onnx::TensorProto::INT32);
  models["AffineGrid"] =
      makeSized("AffineGrid", 20, {{1, 2, 3}, {4}}, 1, {1, 2, 3, 2});
  models["CenterCropPad"] =
      makeSized("CenterCropPad", 18, {{4, 5}, {2}}, 1, {2, 6});
  models["Col2Im"] =
      makeSized("Col2Im", 18, {{1, 8, 6}, {2}, {2}}, 1, {1, 2, 3, 4});
  models["DeformConv"] =
      makeOneNode("DeformConv", 19, {{1, 2, 4, 4}, {1, 2, 2, 2}, {1, 8, 3, 3}},
                  {1, 1, 3, 3});
  models["OptionalGetElement"] =
      makeOneNode("OptionalGetElement", 18, {{4}}, {4});
  models["OptionalHasElement"] =
      makeOneNode("OptionalHasElement", 18, {{4}}, {});
  setType(models["OptionalHasElement"].mutable_graph()->mutable_output(0),
          ::onnx::TensorProto::BOOL);
  for (const char *op : {"RandomNormalLike", "RandomUniformLike"})
    models[op] = makeOneNode(op, 13, {{2, 3}}, {2, 3});
  for (const char *op : {"RandomNormal", "RandomUniform"}) {
    models[op] = makeOneNode(op, 13, {}, {2, 3});
    setInts(models[op], "shape", {2, 3});
  }
  return models;
}

/// Maps each operator to the smallest ONNX case with one node that is imported,
/// or to one of our own models.
inline const std::map<std::string, ::onnx::ModelProto> &oneNodeModels() {
  static const auto all = [] {
    std::map<std::string, ::onnx::ModelProto> models;
    std::set<std::filesystem::path> folders;
    if (std::filesystem::exists(onnxCases))
      for (const auto &entry : std::filesystem::directory_iterator(onnxCases))
        folders.insert(entry.path());
    for (const auto &folder : folders) {
      std::ifstream file(folder / "model.onnx", std::ios::binary);
      ::onnx::ModelProto model;
      if (!model.ParseFromIstream(&file) || model.graph().node_size() != 1 ||
          !model.graph().node(0).domain().empty())
        continue;
      auto &best = models[model.graph().node(0).op_type()];
      bool smaller =
          !best.has_graph() || model.ByteSizeLong() < best.ByteSizeLong();
      if (smaller && importModel(model).done)
        best = model;
    }
    for (auto &[op, model] : ownModels())
      if (!models[op].has_graph() && importModel(model).done)
        models[op] = model;
    std::erase_if(models, [](const auto &m) { return !m.second.has_graph(); });
    return models;
  }();
  return all;
}

} // namespace tenon::test

#endif // TENON_TEST_BAD_ONENODEMODELS_H
