// Tests files that are no ONNX model, or have a wrong container, version or
// name.
#include "test/bad/OnnxModels.h"

#include "compiler/wire/WireReader.h"

namespace tenon::test {
namespace {

std::string field(uint32_t number, const std::string &bytes) {
  std::string out;
  wire::appendVarint(out, uint64_t(number) << 3 | 2);
  wire::appendVarint(out, bytes.size());
  return out + bytes;
}

TEST(OnnxEnvelope, EmptyFileHasNoGraph) {
  expectRefused(readBytes(""), Status::InvalidModel, "no graph");
}

TEST(OnnxEnvelope, OtherFormatsAreNamedWithAnOffset) {
  std::string noise(4096, '\0');
  uint32_t seed = 1;
  for (char &c : noise)
    c = char((seed = seed * 1664525 + 1013904223) >> 24);
  expectRefused(readBytes(noise), Status::InvalidModel, "offset");
  expectRefused(readBytes("Once upon a time there was a model.\n"),
                Status::InvalidModel, "not an ONNX model");
  std::string length("\x20\0\0\0\0\0\0\0", 8);
  for (const auto &[bytes, words] :
       {std::pair<std::string, const char *>{"PK\3\4" + noise,
                                             "is a ZIP archive; for weights"},
        {"\x80\2}q", "is a pickle, which is never run"},
        {"\x80\4\x95", "is a pickle, which is never run"},
        {length + "{\"a\":{}}", "is a safetensors file; pass the folder"},
        {"GGUF" + noise, "is a GGUF file; pass the folder"},
        {"{\"a\": 1}", "looks like JSON; for a checkpoint, pass the folder"}})
    expectRefused(readBytes(bytes), Status::InvalidModel,
                  std::string("this ") + words);
  // A GraphDef begins with a NodeDef where an ONNX model has a number.
  expectRefused(readBytes(field(1, field(1, "x") + field(2, "Placeholder"))),
                Status::InvalidModel, "ir_version");
}

TEST(OnnxEnvelope, EveryPrefixIsRefused) {
  // The opset comes last, so that no prefix of the file is a valid model.
  std::string opset, bytes;
  ::onnx::ModelProto model = makeModel();
  *model.mutable_graph()->add_initializer() = makeFloats("big", 700);
  ::onnx::ModelProto tail;
  *tail.add_opset_import() = model.opset_import(0);
  model.clear_opset_import();
  bytes = model.SerializeAsString() + tail.SerializeAsString();
  expectRead(readBytes(bytes));
  for (size_t size = 0; size < bytes.size(); ++size) {
    Reading reading = readBytes(bytes.substr(0, size));
    ASSERT_EQ(reading.status(), Status::InvalidModel)
        << size << ": " << reading.text();
  }
}

TEST(OnnxEnvelope, EveryFlippedByteIsReadOrRefused) {
  ::onnx::ModelProto model = makeModel();
  auto branches = addIf(model.mutable_graph(), "x", "z");
  addNode(branches.thenBranch, "Relu", {"y"}, {"a"});
  addTensor(branches.thenBranch->mutable_output(), "a");
  addTensor(branches.elseBranch->mutable_output(), "w");
  std::string good = model.SerializeAsString();
  expectRead(readBytes(good));
  for (unsigned char mask : {0xff, 0x01, 0x80})
    for (size_t i = 0; i < good.size(); ++i) {
      std::string bad = good;
      bad[i] ^= mask;
      Status status = readBytes(bad).status();
      ASSERT_TRUE(status == Status::Success || status == Status::InvalidModel ||
                  status == Status::Unsupported || status == Status::Limit)
          << i << ": " << int(status);
    }
}

TEST(OnnxEnvelope, HugeLengthsAreRefusedWithoutAllocating) {
  for (uint64_t length : {uint64_t(INT32_MAX), uint64_t(1) << 63, UINT64_MAX}) {
    std::string bytes = "\x3a"; // graph
    wire::appendVarint(bytes, length);
    expectRefused(readBytes(bytes + std::string(20, 'x')), Status::InvalidModel,
                  "more bytes");
  }
}

TEST(OnnxEnvelope, BrokenVarintsWireTypesAndFieldNumbersHaveAnOffset) {
  std::string model = makeModel().SerializeAsString();
  std::string at = "offset " + std::to_string(model.size());
  expectRefused(readBytes(model + "\x08" + std::string(10, '\xff') + "\1"),
                Status::InvalidModel, "10 bytes");
  expectRefused(readBytes(model + "\x0e"), Status::InvalidModel, at);
  expectRefused(readBytes(model + "\x0f"), Status::InvalidModel, "wire type");
  expectRefused(readBytes(model + std::string("\0", 1)), Status::InvalidModel,
                at);
}

TEST(OnnxEnvelope, DeepGroupsInUnknownFieldsAreRefused) {
  std::string model = makeModel().SerializeAsString();
  std::string open, shut;
  wire::appendVarint(open, 200 << 3 | 3);
  wire::appendVarint(shut, 200 << 3 | 4);
  auto nested = [&](int depth) {
    std::string bytes = model;
    for (int i = 0; i < depth; ++i)
      bytes += open;
    for (int i = 0; i < depth; ++i)
      bytes += shut;
    return bytes;
  };
  expectRead(readBytes(nested(100)));
  expectRefused(readBytes(nested(100000)), Status::InvalidModel, "100 levels");
}

TEST(OnnxEnvelope, DeepMessagesAreALimit) {
  std::string type; // TypeProto.sequence_type.elem_type...
  for (int i = 0; i < 60; ++i)
    type = field(4, field(1, type));
  std::string input = field(1, "q") + field(2, type);
  std::string graph = field(7, field(11, input));
  expectRefused(readBytes(makeModel().SerializeAsString() + graph),
                Status::Limit, "100 levels");
}

TEST(OnnxEnvelope, SingularGraphGivenTwiceIsMerged) {
  ::onnx::ModelProto model = makeModel(), more;
  addNode(more.mutable_graph(), "Relu", {"y"}, {"z"});
  Reading reading =
      readBytes(model.SerializeAsString() + more.SerializeAsString());
  ASSERT_TRUE(reading.model) << reading.text();
  EXPECT_EQ(reading.model->graph.nodes.size(), 3u);
  addNode(more.mutable_graph(), "Relu", {"nobody"}, {"q"});
  expectRefused(readBytes(model.SerializeAsString() + more.SerializeAsString()),
                Status::InvalidModel, "nobody");
}

TEST(OnnxEnvelope, FileOverTwoGiBIsRefusedBeforeReading) {
  Folder folder;
  folder.write("big.onnx", "");
  std::filesystem::resize_file(folder / "big.onnx", (uint64_t(2) << 30) + 1);
  expectRefused(readFile(folder / "big.onnx"), Status::Limit, "2 GiB");
  folder.write("weights.bin", "PK\3\4");
  std::filesystem::resize_file(folder / "weights.bin", (uint64_t(2) << 30) + 1);
  expectRefused(readFile(folder / "weights.bin"), Status::Limit,
                "pass the folder that has them and config.json");
}

TEST(OnnxEnvelope, NamesAreUtf8WithoutNul) {
  auto named = [](const std::string &name) {
    ::onnx::ModelProto model = makeModel();
    model.mutable_graph()->mutable_node(0)->set_name(name);
    return read(model);
  };
  expectRefused(named("caf\xe9"), Status::InvalidModel, "UTF-8");
  expectRefused(named("\xed\xa0\x80"), Status::InvalidModel, "UTF-8");
  expectRefused(named(std::string("a\0b", 3)), Status::InvalidModel, "NUL");
  expectRead(named("caf\xc3\xa9\n\x1b[2J"));
  expectRead(named(std::string(1 << 20, 'n')));
}

TEST(OnnxEnvelope, ControlCharactersOfNamesAreEscapedInMessages) {
  ::onnx::ModelProto model = makeModel();
  auto *node = model.mutable_graph()->mutable_node(0);
  node->set_name("evil\n\x1b[2J");
  node->set_input(1, "nobody");
  Reading reading = read(model);
  expectRefused(reading, Status::InvalidModel, "evil\\x0a\\x1b[2J");
  EXPECT_EQ(reading.text().find('\x1b'), std::string::npos);
}

TEST(OnnxEnvelope, VersionsOutOfRangeAreNamed) {
  auto opset = [](int64_t version) {
    ::onnx::ModelProto model = makeModel();
    model.mutable_opset_import(0)->set_version(version);
    return read(model);
  };
  expectRefused(opset(0), Status::InvalidModel, "opset");
  expectRefused(opset(-1), Status::InvalidModel, "-1");
  expectRefused(opset(int64_t(1) << 62), Status::InvalidModel, "opset");
  expectRefused(opset(99), Status::InvalidModel,
                "expected a version that exists, at most 28, got 99");
  ::onnx::ModelProto model = makeModel();
  model.clear_opset_import();
  expectRefused(read(model), Status::InvalidModel, "opset_import");
  model = makeModel();
  model.add_opset_import()->set_version(12);
  expectRefused(read(model), Status::InvalidModel, "twice");
  model = makeModel();
  model.set_ir_version(0);
  expectRefused(read(model), Status::InvalidModel, "ir_version");
  model.set_ir_version(int64_t(1) << 31);
  expectRefused(read(model), Status::Unsupported, "ir_version");
}

TEST(OnnxEnvelope, UnknownFieldsAreIgnored) {
  std::string bytes = makeModel().SerializeAsString();
  expectRead(readBytes(bytes + field(999, "from the future")));
}

TEST(OnnxEnvelope, FieldsThatCannotBeIgnoredAreUnsupported) {
  ::onnx::FunctionProto function;
  function.set_name("f");
  function.set_domain("d");
  std::string bytes = function.SerializeAsString() + field(11, "default");
  expectRefused(readBytes(makeModel().SerializeAsString() + field(25, bytes)),
                Status::Unsupported, "attribute_proto");
  bytes = function.SerializeAsString() + field(13, "");
  expectRead(readBytes(makeModel().SerializeAsString() + field(25, bytes)));
}

} // namespace
} // namespace tenon::test
