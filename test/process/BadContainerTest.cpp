// Compiles files that are no ONNX model, or nearly one.
#include "test/process/BadModelTest.h"

namespace tenon::test {
namespace {

using BadContainer = BadModelTest;

std::string goodBytes() { return makeModel().SerializeAsString(); }

TEST_F(BadContainer, OtherFilesAreNoModel) {
  expectRefused(std::string(), 3, "no graph");
  std::string noise(4096, '\0');
  uint32_t seed = 1;
  for (char &c : noise)
    c = char((seed = seed * 1664525 + 1013904223) >> 24);
  expectRefused(noise, 3, "offset");
  expectRefused("Once upon a time there was a model.\n", 3,
                "not an ONNX model");
  expectRefused("PK\3\4" + noise, 3, "ZIP");
}

TEST_F(BadContainer, ATensorFlowGraphUnderAnotherName) {
  std::string graph = field(1, field(1, "x") + field(2, "Placeholder"));
  for (const char *words :
       {"offset 0", "not an ONNX model", "TensorFlow GraphDef", "--feeds="})
    expectRefused(graph, 3, words);
}

TEST_F(BadContainer, APrefixOfAModelIsRefused) {
  std::string good = goodBytes();
  for (size_t size : {size_t(1), good.size() / 2, good.size() - 1})
    expectRefused(good.substr(0, size), 3, "error");
}

TEST_F(BadContainer, LengthsAndTagsThatCannotBeAreRefused) {
  expectRefused(std::string("\x3a\xff\xff\xff\xff\x07", 6) +
                    std::string(20, 'x'),
                3, "more bytes");
  expectRefused("\x3a" + std::string(9, '\xff') + "\x01" + std::string(20, 'x'),
                3, "more bytes");
  expectRefused(goodBytes() + "\x08" + std::string(10, '\xff') + "\1", 3,
                "offset");
  expectRefused(goodBytes() + "\x0f", 3, "wire type");
  expectRefused(goodBytes() + std::string("\0", 1), 3, "offset");
}

TEST_F(BadContainer, DepthIsLimited) {
  std::string groups = goodBytes();
  for (int i = 0; i < 100000; ++i)
    groups += "\xc3\x0c"; // group 200 begins
  for (int i = 0; i < 100000; ++i)
    groups += "\xc4\x0c"; // and ends
  expectRefused(groups, 3, "100 levels");
  std::string type;
  for (int i = 0; i < 60; ++i)
    type = field(4, field(1, type));
  expectRefused(goodBytes() +
                    field(7, field(11, field(1, "q") + field(2, type))),
                5, "100 levels");
}

TEST_F(BadContainer, AGraphGivenTwiceIsMergedThenChecked) {
  ::onnx::ModelProto more;
  addNode(more.mutable_graph(), "Relu", {"y"}, {"z"});
  Ended ended = compile(goodBytes() + more.SerializeAsString());
  EXPECT_EQ(ended.code, 0) << ended.err;
  addNode(more.mutable_graph(), "Relu", {"nobody"}, {"q"});
  expectRefused(goodBytes() + more.SerializeAsString(), 3, "nobody");
}

TEST_F(BadContainer, MoreThanTwoGigabytesAreNotRead) {
  models.write("bad.onnx", "");
  std::filesystem::resize_file(models / "bad.onnx", largest + 1);
  Ended ended = compileFile();
  expectRefusal(ended, 5, "2 GiB");
  EXPECT_LE(ended.peakMegabytes, 256);
}

TEST_F(BadContainer, NamesAreTextAndEscaped) {
  auto named = [](const std::string &name, const std::string &input) {
    ::onnx::ModelProto model = makeModel();
    model.mutable_graph()->mutable_node(0)->set_name(name);
    model.mutable_graph()->mutable_node(0)->set_input(1, input);
    return model;
  };
  expectRefused(named("caf\xe9", "w"), 3, "UTF-8");
  expectRefused(named(std::string("a\0b", 3), "w"), 3, "NUL");
  expectRefused(named("evil\n\x1b[2J", "nobody"), 3, "evil\\x0a\\x1b[2J");
  expectCompiled(named("evil\n\x1b[2J", "w"));
  expectCompiled(named(std::string(1 << 20, 'n'), "w"));
}

TEST_F(BadContainer, NamesOfInputsMayBeAnyText) {
  for (std::string name : {std::string("a\n\x1b[2J\"%s"), std::string("é ü"),
                           std::string(1 << 20, 'n')}) {
    ::onnx::ModelProto model = makeModel();
    model.mutable_graph()->mutable_input(0)->set_name(name);
    model.mutable_graph()->mutable_node(0)->set_input(0, name);
    model.mutable_graph()->set_name(name);
    expectCompiled(model);
  }
}

TEST_F(BadContainer, VersionsThatCannotBeAreNamed) {
  auto opset = [](int64_t version) {
    ::onnx::ModelProto model = makeModel();
    model.mutable_opset_import(0)->set_version(version);
    return model;
  };
  expectRefused(opset(0), 3, "opset");
  expectRefused(opset(-1), 3, "-1");
  expectRefused(opset(int64_t(1) << 62), 3, "opset");
  ::onnx::ModelProto model = makeModel();
  model.clear_opset_import();
  expectRefused(model, 3, "opset_import");
  model = makeModel();
  model.add_opset_import()->set_version(12);
  expectRefused(model, 3, "twice");
  model = makeModel();
  model.set_ir_version(0);
  expectRefused(model, 3, "ir_version");
  model.set_ir_version(int64_t(1) << 31);
  expectRefused(model, 4, "ir_version");
}

TEST_F(BadContainer, AllUnknownOperatorsAreToldAtOnce) {
  ::onnx::ModelProto model = makeModel();
  auto *import = model.add_opset_import();
  import->set_domain("acme");
  import->set_version(1);
  for (const char *op : {"Frobnicate", "Twiddle"})
    addNode(model.mutable_graph(), op, {"y"}, {op})->set_domain("acme");
  addNode(model.mutable_graph(), "Nonesuch", {"y"}, {"n"});
  Ended ended = compile(model.SerializeAsString());
  for (const char *op : {"Frobnicate", "Twiddle", "Nonesuch"})
    expectRefusal(ended, 4, op);
}

TEST_F(BadContainer, UnknownFieldsAreIgnored) {
  Ended ended = compile(goodBytes() + field(999, "from the future"));
  EXPECT_EQ(ended.code, 0) << ended.err;
}

} // namespace
} // namespace tenon::test
