// Tests every imported operator with every wrong element type, as ONNX's
// schemas define them, and declared types that contradict inferred ones.
#include "test/bad/OneNodeModels.h"

#include <onnx/defs/schema.h>

namespace tenon::test {
namespace {

/// The names that schemas use for types, like `tensor(float)`, by number.
const std::map<int, std::string> typeNames = {
    {1, "float"},   {2, "uint8"},      {3, "int8"},        {4, "uint16"},
    {5, "int16"},   {6, "int32"},      {7, "int64"},       {8, "string"},
    {9, "bool"},    {10, "float16"},   {11, "double"},     {12, "uint32"},
    {13, "uint64"}, {14, "complex64"}, {15, "complex128"}, {16, "bfloat16"}};

int64_t opsetOf(const ::onnx::ModelProto &model) {
  for (const auto &import : model.opset_import())
    if (import.domain().empty())
      return import.version();
  return 0;
}

/// Schemas of operators that are newer than the installed ONNX library.
std::map<std::string, ::onnx::OpSchema> makeNewerSchemas() {
  using Schema = ::onnx::OpSchema;
  const std::vector<std::string> floats = {"tensor(float16)", "tensor(float)",
                                           "tensor(double)"};
  const std::vector<std::string> ints = {
      "tensor(uint8)", "tensor(uint16)", "tensor(uint32)", "tensor(uint64)",
      "tensor(int8)",  "tensor(int16)",  "tensor(int32)",  "tensor(int64)"};
  std::map<std::string, Schema> schemas;
  // The last `sizes` inputs are integers.
  auto add = [&](const char *op, int opset, int inputs,
                 const std::vector<std::string> &types, int sizes = 0) {
    Schema schema(op, __FILE__, __LINE__);
    schema.SinceVersion(opset);
    for (int i = 0; i < inputs; ++i)
      schema.Input(i, "x" + std::to_string(i), "",
                   i < inputs - sizes ? "T" : "I");
    schema.Output(0, "y", "", "T").TypeConstraint("T", types, "");
    schema.TypeConstraint("I", ints, "");
    schema.Finalize();
    schemas.emplace(op, schema);
  };
  for (const char *op : {"BitwiseAnd", "BitwiseOr", "BitwiseXor"})
    add(op, 18, 2, ints);
  add("BitwiseNot", 18, 1, ints);
  add("Gelu", 20, 1, floats);
  add("Mish", 18, 1, floats);
  add("GroupNormalization", 18, 3, floats);
  std::vector<std::string> numbers = floats;
  numbers.insert(numbers.end(), ints.begin(), ints.end());
  std::vector<std::string> all = numbers;
  all.push_back("tensor(bool)");
  add("AffineGrid", 20, 2, floats, 1);
  add("CenterCropPad", 18, 2, all, 1);
  add("Col2Im", 18, 3, numbers, 2);
  add("DeformConv", 19, 3, floats);
  add("OptionalGetElement", 18, 1, all);
  add("OptionalHasElement", 18, 1, all);
  return schemas;
}

const ::onnx::OpSchema *schemaOf(const ::onnx::ModelProto &model) {
  static const auto newer = makeNewerSchemas();
  const std::string &op = model.graph().node(0).op_type();
  auto found = newer.find(op);
  return found != newer.end()
             ? &found->second
             : ::onnx::OpSchemaRegistry::Schema(op, int(opsetOf(model)), "");
}

/// The graph's tensor input `name`, or null.
::onnx::ValueInfoProto *inputOf(::onnx::ModelProto &model,
                                const std::string &name) {
  for (auto &input : *model.mutable_graph()->mutable_input())
    if (input.name() == name && input.type().has_tensor_type())
      return &input;
  return nullptr;
}

/// The schema's parameter for operand `i`; the last parameter may be variadic.
const ::onnx::OpSchema::FormalParameter &
parameterOf(const ::onnx::OpSchema &schema, int i) {
  return schema.inputs()[std::min<size_t>(i, schema.inputs().size() - 1)];
}

/// The kind of a type: float, integer, or its own. An operator accepts every
/// width of a kind that its schema names, as later opsets do.
char kindOf(const std::string &type) {
  for (const char *word : {"complex", "string", "bool", "int", "float"})
    if (type.find(word) != std::string::npos)
      return word[0];
  return 'f'; // double
}

/// Operators that we accept for all numbers, although schemas name only floats.
const std::set<std::string> ofAnyNumber = {"Dropout", "GlobalMaxPool",
                                           "MaxUnpool", "Sum"};
/// Operators with parameters of mixed widths, or with counts and positions.
const std::set<std::string> ofMixedWidths = {
    "BatchNormalization", "Col2Im", "GridSample",
    "MelWeightMatrix",    "STFT",   "Slice"};

/// True if the schema forbids type `type` for operand `i` with the other
/// operands' types unchanged.
bool isForbidden(::onnx::ModelProto &model, const ::onnx::OpSchema &schema,
                 int i, int type) {
  const auto &node = model.graph().node(0);
  const auto &parameter = parameterOf(schema, i);
  bool anyNumber = ofAnyNumber.count(node.op_type()) &&
                   kindOf(typeNames.at(type)) != 's' &&
                   kindOf(typeNames.at(type)) != 'c';
  bool listed = anyNumber;
  for (const std::string *allowed : parameter.GetTypes())
    listed |= kindOf(*allowed) == kindOf(typeNames.at(type));
  if (!listed)
    return true;
  for (int k = 0; k < node.input_size(); ++k) {
    const auto &other = parameterOf(schema, k);
    bool mayDiffer = other.GetOption() == ::onnx::OpSchema::Variadic &&
                     !other.GetIsHomogeneous();
    auto *given = inputOf(model, node.input(k));
    if (k == i || node.input(k) == node.input(i) || !given || mayDiffer ||
        other.GetTypeStr() != parameter.GetTypeStr())
      continue;
    int found = given->type().tensor_type().elem_type();
    if (ofMixedWidths.count(node.op_type())
            ? kindOf(typeNames.at(found)) != kindOf(typeNames.at(type))
            : found != type)
      return true;
  }
  return false;
}

bool isRefusal(Status status) {
  return status == Status::InvalidModel || status == Status::Unsupported;
}

TEST(OnnxTypes, EveryOperatorHasAModelHere) {
  if (!std::filesystem::exists(onnxCases))
    GTEST_SKIP() << "needs " << onnxCases;
  onnx::OpRegistry registry;
  onnx::registerAllOps(registry);
  // It works on strings, which no model here can hold.
  const std::set<std::string> without = {"StringNormalizer"};
  std::string missing;
  for (const std::string &name : registry.names())
    if (name.starts_with(":") && !oneNodeModels().count(name.substr(1)) &&
        !without.count(name.substr(1)))
      missing += " " + name.substr(1);
  EXPECT_EQ(missing, "");
}

TEST(OnnxTypes, WrongElementTypesAreRefusedAtTheNode) {
  int refused = 0;
  for (const auto &[op, good] : oneNodeModels()) {
    const ::onnx::OpSchema *schema = schemaOf(good);
    ASSERT_TRUE(schema) << op;
    for (int i = 0; i < good.graph().node(0).input_size(); ++i)
      for (const auto &[type, name] : typeNames) {
        ::onnx::ModelProto model = good;
        for (auto &output : *model.mutable_graph()->mutable_output())
          output.clear_type();
        auto *input = inputOf(model, model.graph().node(0).input(i));
        if (!input || input->type().tensor_type().elem_type() == type)
          continue;
        bool forbidden = isForbidden(model, *schema, i, type);
        input->mutable_type()->mutable_tensor_type()->set_elem_type(type);
        Import import = importModel(model);
        std::string what = op + ", input " + std::to_string(i) + " of " + name;
        if (import.done) {
          EXPECT_FALSE(forbidden) << what << " is accepted";
          continue;
        }
        ++refused;
        EXPECT_TRUE(isRefusal(import.status())) << what << import.text();
        bool places = false;
        for (const std::string &place :
             {"(" + op + ")", "input '" + input->name() + "'",
              std::string("subgraph '")})
          places |= import.text().find(place) != std::string::npos;
        EXPECT_TRUE(places) << what << ": " << import.text();
      }
  }
  if (std::filesystem::exists(onnxCases))
    EXPECT_GT(refused, 1000);
}

TEST(OnnxTypes, TypesThatAttributesNameAreJudged) {
  for (const char *op : {"RandomNormal", "RandomUniform", "RandomNormalLike",
                         "RandomUniformLike", "Multinomial"})
    for (const auto &[type, name] : typeNames) {
      ::onnx::ModelProto model = ownModels().at(op);
      model.mutable_graph()->mutable_output(0)->clear_type();
      setInt(model, "dtype", type);
      Import import = importModel(model);
      std::string what = std::string(op) + " of " + name + ": ";
      bool ofCounts = std::string(op) == "Multinomial";
      // Counts: at least the two integer types that the schema names. Others:
      // all floats.
      if (ofCounts ? type == 6 || type == 7 : kindOf(name) == 'f')
        EXPECT_TRUE(import.done) << what << import.text();
      if (kindOf(name) != (ofCounts ? 'i' : 'f'))
        EXPECT_FALSE(import.done) << what << "accepted";
      if (import.done)
        continue;
      EXPECT_TRUE(isRefusal(import.status())) << what << import.text();
      EXPECT_NE(import.text().find("(" + std::string(op) + ")"),
                std::string::npos)
          << import.text();
    }
}

TEST(OnnxTypes, TextIsRefusedWhateverItIsSaidToBe) {
  for (const auto &[type, name] : typeNames) {
    Import import =
        importModel(makeOneNode("StringNormalizer", 13, {{4}}, {4}, type));
    EXPECT_FALSE(import.done) << name;
    EXPECT_TRUE(isRefusal(import.status())) << name << ": " << import.text();
  }
}

/// The model with Identity nodes after its node's outputs. `declare` is called
/// with the value_info of each output between them.
template <typename Declare>
::onnx::ModelProto withValueInfo(const ::onnx::ModelProto &good,
                                 const Declare &declare) {
  ::onnx::ModelProto model = good;
  auto *graph = model.mutable_graph();
  for (auto &output : *graph->mutable_output()) {
    auto *info = graph->add_value_info();
    *info = output;
    declare(info);
    addNode(graph, "Identity", {output.name()}, {output.name() + "_end"});
    output.set_name(output.name() + "_end");
    output.clear_type();
  }
  return model;
}

void expectContradiction(const ::onnx::ModelProto &model,
                         const std::string &op) {
  Import import = importModel(model);
  EXPECT_EQ(int(import.status()), int(Status::InvalidModel))
      << op << ": " << import.text();
  for (const char *part : {"is declared as ", " but is "})
    EXPECT_NE(import.text().find(part), std::string::npos)
        << op << ": " << import.text();
}

TEST(OnnxTypes, ValueInfoThatContradictsIsToldWithBothTypes) {
  int told = 0;
  for (const auto &[op, good] : oneNodeModels()) {
    if (!importModel(withValueInfo(good, [](auto *) {})).done)
      continue; // an output that Identity cannot copy, for example a sequence
    auto tensorOf = [](::onnx::ValueInfoProto *info) {
      return info->mutable_type()->mutable_tensor_type();
    };
    expectContradiction(withValueInfo(good,
                                      [&](auto *info) {
                                        auto *tensor = tensorOf(info);
                                        tensor->set_elem_type(
                                            tensor->elem_type() == 1 ? 7 : 1);
                                      }),
                        op + " (type)");
    expectContradiction(
        withValueInfo(
            good,
            [&](auto *info) {
              tensorOf(info)->mutable_shape()->add_dim()->set_dim_value(1);
            }),
        op + " (rank)");
    ++told;
  }
  if (std::filesystem::exists(onnxCases))
    EXPECT_GT(told, 100);
}

TEST(OnnxTypes, ValueInfoOfAnotherExtentIsToldWithBothShapes) {
  // The output shapes of these operators follow from the input shapes.
  for (const char *op : {"Add", "MatMul", "Relu", "Concat", "Transpose", "Conv",
                         "Softmax", "ReduceMax", "MaxPool", "Gather"}) {
    auto found = oneNodeModels().find(op);
    if (found == oneNodeModels().end())
      continue;
    Import import = importModel(withValueInfo(found->second, [](auto *info) {
      auto *shape =
          info->mutable_type()->mutable_tensor_type()->mutable_shape();
      ASSERT_GT(shape->dim_size(), 0);
      shape->mutable_dim(0)->set_dim_value(shape->dim(0).dim_value() + 5);
    }));
    expectRefused(import, Status::InvalidModel, "is declared as ");
    expectRefused(import, Status::InvalidModel, " but is ");
  }
}

TEST(OnnxTypes, MixedTypesAreNamed) {
  auto with = [](const char *op, int first, int second) {
    ::onnx::ModelProto model = makeEmpty();
    auto *graph = model.mutable_graph();
    graph->clear_input();
    addTensor(graph->mutable_input(), "a", {4, 4}, first);
    addTensor(graph->mutable_input(), "b", {4, 4}, second);
    addNode(graph, op, {"a", "b"}, {"y"});
    graph->add_output()->set_name("y");
    return importModel(model);
  };
  Import mixed = with("Add", 1, 7);
  expectRefused(mixed, Status::InvalidModel, "f32 and i64");
  expectRefused(mixed, Status::InvalidModel, "(Add)");
  EXPECT_TRUE(isRefusal(with("MatMul", 8, 8).status()));
  EXPECT_TRUE(isRefusal(with("MatMul", 1, 8).status()));
}

} // namespace
} // namespace tenon::test
