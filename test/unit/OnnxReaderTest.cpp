// Tests the reader on valid models: every field of its structures, payloads
// left in the file, ONNX's own data.
#include "test/bad/OnnxModels.h"

#include "compiler/import/onnx/reader/OnnxTensorFile.h"

#include <cstring>
#include <sys/resource.h>

namespace tenon::test {
namespace {

const char *const testData = "/usr/share/libonnx-testdata/data";

TEST(OnnxReader, StructuresHoldWhatTheFileHolds) {
  ::onnx::ModelProto model = makeModel();
  model.set_producer_name("pytest");
  model.set_producer_version("1");
  auto *graph = model.mutable_graph();
  auto *value = addTensor(graph->mutable_input(), "batch", {1, 2, -1});
  auto *shape = value->mutable_type()->mutable_tensor_type()->mutable_shape();
  shape->mutable_dim(0)->set_dim_param("N");
  shape->add_dim();
  auto *node = addNode(graph, "Conv", {"x", "w"}, {"c"});
  node->set_domain("ai.onnx");
  auto *pads = addAttribute(node, "pads", ::onnx::AttributeProto::INTS);
  for (int i = 0; i < 4; ++i)
    pads->add_ints(-i);
  auto *pad = addAttribute(node, "auto_pad", ::onnx::AttributeProto::STRING);
  pad->set_s("VALID");
  auto *sequence = graph->add_value_info();
  sequence->set_name("s");
  sequence->mutable_type()
      ->mutable_sequence_type()
      ->mutable_elem_type()
      ->mutable_tensor_type()
      ->set_elem_type(::onnx::TensorProto::INT64);

  Reading reading = read(model);
  ASSERT_TRUE(reading.model) << reading.text();
  const onnx::Model &m = *reading.model;
  EXPECT_EQ(m.irVersion, 8);
  EXPECT_EQ(m.opsets.at(""), 13);
  EXPECT_EQ(m.producer, "pytest 1");
  ASSERT_EQ(m.graph.inputs.size(), 2u);
  const onnx::Type &type = m.graph.inputs[1].type;
  EXPECT_EQ(type.kind, onnx::Type::Kind::Tensor);
  EXPECT_EQ(type.element, onnx::ElementType::F32);
  ASSERT_EQ(type.shape->size(), 4u);
  EXPECT_EQ((*type.shape)[0].symbol, "N");
  EXPECT_EQ((*type.shape)[1].size, 2);
  EXPECT_EQ((*type.shape)[2].kind, onnx::Dim::Kind::Unknown);
  EXPECT_EQ((*type.shape)[3].kind, onnx::Dim::Kind::Unknown);
  const onnx::Node &conv = m.graph.nodes[2];
  EXPECT_EQ(conv.domain, "");
  EXPECT_EQ(conv.index, 2u);
  EXPECT_EQ(onnx::placeOf(conv), "node \"the_c\" (Conv)");
  EXPECT_EQ(*conv.get<std::vector<int64_t>>("pads"),
            (std::vector<int64_t>{0, -1, -2, -3}));
  EXPECT_EQ(*conv.get<std::string>("auto_pad"), "VALID");
  EXPECT_EQ(conv.get<int64_t>("pads"), nullptr);
  ASSERT_EQ(m.graph.valueInfo.size(), 1u);
  EXPECT_EQ(m.graph.valueInfo[0].type.kind, onnx::Type::Kind::Sequence);
  EXPECT_EQ(m.graph.valueInfo[0].type.inner->element, onnx::ElementType::I64);
}

TEST(OnnxReader, LargePayloadsStayInTheFile) {
  Folder folder;
  ::onnx::ModelProto model = makeModel();
  ::onnx::TensorProto raw = makeFloats("raw", 1000), typed = raw;
  typed.set_name("typed");
  typed.clear_raw_data();
  for (int i = 0; i < 1000; ++i)
    typed.add_float_data(float(i) + 0.5f);
  *model.mutable_graph()->add_initializer() = raw;
  *model.mutable_graph()->add_initializer() = typed;
  folder.write("m.onnx", model.SerializeAsString());
  Reading reading = readFile(folder / "m.onnx");
  ASSERT_TRUE(reading.model) << reading.text();
  const auto &tensors = reading.model->graph.initializers;
  EXPECT_TRUE(std::holds_alternative<onnx::InlineBytes>(tensors[0].payload));
  // The open file remains readable after its name is removed.
  std::filesystem::remove(folder / "m.onnx");
  for (int i = 1; i <= 2; ++i) {
    EXPECT_TRUE(std::holds_alternative<onnx::FileRange>(tensors[i].payload));
    auto bytes = reading.model->bytes(tensors[i]);
    ASSERT_TRUE(bytes);
    EXPECT_EQ(std::memcmp(bytes->data(), raw.raw_data().data(), 4000), 0);
    float one = 0;
    EXPECT_TRUE(reading.model->read(tensors[i], 8, &one, 4));
    EXPECT_EQ(one, 2.5f);
    EXPECT_FALSE(reading.model->read(tensors[i], 3998, &one, 4));
  }
}

TEST(OnnxReader, WeightsTakeNoMemory) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  GTEST_SKIP() << "the sanitizer's own memory is counted";
#endif
#endif
  Folder folder;
  {
    ::onnx::ModelProto model = makeModel();
    ::onnx::TensorProto head;
    head.set_name("huge");
    head.set_data_type(::onnx::TensorProto::FLOAT);
    uint64_t bytes = uint64_t(1) << 30;
    head.add_dims(bytes / 4);
    // A hole in the file stands for the payload.
    std::string prefix = head.SerializeAsString();
    auto length = [](uint64_t n) {
      std::string out;
      for (; n >= 0x80; n >>= 7)
        out += char(n | 0x80);
      return out + char(n);
    };
    std::string raw = "\x4a" + length(bytes);
    std::string tensor = "\x2a" + length(prefix.size() + raw.size() + bytes);
    std::string graph =
        "\x3a" + length(tensor.size() + prefix.size() + raw.size() + bytes);
    std::string all = model.SerializeAsString() + graph + tensor + prefix + raw;
    folder.write("m.onnx", all);
    std::filesystem::resize_file(folder / "m.onnx", all.size() + bytes);
  }
  rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  Reading reading = readFile(folder / "m.onnx");
  getrusage(RUSAGE_SELF, &after);
  ASSERT_TRUE(reading.model) << reading.text();
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 32 << 10);
}

TEST(OnnxReader, DirectoriesAndMissingFilesAreIoErrors) {
  Folder folder;
  expectRefused(readFile(folder.path), Status::Io, "directory");
  expectRefused(readFile(folder / "absent.onnx"), Status::Io, "absent.onnx");
}

TEST(OnnxReader, ReadsAllOfOnnxsOwnModels) {
  if (!std::filesystem::exists(testData))
    GTEST_SKIP() << "libonnx-testdata is not installed";
  int count = 0;
  for (const auto &group : std::filesystem::directory_iterator(testData))
    for (const auto &one : std::filesystem::directory_iterator(group)) {
      std::string path = one.path() / "model.onnx";
      if (!std::filesystem::exists(path))
        continue;
      expectRead(readFile(path));
      // Protobuf without our envelope must see the fields that we kept.
      ::onnx::ModelProto proto;
      std::ifstream stream(path, std::ios::binary);
      ASSERT_TRUE(proto.ParseFromIstream(&stream));
      Reading reading = readFile(path);
      ASSERT_TRUE(reading.model);
      ASSERT_EQ(int(reading.model->graph.nodes.size()),
                proto.graph().node_size());
      for (int i = 0; i < proto.graph().node_size(); ++i) {
        const auto &node = reading.model->graph.nodes[i];
        EXPECT_EQ(node.opType, proto.graph().node(i).op_type());
        EXPECT_EQ(int(node.inputs.size()), proto.graph().node(i).input_size());
        EXPECT_EQ(int(node.attributes.size()),
                  proto.graph().node(i).attribute_size());
      }
      for (int i = 0; i < proto.graph().initializer_size(); ++i) {
        const auto &tensor = reading.model->graph.initializers[i];
        if (proto.graph().initializer(i).has_raw_data()) {
          auto bytes = reading.model->bytes(tensor);
          ASSERT_TRUE(bytes);
          const std::string &raw = proto.graph().initializer(i).raw_data();
          EXPECT_EQ(std::string(reinterpret_cast<char *>(bytes->data()),
                                bytes->size()),
                    raw);
        }
      }
      ++count;
    }
  EXPECT_GE(count, 1000);
}

TEST(OnnxTensorFile, ReadsOnnxsOwnTensors) {
  if (!std::filesystem::exists(testData))
    GTEST_SKIP() << "libonnx-testdata is not installed";
  int tensors = 0, unsupported = 0;
  for (const auto &file :
       std::filesystem::recursive_directory_iterator(testData)) {
    if (file.path().extension() != ".pb")
      continue;
    Status status = Status::Success;
    auto tensor = readOnnxTensorFile(file.path(), [&](const Diagnostic &d) {
      status = d.status;
      EXPECT_EQ(status, Status::Unsupported) << formatDiagnostic(d);
    });
    if (!tensor) {
      ++unsupported;
      continue;
    }
    ++tensors;
    if (auto *bytes = std::get_if<onnx::InlineBytes>(&tensor->payload))
      EXPECT_EQ(bytes->size(), tensor->numBytes());
  }
  EXPECT_GT(tensors, 2500);
  EXPECT_GT(unsupported, 0);
  EXPECT_LT(unsupported, 100);
}

TEST(OnnxTensorFile, RefusesDamageAndSequences) {
  Folder folder;
  auto readTensor = [&](const std::string &bytes) {
    folder.write("t.pb", bytes);
    Status status = Status::Success;
    auto tensor = readOnnxTensorFile(
        folder / "t.pb", [&](const Diagnostic &d) { status = d.status; });
    EXPECT_EQ(bool(tensor), status == Status::Success);
    return status;
  };
  std::string good = makeFloats("", 3).SerializeAsString();
  EXPECT_EQ(readTensor(good), Status::Success);
  for (size_t size = 1; size + 1 < good.size(); ++size)
    EXPECT_NE(readTensor(good.substr(0, size)), Status::Success) << size;
  // SequenceProto: name = 1, elem_type = 2, tensor_values = 3.
  std::string sequence =
      "\x0a\x03seq\x10\x01\x1a" + std::string(1, char(good.size())) + good;
  EXPECT_EQ(readTensor(sequence), Status::Unsupported);
}

} // namespace
} // namespace tenon::test
