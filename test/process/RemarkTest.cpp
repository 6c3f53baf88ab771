// Tests that remarks and counts change nothing: neither a byte of any file nor
// what is said of a model, whatever the number of compiling threads.
#include "test/process/CompileTest.h"

#include <set>
#include <sstream>

namespace tenon::test {
namespace {

class Remarks : public CompileTest {
protected:
  /// Writes a model of several layers of equal shape, so that kernels are
  /// shared, values are used twice and buffers can be reused.
  Remarks() {
    ::onnx::ModelProto model;
    model.set_ir_version(8);
    model.add_opset_import()->set_version(13);
    auto *graph = model.mutable_graph();
    graph->set_name("g");
    addTensor(graph->mutable_input(), "x", {8, 96});
    auto *weight = graph->add_initializer();
    *weight = makeFloats("w", 96 * 96);
    weight->clear_dims();
    weight->add_dims(96);
    weight->add_dims(96);
    std::string last = "x";
    for (const char *n : {"0", "1", "2"}) {
      auto name = [&](const char *stem) { return std::string(stem) + n; };
      addNode(graph, "MatMul", {last, "w"}, {name("m")});
      addNode(graph, "Softmax", {name("m")}, {name("s")});
      addNode(graph, "Tanh", {name("s")}, {name("t")});
      addNode(graph, "Add", {name("t"), last}, {name("a")});
      last = name("a");
    }
    for (int i = 0; i < graph->node_size(); ++i)
      graph->mutable_node(i)->set_name("/" + graph->node(i).output(0));
    addTensor(graph->mutable_output(), last, {8, 96});
    models.write("layers.onnx", model.SerializeAsString());
  }

  /// The lines that a compilation with these flags prints on the error stream.
  std::vector<std::string> said(const Recipe &recipe,
                                const std::vector<std::string> &flags) const {
    Command command = compiling(recipe, "layers.onnx");
    command.arguments.insert(command.arguments.end(), flags.begin(),
                             flags.end());
    Ended ended = runTenon(command);
    EXPECT_EQ(ended.code, 0) << ended.err;
    std::vector<std::string> lines;
    std::istringstream text(ended.err);
    for (std::string line; std::getline(text, line);)
      lines.push_back(line);
    return lines;
  }
};

TEST_F(Remarks, ChangeNoByteOfAnyFile) {
  for (const Recipe &recipe : {shared, object, beside, assembly}) {
    EXPECT_TRUE(said(recipe, {}).empty());
    Files without = written();
    ASSERT_EQ(without.size(), recipe.names.size());
    EXPECT_FALSE(said(recipe, {"--remarks=all", "--stats"}).empty());
    EXPECT_EQ(differs(without), "") << recipe.names[0];
    std::filesystem::remove_all(output.path);
    std::filesystem::create_directory(output.path);
  }
}

TEST_F(Remarks, AreTheSameForAnyNumberOfThreads) {
  std::vector<std::string> one = said(shared, {"--remarks=all", "--jobs=1"});
  EXPECT_EQ(one, said(shared, {"--remarks=all", "--jobs=2"}));
  EXPECT_EQ(one, said(shared, {"--remarks=all", "--jobs=7"}));
}

TEST_F(Remarks, NameNodesAndAreSaidOnce) {
  for (const std::string &flag :
       {std::string("-O0"), std::string("--multiversion=v2,v3,v4")}) {
    Command command = compiling(shared, "layers.onnx");
    // --multiversion names its own CPUs.
    std::erase(command.arguments, "-mcpu=x86-64-v3");
    command.arguments.push_back(flag);
    command.arguments.push_back("--remarks=all");
    Ended ended = runTenon(command);
    ASSERT_EQ(ended.code, 0) << ended.err;
    std::set<std::string> seen;
    std::istringstream text(ended.err);
    for (std::string line; std::getline(text, line);) {
      EXPECT_TRUE(seen.insert(line).second) << line;
      EXPECT_NE(line.find("layers.onnx: node \"/"), std::string::npos) << line;
      EXPECT_NE(line.find(": remark: "), std::string::npos) << line;
    }
    EXPECT_GE(seen.size(), 9u);
  }
}

} // namespace
} // namespace tenon::test
