// Compiles inconsistent graphs, and graphs that are larger and deeper than any
// real model.
#include "test/process/BadModelTest.h"

namespace tenon::test {
namespace {

using BadGraph = BadModelTest;
using Kind = ::onnx::AttributeProto;

/// A model with `nodes`, as bytes, because protobuf's classes would need more
/// memory than the compiler is allowed.
std::string manyNodes(const std::string &nodes, const std::string &last) {
  ::onnx::ModelProto rest = makeEmpty();
  rest.mutable_graph()->clear_name();
  addTensor(rest.mutable_graph()->mutable_output(), last);
  return rest.SerializeAsString() + field(7, nodes);
}

std::string makeChain(int length) {
  std::string nodes, last = "x";
  for (int i = 0; i < length; ++i) {
    std::string next = std::to_string(i);
    nodes += field(1, field(1, last) + field(1, "x") + field(2, next) +
                          field(4, "Add"));
    last = next;
  }
  return manyNodes(nodes, last);
}

TEST_F(BadGraph, CyclesAndDisorderAreNamed) {
  ::onnx::ModelProto model = makeEmpty();
  addNode(model.mutable_graph(), "Add", {"x", "b"}, {"a"});
  addNode(model.mutable_graph(), "Relu", {"a"}, {"b"});
  expectRefused(model, 3, "\"the_a\" -> \"the_b\" -> \"the_a\"");
  model = makeEmpty();
  addNode(model.mutable_graph(), "Relu", {"late"}, {"early"});
  addNode(model.mutable_graph(), "Relu", {"x"}, {"late"});
  expectRefused(model, 3, "topological order");
}

TEST_F(BadGraph, NamesOfNobodyOrOfTwoAreNamed) {
  ::onnx::ModelProto model = makeModel();
  model.mutable_graph()->clear_initializer();
  expectRefused(model, 3, "input \"w\" is produced by no node");
  model = makeModel();
  addNode(model.mutable_graph(), "Relu", {"x"}, {"y"});
  expectRefused(model, 3, "output \"y\"");
  model = makeModel();
  *model.mutable_graph()->add_initializer() = makeFloats("w", 2);
  expectRefused(model, 3, "initializer \"w\"");
  model = makeModel();
  addTensor(model.mutable_graph()->mutable_output(), "lost");
  expectRefused(model, 3, "output \"lost\"");
}

TEST_F(BadGraph, AbsentInputsAndEmptyGraphsCompile) {
  ::onnx::ModelProto model = makeModel();
  addNode(model.mutable_graph(), "Clip", {"y", "", ""}, {"c"});
  addTensor(model.mutable_graph()->mutable_output(), "c");
  expectCompiled(model);
  model.mutable_graph()->clear_node();
  model.mutable_graph()->clear_output();
  for (const char *name : {"x", "w", "x"})
    addTensor(model.mutable_graph()->mutable_output(), name);
  expectCompiled(model);
}

TEST_F(BadGraph, ArityAndAttributesAreNamed) {
  ::onnx::ModelProto model = makeModel();
  addNode(model.mutable_graph(), "MatMul", {"x"}, {"m"});
  expectRefused(model, 3, "expected 2 inputs");
  model = makeModel();
  auto *node = addNode(model.mutable_graph(), "Concat", {"x", "w"}, {"c"});
  expectRefused(model, 3, "\"axis\"");
  auto *axis = addAttribute(node, "axis", Kind::FLOAT);
  axis->set_f(1);
  expectRefused(model, 3, "expected kind int, got float");
  node->clear_attribute();
  addAttribute(node, "axis", Kind::INT)->set_i(0);
  addAttribute(node, "axis", Kind::INT)->set_i(0);
  expectRefused(model, 3, "got it twice");
}

TEST_F(BadGraph, AttributesOfMillionsAreALimit) {
  ::onnx::ModelProto model = makeModel();
  auto *node = addNode(model.mutable_graph(), "Unsqueeze", {"x"}, {"u"});
  addAttribute(node, "axes", Kind::INTS)->mutable_ints()->Resize(10000000, 0);
  expectRefused(model, 5, "AttributeProto.ints");
}

TEST_F(BadGraph, AStringOf500MegabytesIsALimit) {
  // The bytes are a hole in the file; reading them would need real memory.
  std::string start = makeModel().SerializeAsString();
  auto open = [](uint32_t number, uint64_t length) {
    std::string tag(1, char(number << 3 | 2));
    for (; length >= 0x80; length >>= 7)
      tag += char((length & 0x7f) | 0x80);
    return tag + char(length);
  };
  uint64_t bytes = uint64_t(500) << 20;
  std::string text = open(4, bytes), attribute = open(5, bytes + text.size()),
              node = open(1, bytes + text.size() + attribute.size()),
              graph =
                  open(7, bytes + text.size() + attribute.size() + node.size());
  models.write("bad.onnx", start + graph + node + attribute + text);
  std::filesystem::resize_file(models / "bad.onnx",
                               std::filesystem::file_size(models / "bad.onnx") +
                                   bytes);
  expectRefusal(compileFile(), 5, "AttributeProto.s");
}

TEST_F(BadGraph, NestingIsLimited) {
  expectRefused(makeNested(33), 5, "32 nested levels");
  for (int depth : {1000, 50000}) {
    // From the inside out: compute the lengths first, then make one string.
    std::vector<std::string> heads;
    size_t size = 0;
    auto wrap = [&](uint32_t number) {
      std::string head(1, char(number << 3 | 2));
      for (size_t n = size;; n >>= 7) {
        head += char((n & 0x7f) | (n >= 0x80 ? 0x80 : 0));
        if (n < 0x80)
          break;
      }
      size += head.size();
      heads.push_back(head);
    };
    for (int i = 0; i < depth; ++i)
      for (uint32_t number : {6, 5, 1}) // graph, attribute, node
        wrap(number);
    wrap(7);
    std::string bytes = makeModel().SerializeAsString();
    for (size_t i = heads.size(); i-- > 0;)
      bytes += heads[i];
    expectRefused(bytes, 5, "32 nested levels");
  }
}

/// A model with 2^30 paths through `depth` nested branches.
::onnx::ModelProto makeBranches(int depth) {
  ::onnx::ModelProto model = makeEmpty();
  auto *graph = model.mutable_graph();
  addTensor(graph->mutable_input(), "c", {}, ::onnx::TensorProto::BOOL);
  std::string outer;
  for (int i = 0; i < depth; ++i) {
    std::string n = std::to_string(i);
    auto branches = addIf(graph, "c", "if" + n);
    addTensor(graph->mutable_output(), "if" + n);
    addNode(branches.elseBranch, "Neg", {"x"}, {"else" + n});
    addTensor(branches.elseBranch->mutable_output(), "else" + n);
    graph = branches.thenBranch;
  }
  addNode(graph, "Relu", {"x"}, {"inmost"});
  addTensor(graph->mutable_output(), "inmost");
  return model;
}

TEST_F(BadGraph, PathsThroughBranchesAreNotCounted) {
  Ended ended = compile(makeBranches(30).SerializeAsString());
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_LE(ended.seconds, 10);
}

/// Adds nested branches that choose one of 2^`depth` values, each branch with
/// its own condition.
void addChoices(::onnx::GraphProto *graph, int depth, const std::string &name) {
  if (depth == 0) {
    addNode(graph, "Neg", {"x"}, {name});
    addTensor(graph->mutable_output(), name);
    return;
  }
  auto branches = addIf(graph, "c" + std::to_string(depth), name);
  addTensor(graph->mutable_output(), name);
  addChoices(branches.thenBranch, depth - 1, name + "t");
  addChoices(branches.elseBranch, depth - 1, name + "e");
}

TEST_F(BadGraph, BranchesInBothBranchesTakeLinearTime) {
  ::onnx::ModelProto model = makeEmpty();
  for (int i = 1; i <= 8; ++i)
    addTensor(model.mutable_graph()->mutable_input(), "c" + std::to_string(i),
              {}, ::onnx::TensorProto::BOOL);
  addChoices(model.mutable_graph(), 8, "y");
  Ended ended = compile(model.SerializeAsString());
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_LE(ended.seconds, 5);
}

TEST_F(BadGraph, PathsThroughSharedArithmeticAreNotCounted) {
  // Chains of sizes, of elements, and of sizes by which two branches are
  // compared.
  auto doubled = [](::onnx::GraphProto *graph, std::string last,
                    const std::string &prefix) {
    for (int i = 0; i < 60; ++i) {
      std::string next = prefix + std::to_string(i);
      addNode(graph, "Add", {last, last}, {next});
      last = next;
    }
    return last;
  };
  ::onnx::ModelProto model = makeEmpty();
  auto *graph = model.mutable_graph();
  graph->clear_input();
  addTensor(graph->mutable_input(), "c", {}, ::onnx::TensorProto::BOOL);
  auto *x = addTensor(graph->mutable_input(), "x", {1});
  x->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(0)
      ->set_dim_param("n");
  addTensor(graph->mutable_input(), "one", {1});
  addTensor(graph->mutable_input(), "square", {4, 4});
  auto branches = addIf(graph, "c", "z");
  int number = 0;
  for (auto *branch : {branches.thenBranch, branches.elseBranch}) {
    std::string n = std::to_string(number++);
    addNode(branch, "Shape", {"x"}, {"s" + n});
    std::string size = doubled(branch, "s" + n, "t" + n + "_");
    addNode(branch, "Expand", {"one", size}, {"e" + n});
    branch->add_output()->set_name("e" + n);
  }
  addNode(graph, "MatMul", {"square", "square"}, {"m"});
  graph->add_output()->set_name("z");
  graph->add_output()->set_name(doubled(graph, "m", "d"));
  expectCompiled(model);
}

TEST_F(BadGraph, FunctionsThatCallThemselvesAreNamed) {
  ::onnx::ModelProto model = makeModel();
  addFunction(model, "a", {"a"});
  expectRefused(model, 3, "\"a\" -> \"a\"");
  model = makeModel();
  addFunction(model, "a", {"b"});
  addFunction(model, "b", {"c", "Relu"});
  addFunction(model, "c", {"a"});
  expectRefused(model, 3, "\"a\" -> \"b\" -> \"c\" -> \"a\"");
}

TEST_F(BadGraph, FunctionsAreCountedBeforeTheyAreInlined) {
  ::onnx::ModelProto model = makeModel();
  addFunction(model, "f0", {"Relu", "Relu"});
  for (int i = 1; i <= 40; ++i) {
    std::string callee = "f" + std::to_string(i - 1);
    addFunction(model, "f" + std::to_string(i), {callee, callee});
  }
  expectRefused(model, 5, "262144 nodes with all function calls inlined");
}

TEST_F(BadGraph, AMillionNodesAreALimit) {
  expectRefused(makeChain(1000000), 5, "expected at most 262144 nodes");
}

TEST_F(BadGraph, TwentyThousandNodesCompile) {
  Ended ended = compile(makeChain(20000));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_LE(ended.seconds, 60);
  EXPECT_LE(ended.peakMegabytes, 1024);
}

TEST_F(BadGraph, ThousandsOfKernelsCompile) {
  ::onnx::ModelProto model = makeEmpty();
  auto *graph = model.mutable_graph();
  graph->clear_input();
  addTensor(graph->mutable_input(), "x", {4, 4});
  std::string last = "x";
  for (int i = 0; i < 3000; ++i) {
    std::string next = std::to_string(i);
    addNode(graph, "MatMul", {last, "x"}, {next});
    last = next;
  }
  addTensor(graph->mutable_output(), last, {4, 4});
  expectCompiled(model);
}

TEST_F(BadGraph, ManyExpensiveOpsMakeSeveralKernels) {
  ::onnx::ModelProto model = makeEmpty();
  std::string last = "x";
  for (int i = 0; i < 1000; ++i) {
    std::string next = std::to_string(i);
    addNode(model.mutable_graph(), "Pow", {last, "x"}, {next});
    last = next;
  }
  addTensor(model.mutable_graph()->mutable_output(), last);
  expectCompiled(model);
}

TEST_F(BadGraph, InputsOutputsAndOperandsInThousands) {
  std::string values;
  for (int i = 0; i < 100000; ++i)
    values += field(11, field(1, "in" + std::to_string(i)) +
                            field(2, field(1, std::string("\x08\x01", 2))));
  std::string good = makeModel().SerializeAsString();
  expectRefused(good + field(7, values), 5, "at most 1024 inputs");
  std::string outputs;
  for (int i = 0; i < 100000; ++i)
    outputs += field(12, field(1, "x"));
  expectRefused(good + field(7, outputs), 5, "at most 1024 outputs");

  ::onnx::ModelProto model = makeEmpty();
  auto *node = addNode(model.mutable_graph(), "Concat", {}, {"all"});
  addAttribute(node, "axis", Kind::INT)->set_i(0);
  for (int i = 0; i < 100000; ++i)
    node->add_input("x");
  addTensor(model.mutable_graph()->mutable_output(), "all", {400000});
  expectCompiled(model);
}

TEST_F(BadGraph, SubgraphsSeeOuterNamesAndHideNone) {
  auto with = [](const std::string &use, const std::string &define) {
    ::onnx::ModelProto model = makeModel();
    addTensor(model.mutable_graph()->mutable_input(), "c", {},
              ::onnx::TensorProto::BOOL);
    auto branches = addIf(model.mutable_graph(), "c", "z");
    addNode(branches.thenBranch, "Relu", {use}, {define});
    addTensor(branches.thenBranch->mutable_output(), define);
    addTensor(branches.elseBranch->mutable_output(), "y");
    addTensor(model.mutable_graph()->mutable_output(), "z");
    return model;
  };
  expectCompiled(with("sum", "fresh"));
  expectRefused(with("undefined", "fresh"), 3, "\"undefined\"");
  expectRefused(with("sum", "y"), 3, "hides");
}

TEST_F(BadGraph, BranchesAgreeInNumberAndType) {
  ::onnx::ModelProto model = makeModel();
  addTensor(model.mutable_graph()->mutable_input(), "c", {},
            ::onnx::TensorProto::BOOL);
  auto branches = addIf(model.mutable_graph(), "c", "z");
  addTensor(branches.thenBranch->mutable_output(), "y");
  expectRefused(model, 3, "expected 1 outputs, got 0");
  auto *cast = addNode(branches.elseBranch, "Cast", {"y"}, {"i"});
  addAttribute(cast, "to", Kind::INT)->set_i(7);
  branches.elseBranch->add_output()->set_name("i");
  expectRefused(model, 3, "node \"the_z\" (If)");
}

TEST_F(BadGraph, TypesAndDeclaredShapesAreJudged) {
  ::onnx::ModelProto model = makeModel();
  addTensor(model.mutable_graph()->mutable_input(), "i", {4},
            ::onnx::TensorProto::INT64);
  addNode(model.mutable_graph(), "Add", {"x", "i"}, {"mixed"});
  expectRefused(model, 3, "node \"the_mixed\" (Add)");
  model = makeModel();
  addTensor(model.mutable_graph()->mutable_value_info(), "sum", {5});
  expectRefused(model, 3, "declared as f32[5] but is f32[4]");
}

TEST_F(BadGraph, DeadNodesAreChecked) {
  ::onnx::ModelProto model = makeModel();
  addNode(model.mutable_graph(), "Relu", {"nowhere"}, {"unused"});
  expectRefused(model, 3, "\"nowhere\"");
  model = makeModel();
  addNode(model.mutable_graph(), "MatMul", {"x", "x2"}, {"unused"});
  addTensor(model.mutable_graph()->mutable_input(), "x2", {5, 6});
  expectRefused(model, 3, "node \"the_unused\" (MatMul)");
}

TEST_F(BadGraph, AnEndlessLoopCompiles) {
  ::onnx::ModelProto model = makeEmpty();
  auto *graph = model.mutable_graph();
  auto scalar = [&](const char *name, int type, const std::string &bytes) {
    auto *tensor = graph->add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(type);
    tensor->set_raw_data(bytes);
  };
  scalar("trips", ::onnx::TensorProto::INT64,
         std::string(7, '\xff') + '\x7f'); // 2^63 - 1
  scalar("true", ::onnx::TensorProto::BOOL, "\1");
  auto *loop = addNode(graph, "Loop", {"trips", "true", "x"}, {"y"});
  auto *body = addAttribute(loop, "body", Kind::GRAPH)->mutable_g();
  body->set_name("body");
  addTensor(body->mutable_input(), "i", {}, ::onnx::TensorProto::INT64);
  addTensor(body->mutable_input(), "go", {}, ::onnx::TensorProto::BOOL);
  addTensor(body->mutable_input(), "v");
  addNode(body, "Identity", {"go"}, {"on"});
  addNode(body, "Neg", {"v"}, {"w"});
  addTensor(body->mutable_output(), "on", {}, ::onnx::TensorProto::BOOL);
  addTensor(body->mutable_output(), "w");
  addTensor(graph->mutable_output(), "y");
  expectCompiled(model);
}

} // namespace
} // namespace tenon::test
