// Tests inconsistent graphs: names, order, arity, attributes, nesting,
// functions.
#include "test/bad/OnnxModels.h"

#include <chrono>

namespace tenon::test {
namespace {

using Kind = ::onnx::AttributeProto;

TEST(OnnxGraph, CycleIsPrintedAsAPath) {
  ::onnx::ModelProto model = makeEmpty();
  auto *graph = model.mutable_graph();
  addNode(graph, "Add", {"x", "b"}, {"a"});
  addNode(graph, "Relu", {"a"}, {"b"});
  expectRefused(read(model), Status::InvalidModel,
                "\"the_a\" -> \"the_b\" -> \"the_a\"");
}

TEST(OnnxGraph, CycleThroughASubgraphIsFound) {
  ::onnx::ModelProto model = makeEmpty();
  auto branches = addIf(model.mutable_graph(), "x", "a");
  addNode(branches.thenBranch, "Relu", {"b"}, {"r"});
  addTensor(branches.thenBranch->mutable_output(), "r");
  addTensor(branches.elseBranch->mutable_output(), "x");
  addNode(model.mutable_graph(), "Relu", {"a"}, {"b"});
  expectRefused(read(model), Status::InvalidModel, "cycle");
}

TEST(OnnxGraph, NodeThatUsesItselfIsACycle) {
  ::onnx::ModelProto model = makeEmpty();
  addNode(model.mutable_graph(), "Relu", {"a"}, {"a"});
  expectRefused(read(model), Status::InvalidModel, "\"the_a\" -> \"the_a\"");
}

TEST(OnnxGraph, NodesOutOfOrderAreNamed) {
  ::onnx::ModelProto model = makeEmpty();
  addNode(model.mutable_graph(), "Relu", {"late"}, {"early"});
  addNode(model.mutable_graph(), "Relu", {"x"}, {"late"});
  Reading reading = read(model);
  expectRefused(reading, Status::InvalidModel, "topological order");
  expectRefused(reading, Status::InvalidModel, "node \"the_early\" (Relu)");
}

TEST(OnnxGraph, InputOfNobodyIsNamed) {
  ::onnx::ModelProto model = makeModel();
  model.mutable_graph()->clear_initializer();
  expectRefused(read(model), Status::InvalidModel,
                "input \"w\" is produced by no node");
}

TEST(OnnxGraph, SecondDefinitionsAreNamed) {
  ::onnx::ModelProto model = makeModel();
  addNode(model.mutable_graph(), "Relu", {"x"}, {"y"});
  expectRefused(read(model), Status::InvalidModel, "output \"y\"");
  model = makeModel();
  addNode(model.mutable_graph(), "Relu", {"x"}, {"w"});
  expectRefused(read(model), Status::InvalidModel, "output \"w\"");
  model = makeModel();
  *model.mutable_graph()->add_initializer() = makeFloats("w", 2);
  expectRefused(read(model), Status::InvalidModel, "initializer \"w\"");
  model = makeModel();
  addTensor(model.mutable_graph()->mutable_input(), "x");
  expectRefused(read(model), Status::InvalidModel, "input \"x\"");
}

TEST(OnnxGraph, OutputOfNobodyIsNamed) {
  ::onnx::ModelProto model = makeModel();
  addTensor(model.mutable_graph()->mutable_output(), "lost");
  expectRefused(read(model), Status::InvalidModel, "output \"lost\"");
}

TEST(OnnxGraph, AbsentOptionalInputsAndOutputsAreRead) {
  ::onnx::ModelProto model = makeModel();
  addNode(model.mutable_graph(), "Clip", {"y", "", ""}, {"c"});
  auto *dropout =
      addNode(model.mutable_graph(), "Dropout", {"y", "", ""}, {"d", ""});
  dropout->set_name("");
  Reading reading = read(model);
  ASSERT_TRUE(reading.model) << reading.text();
  EXPECT_EQ(reading.model->graph.nodes[3].name, "Dropout_d");
  EXPECT_EQ(reading.model->graph.nodes[3].outputs[1], "");
}

TEST(OnnxGraph, OutputsMayBeInputsAndInitializers) {
  ::onnx::ModelProto model = makeModel();
  model.mutable_graph()->clear_node();
  model.mutable_graph()->clear_output();
  for (const char *name : {"x", "w", "x"})
    addTensor(model.mutable_graph()->mutable_output(), name);
  expectRead(read(model));
}

TEST(OnnxGraph, NumbersOfInputsAndOutputsFollowTheOperator) {
  auto with = [](const std::vector<std::string> &in,
                 const std::vector<std::string> &out) {
    ::onnx::ModelProto model = makeModel();
    addNode(model.mutable_graph(), "MatMul", in, out);
    return read(model);
  };
  expectRead(with({"x", "w"}, {"m"}));
  expectRefused(with({"x"}, {"m"}), Status::InvalidModel,
                "expected 2 inputs in opset 13, got 1");
  expectRefused(with({"x", "w", "w"}, {"m"}), Status::InvalidModel, "got 3");
  expectRefused(with({"x", ""}, {"m"}), Status::InvalidModel, "input 1");
  expectRefused(with({"x", "w"}, {"m", "n"}), Status::InvalidModel, "outputs");
  expectRefused(with({"x", "w"}, {}), Status::InvalidModel, "outputs");
}

TEST(OnnxGraph, AttributesFollowTheOperator) {
  ::onnx::ModelProto model = makeModel();
  auto *node = addNode(model.mutable_graph(), "Concat", {"x", "w"}, {"c"});
  expectRefused(read(model), Status::InvalidModel,
                "expected attribute \"axis\"");
  auto *axis = addAttribute(node, "axis", Kind::FLOAT);
  axis->set_f(1);
  expectRefused(read(model), Status::InvalidModel,
                "expected kind int, got float");
  axis->set_type(Kind::INT);
  expectRefused(read(model), Status::InvalidModel, "got one of float");
  axis->clear_f();
  axis->set_i(0);
  expectRead(read(model));
  addAttribute(node, "axis", Kind::INT)->set_i(0);
  expectRefused(read(model), Status::InvalidModel, "got it twice");
  node->mutable_attribute(1)->set_name("axes");
  expectRefused(read(model), Status::InvalidModel, "not one of Concat's");
}

TEST(OnnxGraph, SignatureIsThatOfTheModelsOpset) {
  auto clip = [](int64_t opset) {
    ::onnx::ModelProto model = makeModel(opset);
    auto *node = addNode(model.mutable_graph(), "Clip", {"x"}, {"c"});
    addAttribute(node, "min", Kind::FLOAT)->set_f(0);
    return read(model);
  };
  expectRead(clip(6));
  expectRefused(clip(13), Status::InvalidModel, "\"min\"");
}

TEST(OnnxGraph, HugeAttributesAreALimit) {
  ::onnx::ModelProto model = makeModel();
  auto *node = addNode(model.mutable_graph(), "Unsqueeze", {"x"}, {"u"});
  auto *axes = addAttribute(node, "axes", Kind::INTS);
  axes->mutable_ints()->Resize(10000000, 0);
  expectRefused(read(model), Status::Limit, "AttributeProto.ints");
  axes->clear_ints();
  axes->set_type(Kind::STRING);
  axes->set_s(std::string(65 << 20, 's'));
  expectRefused(read(model), Status::Limit, "AttributeProto.s");
}

TEST(OnnxGraph, NestingIsBounded) {
  expectRead(read(makeNested(30)));
  expectRead(read(makeNested(31)));
  expectRefused(read(makeNested(33)), Status::Limit, "32 nested levels");
  expectRefused(read(makeNested(1000)), Status::Limit, "32 nested levels");
}

/// A model whose Ifs nest so deep that protobuf's classes could not be built or
/// destroyed. It is made as bytes.
TEST(OnnxGraph, NestingIsBoundedBeforeAnythingRecurses) {
  auto field = [](int number, const std::string &bytes) {
    std::string out(1, char(number << 3 | 2));
    for (size_t n = bytes.size();; n >>= 7) {
      out += char((n & 0x7f) | (n >= 0x80 ? 0x80 : 0));
      if (n < 0x80)
        break;
    }
    return out + bytes;
  };
  std::string graph;
  for (int i = 0; i < 5000; ++i)
    graph = field(1, field(5, field(6, graph)));
  expectRefused(readBytes(makeModel().SerializeAsString() + field(7, graph)),
                Status::Limit, "32 nested levels");
}

TEST(OnnxGraph, SubgraphSeesOuterNamesButMayNotHideThem) {
  auto with = [](const std::string &use, const std::string &define) {
    ::onnx::ModelProto model = makeModel();
    auto branches = addIf(model.mutable_graph(), "x", "z");
    addNode(branches.thenBranch, "Relu", {use}, {define});
    addTensor(branches.thenBranch->mutable_output(), define);
    addTensor(branches.elseBranch->mutable_output(), "y");
    return read(model);
  };
  expectRead(with("sum", "fresh"));
  expectRefused(with("undefined", "fresh"), Status::InvalidModel,
                "\"undefined\"");
  expectRefused(with("sum", "y"), Status::InvalidModel, "hides");
}

TEST(OnnxGraph, BranchesHaveTheNodesNumberOfOutputs) {
  ::onnx::ModelProto model = makeModel();
  auto branches = addIf(model.mutable_graph(), "x", "z");
  addTensor(branches.thenBranch->mutable_output(), "y");
  expectRefused(read(model), Status::InvalidModel,
                "else_branch: expected 1 outputs, got 0");
}

TEST(OnnxGraph, DeadCodeIsCheckedToo) {
  ::onnx::ModelProto model = makeModel();
  addNode(model.mutable_graph(), "Relu", {"nowhere"}, {"unused"});
  expectRefused(read(model), Status::InvalidModel, "\"nowhere\"");
}

TEST(OnnxGraph, DomainWithoutImportIsNamed) {
  ::onnx::ModelProto model = makeModel();
  model.mutable_graph()->mutable_node(1)->set_domain("com.example");
  expectRefused(read(model), Status::InvalidModel, "com.example");
  auto *import = model.add_opset_import();
  import->set_domain("com.example");
  import->set_version(1);
  expectRead(read(model)); // the reader does not check operators
}

/// Adds a chain of `length` nodes; returns the name of its end.
std::string addChain(::onnx::GraphProto *graph, int length) {
  std::string last = "x";
  for (int i = 0; i < length; ++i) {
    std::string next = std::to_string(i);
    auto *node = graph->add_node();
    node->set_op_type("Add");
    node->add_input(last);
    node->add_input("x");
    node->add_output(next);
    last = next;
  }
  return last;
}

TEST(OnnxGraph, LongChainsAreReadUpToALimit) {
  constexpr int longest = 1 << 18;
  ::onnx::ModelProto model = makeEmpty();
  auto *graph = model.mutable_graph();
  std::string last = addChain(graph, longest);
  addTensor(graph->mutable_output(), last);
  Reading reading = read(model);
  ASSERT_TRUE(reading.model) << reading.text();
  reading.model.reset();
  // The first node now closes a cycle through all nodes.
  graph->mutable_node(0)->set_input(0, last);
  expectRefused(read(model), Status::InvalidModel, "(262144 nodes)");
  addNode(graph, "Relu", {"x"}, {"one too many"});
  expectRefused(read(model), Status::Limit, "expected at most 262144 nodes");
}

TEST(OnnxGraph, InputsAndOutputsOfAGraphAreLimited) {
  auto with = [](int inputs, int outputs) {
    ::onnx::ModelProto model = makeEmpty();
    auto *graph = model.mutable_graph();
    for (int i = 1; i < inputs; ++i)
      addTensor(graph->mutable_input(), "in" + std::to_string(i));
    for (int i = 0; i < outputs; ++i)
      addTensor(graph->mutable_output(), "x");
    return read(model);
  };
  expectRead(with(1024, 1024));
  expectRefused(with(1025, 1), Status::Limit,
                "at most 1024 inputs that are no initializers, got 1025");
  expectRefused(with(1, 1025), Status::Limit, "at most 1024 outputs, got 1025");
}

TEST(OnnxGraph, ANodeMayHaveManyInputs) {
  ::onnx::ModelProto model = makeEmpty();
  auto *node = model.mutable_graph()->add_node();
  node->set_op_type("Concat");
  addAttribute(node, "axis", Kind::INT)->set_i(0);
  node->add_output("all");
  for (int i = 0; i < 100000; ++i)
    node->add_input("x");
  addTensor(model.mutable_graph()->mutable_output(), "all", {400000});
  expectRead(read(model));
}

TEST(OnnxFunctions, RecursionIsPrintedAsAPath) {
  ::onnx::ModelProto model = makeModel();
  addFunction(model, "a", {"a"});
  expectRefused(read(model), Status::InvalidModel, "\"a\" -> \"a\"");
  model = makeModel();
  addFunction(model, "a", {"b"});
  addFunction(model, "b", {"c", "Relu"});
  addFunction(model, "c", {"a"});
  expectRefused(read(model), Status::InvalidModel,
                "\"a\" -> \"b\" -> \"c\" -> \"a\"");
}

TEST(OnnxFunctions, RecursionThroughASubgraphIsFound) {
  ::onnx::ModelProto model = makeModel();
  addFunction(model, "a", {"Relu"});
  ::onnx::GraphProto holder;
  auto branches = addIf(&holder, "v", "w");
  auto *call = addNode(branches.thenBranch, "a", {"v"}, {"r"});
  call->set_domain("f");
  addTensor(branches.thenBranch->mutable_output(), "r");
  addTensor(branches.elseBranch->mutable_output(), "v");
  *model.mutable_functions(0)->add_node() = holder.node(0);
  expectRefused(read(model), Status::InvalidModel, "\"a\" -> \"a\"");
}

TEST(OnnxFunctions, InlinedSizeIsBoundedBeforeInlining) {
  ::onnx::ModelProto model = makeModel();
  addFunction(model, "f0", {"Relu", "Relu"});
  for (int i = 1; i <= 40; ++i) {
    std::string callee = "f" + std::to_string(i - 1);
    addFunction(model, "f" + std::to_string(i), {callee, callee});
  }
  auto start = std::chrono::steady_clock::now();
  expectRefused(read(model), Status::Limit, "inlined");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

TEST(OnnxFunctions, CallsAreCheckedAgainstTheFunction) {
  ::onnx::ModelProto model = makeModel();
  addFunction(model, "twice", {"Relu", "Relu"});
  auto *call = addNode(model.mutable_graph(), "twice", {"x"}, {"z"});
  call->set_domain("f");
  expectRead(read(model));
  call->add_input("w");
  expectRefused(read(model), Status::InvalidModel, "at most 1 input");
  addFunction(model, "twice", {"Relu"});
  expectRefused(read(model), Status::InvalidModel, "function \"twice\"");
}

TEST(OnnxFunctions, ReferencesNeedADeclaredAttribute) {
  ::onnx::ModelProto model = makeModel();
  addFunction(model, "f", {"Relu"});
  auto *node = model.mutable_functions(0)->mutable_node(0);
  node->set_op_type("LeakyRelu");
  auto *alpha = addAttribute(node, "alpha", Kind::FLOAT);
  alpha->set_ref_attr_name("slope");
  expectRefused(read(model), Status::InvalidModel, "does not declare");
  model.mutable_functions(0)->add_attribute("slope");
  expectRead(read(model));
  *model.mutable_graph()->mutable_node(1)->add_attribute() = *alpha;
  expectRefused(read(model), Status::InvalidModel, "outside of functions");
}

} // namespace
} // namespace tenon::test
