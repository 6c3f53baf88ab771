// Builds the model with weights and its artifacts.
#include "test/process/Models.h"

#include <algorithm>
#include <sstream>

namespace tenon::test {
namespace {
std::vector<float> weights(int seed) {
  std::vector<float> values(modelElements);
  for (int i = 0; i < modelElements; ++i)
    values[size_t(i)] = float(i % 37 * seed) - 20;
  return values;
}
} // namespace

::onnx::ModelProto makeWeightedModel(int seed) {
  ::onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(13);
  auto *graph = model.mutable_graph();
  graph->set_name("g");
  addTensor(graph->mutable_input(), "x", {modelElements});
  addTensor(graph->mutable_output(), "y", {modelElements});
  auto *weight = graph->add_initializer();
  *weight = makeFloats("w", modelElements);
  weight->set_raw_data(weights(seed).data(), modelElements * sizeof(float));
  addNode(graph, "Add", {"x", "w"}, {"sum"});
  addNode(graph, "Relu", {"sum"}, {"y"});
  return model;
}

void writeModel(const std::string &path, int seed) {
  std::ofstream(path, std::ios::binary)
      << makeWeightedModel(seed).SerializeAsString();
}

std::string writeModelApart(const Folder &folder) {
  ::onnx::ModelProto model = makeWeightedModel(2);
  auto *weight = model.mutable_graph()->mutable_initializer(0);
  std::string data = weight->raw_data();
  folder.write("w.bin", data);
  weight->clear_raw_data();
  weight->set_data_location(::onnx::TensorProto::EXTERNAL);
  auto *entry = weight->add_external_data();
  entry->set_key("location");
  entry->set_value("w.bin");
  folder.write("apart.onnx", model.SerializeAsString());
  return data;
}

std::vector<float> expectedRow(int seed) {
  std::vector<float> row = weights(seed);
  for (float &value : row)
    value = std::max(value + 1, 0.f);
  return row;
}

Opened::Opened(const std::string &path, int32_t threads, bool verify) {
  char text[1024] = "";
  tenon_open_options options = {};
  options.struct_size = sizeof options;
  options.error_text = text;
  options.error_text_bytes = sizeof text;
  options.verify_weights = verify;
  options.threads = threads;
  EXPECT_EQ(tenon_open(path.c_str(), &options, &model), TENON_OK)
      << path << ": " << text;
  if (model)
    EXPECT_EQ(tenon_context_create(model, nullptr, &context), TENON_OK);
}

Opened::~Opened() {
  tenon_context_destroy(context);
  EXPECT_EQ(tenon_close(model), TENON_OK);
}

std::vector<float> Opened::run() const {
  if (!context)
    return {};
  std::vector<float> x(modelElements, 1), y(modelElements);
  int64_t dims[] = {modelElements}, yDims[] = {0};
  tenon_tensor input = {};
  input.struct_size = sizeof input;
  input.dtype = TENON_F32;
  input.rank = 1;
  input.dims = dims;
  input.data = x.data();
  input.bytes = x.size() * sizeof(float);
  tenon_tensor output = input;
  output.dims = yDims;
  output.data = y.data();
  if (tenon_run(context, nullptr, &input, 1, &output, 1) != TENON_OK)
    return {};
  return y;
}

std::vector<float> runArtifact(const std::string &path) {
  return Opened(path, 1, /*verify=*/true).run();
}

std::string readWhole(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

} // namespace tenon::test
