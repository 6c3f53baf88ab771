// The weighted model and its artifacts.
#include "test/process/Models.h"

#include "runtime/tenon.h"

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

std::vector<float> expectedRow(int seed) {
  std::vector<float> row = weights(seed);
  for (float &value : row)
    value = std::max(value + 1, 0.f);
  return row;
}

std::vector<float> runArtifact(const std::string &path) {
  char text[1024] = "";
  tenon_open_options open = {};
  open.struct_size = sizeof open;
  open.error_text = text;
  open.error_text_bytes = sizeof text;
  open.verify_weights = 1;
  open.threads = 1;
  tenon_model *model = nullptr;
  tenon_context *context = nullptr;
  std::vector<float> x(modelElements, 1), y(modelElements);
  if (tenon_open(path.c_str(), &open, &model) != TENON_OK) {
    ADD_FAILURE() << path << ": " << text;
    return {};
  }
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
  EXPECT_EQ(tenon_context_create(model, nullptr, &context), TENON_OK);
  EXPECT_EQ(tenon_run(context, nullptr, &input, 1, &output, 1), TENON_OK)
      << tenon_context_text(context);
  tenon_context_destroy(context);
  tenon_close(model);
  return y;
}

std::string readWhole(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

} // namespace tenon::test
