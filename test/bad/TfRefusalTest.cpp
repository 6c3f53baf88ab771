// Tests SavedModels that must be refused. The message must name the cause and a
// remedy.
#include "test/bad/TfModels.h"

namespace tenon::test {
namespace {

class TfRefusal : public TfModel {
protected:
  /// A model with `x` as input, one node, and its result as output.
  static tf::proto::SavedModel oneNode(const std::string &op,
                                       const std::vector<std::string> &inputs,
                                       const std::string &attributes = "",
                                       const std::string &more = "") {
    return savedModel(tfInput() + more + tfNode("y", op, inputs, attributes),
                      tfSignature("y"));
  }
  static tf::proto::SavedModel constant(const std::string &tensor) {
    return oneNode(
        "AddV2", {"x", "c"}, "",
        tfNode("c", "Const", {}, tfAttr("value", "tensor { " + tensor + " }")));
  }
  static std::string function(const std::string &name, const std::string &body,
                              const std::string &result) {
    return "function { signature { name: '" + name +
           "' input_arg { name: 'a' type: 1 } output_arg { name: 'r' type: 1 "
           "} } " +
           body + " ret { key: 'r' value: '" + result + "' } } ";
  }
  static std::string call(const std::string &name) {
    return "node_def { name: 'call' op: 'PartitionedCall' input: 'a' " +
           tfAttr("f", "func { name: '" + name + "' }") + " } ";
  }
  static tf::proto::SavedModel calling(const std::string &name,
                                       const std::string &library) {
    return oneNode("PartitionedCall", {"x"},
                   tfAttr("f", "func { name: '" + name + "' }"),
                   "library { " + library + " } ");
  }
  /// A model with `count` TensorFlow 1 loops, each inside the next.
  static tf::proto::SavedModel loopsInLoops(int count) {
    std::string nodes;
    auto named = [](const char *stem, int level) {
      return stem + std::to_string(level);
    };
    for (int i = 0; i < count; ++i) {
      std::string frame = tfAttr("frame_name", "s: '" + named("f", i) + "'"),
                  merge = named("merge", i), fork = named("fork", i),
                  outer = named("fork", i - 1) + ":1";
      nodes += tfNode(named("enter", i), "Enter", {i ? outer : "one"}, frame) +
               tfNode(merge, "Merge", {named("enter", i), named("next", i)}) +
               tfNode(named("less", i), "Less", {merge, named("least", i)}) +
               tfNode(named("least", i), "Enter",
                      {i ? named("least", i - 1) : "one"},
                      frame + tfAttr("is_constant", "b: true")) +
               tfNode(named("go", i), "LoopCond", {named("less", i)}) +
               tfNode(fork, "Switch", {merge, named("go", i)}) +
               tfNode(named("next", i), "NextIteration",
                      {i + 1 < count ? named("exit", i + 1) : "sum"}) +
               tfNode(named("exit", i), "Exit", {fork});
    }
    nodes +=
        tfNode("sum", "AddV2",
               {named("fork", count - 1) + ":1", named("least", count - 1)});
    nodes += tfNode("one", "Const", {},
                    tfAttr("value", "tensor { dtype: 1 tensor_shape {} "
                                    "float_val: 1 }"));
    return oneNode("AddV2", {"x", "exit0"}, "", nodes);
  }
};

TEST_F(TfRefusal, FoldersTagsAndSignatures) {
  expectRefused(Status::InvalidModel, "neither a saved_model.pb nor a config.json");
  expectRefused(parse(""), Status::InvalidModel, "no graph is in it");
  auto good = oneNode("Neg", {"x"});
  options.tensorflow.tag = "train";
  expectRefused(good, Status::InvalidModel,
                "expected one graph with the tags train, got serve");
  options.tensorflow.tag.clear();
  options.tensorflow.entries = {{true, "predict"}};
  expectRefused(good, Status::Usage, "serving_default");
  options.tensorflow.entries.clear();
  auto two = good;
  auto &signatures = *two.mutable_meta_graphs(0)->mutable_signature_def();
  signatures["a"] = signatures["b"] = signatures["serving_default"];
  signatures.erase("serving_default");
  expectRefused(two, Status::Usage, "choose one with --signature=: a, b");
  expectCompiled(good);
}

TEST_F(TfRefusal, ConstantsAndTheirShapes) {
  const std::string shape = "dtype: 1 tensor_shape { dim { size: 2 } } ";
  expectCompiled(constant(shape + "float_val: 1"));
  expectRefused(constant(shape + "tensor_content: '1234567'"),
                Status::InvalidModel, "expected 8 bytes, got 7");
  expectRefused(constant(shape + "tensor_content: '123456789'"),
                Status::InvalidModel, "expected 8 bytes, got 9");
  expectRefused(constant(shape + "float_val: [1, 2, 3]"), Status::InvalidModel,
                "expected at most 2 values, got 3");
  expectRefused(constant("dtype: 1 tensor_shape { dim { size: -1 } }"),
                Status::InvalidModel, "expected extents of at least 0, got -1");
  expectRefused(constant("dtype: 1 tensor_shape { unknown_rank: true }"),
                Status::InvalidModel, "expected a constant of known rank");
  expectRefused(
      constant("dtype: 1 tensor_shape { dim { size: 1099511627776 } } "
               "float_val: 1"),
      Status::Limit, "expected a repeated value to fill at most");
  expectRefused(constant("dtype: 1 tensor_shape { dim { size: 4294967296 } dim "
                         "{ size: 4294967296 } }"),
                Status::Limit, "beyond 63 bits");
  expectRefused(constant("dtype: 8 tensor_shape { } scomplex_val: 1"),
                Status::InvalidModel, "expected pairs of numbers");
  expectRefused(constant("dtype: 7 tensor_shape { } string_val: 'a'"),
                Status::Unsupported, "constants of string");
}

TEST_F(TfRefusal, AttributesAndTypes) {
  expectRefused(oneNode("AddV2", {"x", "c"}, "", tfNode("c", "Const")),
                Status::InvalidModel, "expected attribute 'value'");
  expectRefused(oneNode("ArgMax", {"x", "c"}, tfAttr("output_type", "i: 3"),
                        tfNode("c", "Const", {},
                               tfAttr("value", "tensor { dtype: 3 "
                                               "tensor_shape { } }"))),
                Status::InvalidModel, "expected attribute 'output_type' to be");
  expectRefused(oneNode("LeakyRelu", {"x"}, tfAttr("alpha", "s: 'much'")),
                Status::InvalidModel, "expected attribute 'alpha' to be");
  expectRefused(oneNode("Cast", {"x"}, tfAttr("DstT", "type: 999")),
                Status::InvalidModel,
                "node \"y\" (Cast), attribute \"DstT\": error: expected an "
                "element type of types.proto from 0 to 33, or 100 above one "
                "for a reference, got 999");
  expectRefused(constant("dtype: 999 tensor_shape { } float_val: 1"),
                Status::InvalidModel, "got 999");
  expectRefused(oneNode("BiasAdd", {"x", "x"}, tfAttr("data_format", "s: 'C'")),
                Status::InvalidModel, "expected data_format");
  auto zeros = [](const std::string &name, int type,
                  const std::vector<int> &extents) {
    std::string dims;
    for (int extent : extents)
      dims += "dim { size: " + std::to_string(extent) + " } ";
    return tfNode(name, "Const", {},
                  tfAttr("value", "tensor { dtype: " + std::to_string(type) +
                                      " tensor_shape { " + dims + "} }"));
  };
  expectRefused(oneNode("Bincount", {"n", "size", "x"}, "",
                        zeros("n", 3, {3}) + zeros("size", 3, {})),
                Status::InvalidModel, "expected a weight per number");
  expectRefused(oneNode("MatrixSetDiag", {"m", "d"}, "",
                        zeros("m", 1, {2, 3, 3}) + zeros("d", 1, {5, 3})),
                Status::InvalidModel, "expected a diagonal");
  expectRefused(oneNode("MatrixDiagV2", {"x", "k", "r", "r", "x"}, "",
                        zeros("k", 3, {}) +
                            tfNode("r", "Const", {},
                                   tfAttr("value", "tensor { dtype: 3 "
                                                   "tensor_shape {} int_val: "
                                                   "-1 }"))),
                Status::InvalidModel, "operand 4");
  expectRefused(oneNode("FusedBatchNormV3", {"i", "v", "v", "v", "w"},
                        tfAttr("is_training", "b: false"),
                        zeros("i", 1, {1, 2, 2, 3}) + zeros("v", 1, {3}) +
                            zeros("w", 1, {2})),
                Status::InvalidModel, "expected a number per channel");
  expectRefused(oneNode("If", {"x", "x"}), Status::InvalidModel,
                "expected attribute 'then_branch' to name a function");
  expectRefused(oneNode("AddV2", {"x"}), Status::InvalidModel,
                "expected 2 operands, got 1");
  expectRefused(oneNode("Neg", {"nobody"}), Status::InvalidModel,
                "nothing produces 'nobody'");
  expectRefused(oneNode("Neg", {"n:7"}, "", tfNode("n", "Neg", {"x"})),
                Status::InvalidModel, "below 1, got 7");
  // Only a hint: shapes are inferred.
  expectCompiled(
      oneNode("Neg", {"x"},
              tfAttr("_output_shapes", "list { shape { dim { size: 77 } } }")));
}

TEST_F(TfRefusal, Functions) {
  expectRefused(calling("f", function("f", call("f"), "call:output:0")),
                Status::InvalidModel, "function calls itself: graph -> f -> f");
  expectRefused(calling("f", function("f", call("g"), "call:output:0") +
                                 function("g", call("f"), "call:output:0")),
                Status::InvalidModel, "graph -> f -> g -> f");
  expectRefused(calling("f", function("f", "", "a") + function("f", "", "a")),
                Status::InvalidModel, "two functions have the name \"f\"");
  expectRefused(calling("nobody", ""), Status::InvalidModel,
                "there is no function 'nobody'");
  expectRefused(calling("f", function("f", "", "nothing")),
                Status::InvalidModel, "nothing produces 'nothing'");
  expectRefused(
      oneNode("PartitionedCall", {"x", "x"}, tfAttr("f", "func { name: 'f' }"),
              "library { " + function("f", "", "a") + " } "),
      Status::InvalidModel, "expected 1 operands for function f, got 2");
  // Each function calls the next, deeper than the limit and than a stack
  // allows.
  std::string chain;
  for (int i = 0; i < 20000; ++i)
    chain += function("f" + std::to_string(i),
                      call("f" + std::to_string(i + 1)), "call:output:0");
  expectRefused(calling("f0", chain), Status::Limit,
                "expected calls at most 64 deep");
}

TEST_F(TfRefusal, OpsThatActOnTheWorldAreNeverRun) {
  for (const char *op : {"ReadFile", "PyFunc", "EagerPyFunc", "Print",
                         "LoadDataset", "DecodeJpeg", "Recv"})
    expectRefused(oneNode(op, {"x"}), Status::Unsupported,
                  std::string(op) + ", at node \"y\" (" + op + ")");
  // Reached by control edges only.
  for (const char *op : {"WriteFile", "PrintV2", "EagerPyFunc", "SaveV2",
                         "Send", "ShutdownDistributedTPU"})
    expectRefused(
        oneNode("Neg", {"x", "^side"}, "", tfNode("side", op, {"x", "x"})),
        Status::Unsupported, "at node \"side\" (" + std::string(op));
  // Asserts and nodes that only order others have no effect.
  expectCompiled(oneNode("Neg", {"x", "^side", "^none"}, "",
                         tfNode("side", "Assert", {"x"}) +
                             tfNode("none", "NoOp", {"^x"})));
}

TEST_F(TfRefusal, AllAreToldWithTheirFunctions) {
  std::string body = "node_def { name: 'one' op: 'StringLower' input: 'a' } "
                     "node_def { name: 'two' op: 'Nonesuch' input: "
                     "'one:output:0' } ";
  compile(oneNode("PartitionedCall", {"first"},
                  tfAttr("f", "func { name: 'f' }"),
                  tfNode("first", "DecodePng", {"x"}) + "library { " +
                      function("f", body, "two:output:0") + " } "));
  for (const char *words :
       {"in 3 places", "DecodePng, at node \"first\" (DecodePng)",
        "StringLower, at node \"one\" (StringLower) in function f",
        "Nonesuch, at node \"two\" (Nonesuch) in function f"})
    EXPECT_NE(said.find(words), std::string::npos) << words << ": " << said;
}

TEST_F(TfRefusal, Bundles) {
  auto model = oneNode(
      "AddV2", {"x", "read"}, "",
      tfNode("v", "VarHandleOp", {}, tfAttr("dtype", "type: 1")) +
          tfNode("read", "ReadVariableOp", {"v"}, tfAttr("dtype", "type: 1")));
  expectRefused(model, Status::InvalidModel, "no value was saved for it");
  writeBundle({{"v", {1, 2}}});
  expectCompiled(model);
  std::filesystem::path shard =
      root / "variables/variables.data-00000-of-00001";
  std::filesystem::remove(shard);
  expectRefused(model, Status::Io, "variables.data-00000-of-00001");
  // The reader must not follow a link out of the folder.
  std::filesystem::path outside = root.string() + "-outside";
  std::ofstream(outside) << "12345678";
  std::filesystem::create_symlink(outside, shard);
  expectRefused(model, Status::InvalidModel, "variables.data-00000-of-00001");
  std::filesystem::remove(outside);
}

TEST_F(TfRefusal, CirclesAndFramesThatAreNone) {
  expectRefused(oneNode("Neg", {"b"}, "", tfNode("b", "Exp", {"y"})),
                Status::InvalidModel, "goes in circles: y <- b <- y");
  expectRefused(oneNode("Neg", {"x", "^b"}, "", tfNode("b", "NoOp", {"^y"})),
                Status::InvalidModel, "goes in circles: y <- b <- y");
  expectRefused(oneNode("NextIteration", {"x"}), Status::Unsupported,
                "NextIteration, at node \"y\"");
  expectRefused(
      oneNode("Merge", {"x", "n"}, "", tfNode("n", "NextIteration", {"y"})),
      Status::Unsupported, "Merge: operands that are not");
  expectRefused(oneNode("Exit", {"x"}), Status::Unsupported,
                "Exit: a frame that is no loop");
  expectRefused(oneNode("Switch", {"x", "x"}), Status::Unsupported,
                "Switch: a side that meets no other");
}

TEST_F(TfRefusal, LoopsInLoopsAreLimited) {
  expectCompiled(loopsInLoops(3));
  expectCompiled(loopsInLoops(64));
  expectRefused(loopsInLoops(65), Status::Limit,
                "expected loops at most 64 deep");
  expectRefused(loopsInLoops(2000), Status::Limit,
                "expected loops at most 64 deep");
}

TEST_F(TfRefusal, ExtentsBesideAZeroAreBounded) {
  constexpr int64_t huge = int64_t(1) << 62, large = int64_t(1) << 56;
  auto sized = [](tf::proto::SavedModel model, std::vector<int64_t> extents) {
    auto &signature = (*model.mutable_meta_graphs(0)
                            ->mutable_signature_def())["serving_default"];
    auto *shape = (*signature.mutable_inputs())["x"].mutable_tensor_shape();
    shape->clear_dim();
    for (int64_t extent : extents)
      shape->add_dim()->set_size(extent);
    (*signature.mutable_outputs())["y"]
        .mutable_tensor_shape()
        ->set_unknown_rank(true);
    return model;
  };
  expectCompiled(sized(oneNode("Neg", {"x"}), {0, huge}));
  expectRefused(sized(oneNode("Neg", {"x"}), {0, huge, 4}), Status::Limit,
                "product of its extents other than zero");
  // A sum of 2^63 must not be taken for a dynamic extent, nor one of 2^64 for
  // zero.
  const std::string one =
      tfNode("one", "Const", {},
             tfAttr("value", "tensor { dtype: 3 tensor_shape {} int_val: 1 }"));
  for (std::vector<std::string> operands :
       {std::vector(2, std::string("x")), std::vector(4, std::string("x"))}) {
    int count = operands.size();
    operands.push_back("one");
    expectRefused(
        sized(oneNode("ConcatV2", operands,
                      tfAttr("N", "i: " + std::to_string(count)), one),
              {0, huge}),
        Status::Limit,
        "node \"y\": error: limit: expected the product of a tensor's");
  }
  expectCompiled(
      sized(oneNode("DepthToSpace", {"x"}, tfAttr("block_size", "i: 2")),
            {0, large, 2, 4}));
  const std::string window = "list { i: 1 i: 2 i: 1 i: 1 }";
  expectCompiled(
      sized(oneNode("AvgPool", {"x"},
                    tfAttr("ksize", window) + tfAttr("strides", window) +
                        tfAttr("padding", "s: 'SAME'")),
            {0, large, 2, 4}));
}

TEST_F(TfRefusal, GraphsAsTextAreNotRead) {
  std::string text;
  for (int i = 0; i < 100000; ++i)
    text += "node { attr { value { ";
  write("graph.pb", text);
  EXPECT_EQ(int(compileGraph()), int(Status::InvalidModel)) << said;
  EXPECT_NE(said.find("graph.pb"), std::string::npos) << said;
}

} // namespace
} // namespace tenon::test
