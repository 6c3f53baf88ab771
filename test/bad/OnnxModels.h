// Small ONNX models to damage, built with protobuf's classes, and checks of the
// reader's answers.
#ifndef TENON_TEST_BAD_ONNXMODELS_H
#define TENON_TEST_BAD_ONNXMODELS_H

#include "compiler/import/onnx/reader/OnnxReader.h"

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace tenon::test {

/// The result of reading a model.
struct Reading {
  std::unique_ptr<onnx::Model> model;
  std::vector<Diagnostic> said;

  Status status() const {
    if (model)
      return Status::Success;
    for (const Diagnostic &d : said)
      if (d.severity == Severity::Error)
        return d.status;
    return Status::Internal; // refused without a message
  }
  std::string text() const {
    std::string all;
    for (const Diagnostic &d : said)
      all += formatDiagnostic(d);
    return all;
  }
};

inline Reading readBytes(const std::string &bytes,
                         const std::string &folder = "") {
  Reading reading;
  reading.model =
      readOnnx(std::as_bytes(std::span(bytes.data(), bytes.size())), "m.onnx",
               folder, [&](const Diagnostic &d) { reading.said.push_back(d); });
  return reading;
}

inline Reading readFile(const std::string &path) {
  Reading reading;
  reading.model =
      readOnnx(path, [&](const Diagnostic &d) { reading.said.push_back(d); });
  return reading;
}

inline Reading read(const ::onnx::ModelProto &model,
                    const std::string &folder = "") {
  return readBytes(model.SerializeAsString(), folder);
}

/// Expects a refusal with status `want` and a message that contains `words`.
template <typename Outcome>
void expectRefused(const Outcome &reading, Status want,
                   const std::string &words) {
  EXPECT_EQ(int(reading.status()), int(want)) << reading.text();
  EXPECT_NE(reading.text().find(words), std::string::npos)
      << "expected \"" << words << "\" in: " << reading.text();
}

inline void expectRead(const Reading &reading) {
  EXPECT_TRUE(reading.model) << reading.text();
}

inline ::onnx::ValueInfoProto *
addTensor(google::protobuf::RepeatedPtrField<::onnx::ValueInfoProto> *list,
          const std::string &name, std::vector<int64_t> dims = {4},
          int type = ::onnx::TensorProto::FLOAT) {
  auto *value = list->Add();
  value->set_name(name);
  auto *tensor = value->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(type);
  auto *shape = tensor->mutable_shape();
  for (int64_t dim : dims)
    shape->add_dim()->set_dim_value(dim);
  return value;
}

inline ::onnx::NodeProto *addNode(::onnx::GraphProto *graph,
                                  const std::string &op,
                                  const std::vector<std::string> &inputs,
                                  const std::vector<std::string> &outputs) {
  auto *node = graph->add_node();
  node->set_op_type(op);
  node->set_name("the_" + (outputs.empty() ? op : outputs[0]));
  for (const auto &input : inputs)
    node->add_input(input);
  for (const auto &output : outputs)
    node->add_output(output);
  return node;
}

inline ::onnx::TensorProto makeFloats(const std::string &name, int count) {
  ::onnx::TensorProto tensor;
  tensor.set_name(name);
  tensor.set_data_type(::onnx::TensorProto::FLOAT);
  tensor.add_dims(count);
  std::vector<float> values(count);
  for (int i = 0; i < count; ++i)
    values[i] = float(i) + 0.5f;
  tensor.set_raw_data(values.data(), count * sizeof(float));
  return tensor;
}

/// A model with an input "x" of f32[4] and no nodes or outputs yet.
inline ::onnx::ModelProto makeEmpty(int64_t opset = 13) {
  ::onnx::ModelProto model;
  model.set_ir_version(8);
  model.mutable_graph()->set_name("g");
  addTensor(model.mutable_graph()->mutable_input(), "x");
  model.add_opset_import()->set_version(opset);
  return model;
}

/// y = Relu(x + w)
inline ::onnx::ModelProto makeModel(int64_t opset = 13) {
  ::onnx::ModelProto model = makeEmpty(opset);
  auto *graph = model.mutable_graph();
  *graph->add_initializer() = makeFloats("w", 4);
  addNode(graph, "Add", {"x", "w"}, {"sum"});
  addNode(graph, "Relu", {"sum"}, {"y"});
  addTensor(graph->mutable_output(), "y");
  return model;
}

inline ::onnx::AttributeProto *
addAttribute(::onnx::NodeProto *node, const std::string &name,
             ::onnx::AttributeProto::AttributeType type) {
  auto *attribute = node->add_attribute();
  attribute->set_name(name);
  attribute->set_type(type);
  return attribute;
}

/// Adds a node `If(condition)` to `graph` and its two branches. The named
/// output of each branch must still be computed.
struct Branches {
  ::onnx::GraphProto *thenBranch;
  ::onnx::GraphProto *elseBranch;
};
inline Branches addIf(::onnx::GraphProto *graph, const std::string &condition,
                      const std::string &output) {
  auto *node = addNode(graph, "If", {condition}, {output});
  Branches branches{
      addAttribute(node, "then_branch", ::onnx::AttributeProto::GRAPH)
          ->mutable_g(),
      addAttribute(node, "else_branch", ::onnx::AttributeProto::GRAPH)
          ->mutable_g()};
  branches.thenBranch->set_name("then");
  branches.elseBranch->set_name("else");
  return branches;
}

/// A model with `depth` nested Ifs; the innermost returns x.
inline ::onnx::ModelProto makeNested(int depth) {
  ::onnx::ModelProto model = makeEmpty();
  ::onnx::GraphProto *graph = model.mutable_graph();
  for (int i = 0; i < depth; ++i) {
    std::string name = "if" + std::to_string(i);
    auto branches = addIf(graph, "x", name);
    addTensor(branches.elseBranch->mutable_output(), "x");
    addTensor(graph->mutable_output(), name);
    graph = branches.thenBranch;
  }
  addTensor(graph->mutable_output(), "x");
  return model;
}

/// Adds a function `name` of domain "f" with one input that calls `callees` one
/// after another.
inline void addFunction(::onnx::ModelProto &model, const std::string &name,
                        const std::vector<std::string> &callees) {
  auto *function = model.add_functions();
  function->set_name(name);
  function->set_domain("f");
  auto *import = function->add_opset_import();
  import->set_domain("f");
  import->set_version(1);
  function->add_opset_import()->set_version(13);
  function->add_input("v");
  std::string last = "v";
  for (const auto &callee : callees) {
    auto *node = function->add_node();
    node->set_op_type(callee);
    if (callee != "Relu")
      node->set_domain("f");
    node->add_input(last);
    last += "'";
    node->add_output(last);
  }
  function->add_output(last);
}

/// A new folder that is removed with the object.
class Folder {
public:
  Folder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "tenon-test-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string operator/(const std::string &name) const {
    return path + "/" + name;
  }
  void write(const std::string &name, const std::string &bytes) const {
    std::ofstream(*this / name, std::ios::binary) << bytes;
  }
  std::string path;
};

} // namespace tenon::test

#endif // TENON_TEST_BAD_ONNXMODELS_H
