// The recursion follows graphs in attributes and types in types. The envelope
// check has limited the depth of both.
#include "compiler/import/onnx/reader/OnnxDecoder.h"

#include "compiler/files/ReadFailure.h"
#include "compiler/import/onnx/reader/OnnxOpTable.h"

#include <iterator>

namespace tenon::onnx {

/// The newest version of the file format that this reader was checked against.
static constexpr int64_t newestIrVersion = 13;
/// Greater opset numbers of other domains are treated as damage.
static constexpr int64_t newestPlausibleOpset = 1000;

/// The default domain "" is also spelled "ai.onnx".
static std::string domainOf(const std::string &domain) {
  return domain == "ai.onnx" ? std::string() : domain;
}

static std::string domainName(const std::string &domain) {
  return domain.empty() ? "ai.onnx" : domain;
}

template <typename Protos>
static std::map<std::string, int64_t> decodeOpsets(const Protos &protos,
                                                   const std::string &place) {
  std::map<std::string, int64_t> opsets;
  for (const ::onnx::OperatorSetIdProto &proto : protos) {
    std::string domain = domainOf(proto.domain());
    int64_t version = proto.version();
    std::string what = "opset of domain " + quoted(domainName(domain));
    if (version < 1)
      fail(place, what + ": expected a version of at least 1, got " +
                      std::to_string(version));
    if (domain.empty() && version > newestKnownOpset)
      fail(place, what + ": expected a version that exists, at most " +
                      std::to_string(newestKnownOpset) + ", got " +
                      std::to_string(version));
    if (version > newestPlausibleOpset)
      fail(place,
           what + ": version " + std::to_string(version) + " is not supported",
           Status::Unsupported);
    if (!opsets.emplace(domain, version).second)
      fail(place, what + " is imported twice");
  }
  return opsets;
}

void OnnxDecoder::decode(::onnx::ModelProto &proto) {
  if (!proto.has_graph())
    fail("", "expected a model with a graph, got no graph");
  model.irVersion = proto.ir_version();
  if (model.irVersion < 1)
    fail("", "expected an ir_version of at least 1, got " +
                 (proto.has_ir_version() ? std::to_string(model.irVersion)
                                         : "none"));
  if (model.irVersion > newestIrVersion)
    fail("",
         "ir_version " + std::to_string(model.irVersion) +
             " is not supported, the newest known is " +
             std::to_string(newestIrVersion),
         Status::Unsupported);
  model.opsets = decodeOpsets(proto.opset_import(), "");
  if (model.opsets.empty()) {
    if (model.irVersion >= 3)
      fail("", "expected an opset_import, got none");
    model.opsets[""] = 1; // before opset_import existed there was only opset 1
  }
  model.producer = proto.producer_name();
  if (!proto.producer_version().empty())
    model.producer += " " + proto.producer_version();
  model.graphDomain = proto.domain();
  for (::onnx::FunctionProto &function : *proto.mutable_functions())
    model.functions.push_back(decodeFunction(function));
  decodeGraph(*proto.mutable_graph(), model.graph);
}

Function OnnxDecoder::decodeFunction(::onnx::FunctionProto &proto) {
  Function function;
  function.name = proto.name();
  function.domain = domainOf(proto.domain());
  std::string place = "function " + quoted(function.name);
  if (function.name.empty())
    fail(place, "expected a function with a name, got an empty one");
  function.inputs.assign(proto.input().begin(), proto.input().end());
  function.outputs.assign(proto.output().begin(), proto.output().end());
  function.attributes.assign(proto.attribute().begin(),
                             proto.attribute().end());
  function.opsets = decodeOpsets(proto.opset_import(), place);
  if (function.opsets.empty())
    function.opsets = model.opsets;
  decodeNodes(*proto.mutable_node(), function.nodes);
  return function;
}

void OnnxDecoder::decodeNodes(
    google::protobuf::RepeatedPtrField<::onnx::NodeProto> &protos,
    std::vector<Node> &nodes) {
  nodes.reserve(protos.size());
  for (::onnx::NodeProto &proto : protos) {
    nodes.push_back(decodeNode(proto, nodes.size()));
    // Frees the message at once, so that a large graph is not in memory twice.
    ::onnx::NodeProto().Swap(&proto);
  }
}

void OnnxDecoder::decodeGraph(::onnx::GraphProto &proto, Graph &graph) {
  graph.name = proto.name();
  for (const ::onnx::TensorProto &tensor : proto.initializer()) {
    if (tensor.name().empty())
      fail("graph " + quoted(graph.name),
           "expected initializers with names, got an empty one");
    graph.initializers.push_back(
        tensors.decode(tensor, "initializer " + quoted(tensor.name())));
  }
  for (const ::onnx::SparseTensorProto &tensor : proto.sparse_initializer()) {
    if (tensor.values().name().empty())
      fail("graph " + quoted(graph.name),
           "expected sparse initializers with names, got an empty one");
    graph.sparseInitializers.push_back(tensors.decode(
        tensor, "sparse initializer " + quoted(tensor.values().name())));
  }
  for (const ::onnx::ValueInfoProto &value : proto.input())
    graph.inputs.push_back(decodeValueInfo(value, "input "));
  for (const ::onnx::ValueInfoProto &value : proto.output())
    graph.outputs.push_back(decodeValueInfo(value, "output "));
  for (const ::onnx::ValueInfoProto &value : proto.value_info())
    graph.valueInfo.push_back(decodeValueInfo(value, "value "));
  decodeNodes(*proto.mutable_node(), graph.nodes);
}

Node OnnxDecoder::decodeNode(::onnx::NodeProto &proto, uint32_t index) {
  Node node;
  node.opType = proto.op_type();
  node.domain = domainOf(proto.domain());
  node.index = index;
  node.inputs.assign(proto.input().begin(), proto.input().end());
  node.outputs.assign(proto.output().begin(), proto.output().end());
  node.name = proto.name();
  if (node.name.empty())
    node.name =
        node.opType + "_" +
        (node.outputs.empty() || node.outputs[0].empty() ? std::to_string(index)
                                                         : node.outputs[0]);
  if (node.opType.empty())
    fail(placeOf(node), "expected a node with an op_type, got an empty one");
  for (::onnx::AttributeProto &attribute : *proto.mutable_attribute()) {
    if (attribute.name().empty())
      fail(placeOf(node), "expected attributes with names, got an empty one");
    Attribute decoded = decodeAttribute(attribute, node);
    std::string name = decoded.name;
    if (!node.attributes.emplace(name, std::move(decoded)).second)
      fail(placeOf(node),
           "expected attribute " + quoted(name) + " once, got it twice");
  }
  return node;
}

/// The kinds of value that the message has.
static std::vector<AttributeKind> kindsIn(const ::onnx::AttributeProto &proto) {
  const std::pair<bool, AttributeKind> all[] = {
      {proto.has_f(), AttributeKind::Float},
      {proto.has_i(), AttributeKind::Int},
      {proto.has_s(), AttributeKind::String},
      {proto.has_t(), AttributeKind::Tensor},
      {proto.has_g(), AttributeKind::Graph},
      {proto.floats_size() > 0, AttributeKind::Floats},
      {proto.ints_size() > 0, AttributeKind::Ints},
      {proto.strings_size() > 0, AttributeKind::Strings},
      {proto.tensors_size() > 0, AttributeKind::Tensors},
      {proto.graphs_size() > 0, AttributeKind::Graphs},
      {proto.has_sparse_tensor(), AttributeKind::SparseTensor},
      {proto.sparse_tensors_size() > 0, AttributeKind::SparseTensors},
      {proto.has_tp(), AttributeKind::Type},
      {proto.type_protos_size() > 0, AttributeKind::Types}};
  std::vector<AttributeKind> kinds;
  for (auto [present, kind] : all)
    if (present)
      kinds.push_back(kind);
  return kinds;
}

Attribute OnnxDecoder::decodeAttribute(::onnx::AttributeProto &proto,
                                       const Node &node) {
  Attribute attribute;
  attribute.name = proto.name();
  attribute.kind = static_cast<AttributeKind>(proto.type());
  attribute.refName = proto.ref_attr_name();
  auto where = [&] { return placeOf(node); };
  auto what = [&] { return "attribute " + quoted(attribute.name) + ": "; };

  std::vector<AttributeKind> present = kindsIn(proto);
  if (!attribute.refName.empty()) {
    if (!present.empty())
      fail(where(), what() + "expected a reference to " +
                        quoted(attribute.refName) + " or a value, got both");
    return attribute;
  }
  // Before ir_version 2 the kind followed from the field that was set.
  if (attribute.kind == AttributeKind::Undefined && model.irVersion < 2 &&
      present.size() == 1)
    attribute.kind = present[0];
  if (attribute.kind == AttributeKind::Undefined)
    fail(where(), what() + "expected a type, got none");
  for (AttributeKind kind : present)
    if (kind != attribute.kind)
      fail(where(), what() + "expected a value of kind " +
                        attributeKindName(attribute.kind) + ", got one of " +
                        attributeKindName(kind));

  auto need = [&] {
    // Messages have no default value. Missing numbers and strings are 0 and "".
    if (present.empty())
      fail(where(), what() + "expected a " + attributeKindName(attribute.kind) +
                        ", got none");
  };
  // Only tensors and types need the text of their place, so compute it on
  // demand.
  auto inner = [&] { return where() + ", attribute " + quoted(proto.name()); };
  switch (attribute.kind) {
  case AttributeKind::Undefined:
    break;
  case AttributeKind::Float:
    attribute.value = proto.f();
    break;
  case AttributeKind::Int:
    attribute.value = int64_t(proto.i());
    break;
  case AttributeKind::String:
    attribute.value = std::move(*proto.mutable_s());
    break;
  case AttributeKind::Tensor:
    need();
    attribute.value = tensors.decode(proto.t(), inner());
    break;
  case AttributeKind::Graph: {
    need();
    auto graph = std::make_unique<Graph>();
    decodeGraph(*proto.mutable_g(), *graph);
    attribute.value = std::move(graph);
    break;
  }
  case AttributeKind::Floats:
    attribute.value =
        std::vector<float>(proto.floats().begin(), proto.floats().end());
    break;
  case AttributeKind::Ints:
    attribute.value =
        std::vector<int64_t>(proto.ints().begin(), proto.ints().end());
    break;
  case AttributeKind::Strings:
    attribute.value = std::vector<std::string>(
        std::make_move_iterator(proto.mutable_strings()->begin()),
        std::make_move_iterator(proto.mutable_strings()->end()));
    break;
  case AttributeKind::Tensors: {
    std::vector<Tensor> list;
    for (const auto &tensor : proto.tensors())
      list.push_back(tensors.decode(tensor, inner()));
    attribute.value = std::move(list);
    break;
  }
  case AttributeKind::Graphs: {
    std::vector<std::unique_ptr<Graph>> list;
    for (auto &graph : *proto.mutable_graphs())
      decodeGraph(graph, *list.emplace_back(std::make_unique<Graph>()));
    attribute.value = std::move(list);
    break;
  }
  case AttributeKind::SparseTensor:
    need();
    attribute.value = tensors.decode(proto.sparse_tensor(), inner());
    break;
  case AttributeKind::SparseTensors: {
    std::vector<SparseTensor> list;
    for (const auto &tensor : proto.sparse_tensors())
      list.push_back(tensors.decode(tensor, inner()));
    attribute.value = std::move(list);
    break;
  }
  case AttributeKind::Type:
    need();
    attribute.value = decodeType(proto.tp(), inner());
    break;
  case AttributeKind::Types: {
    std::vector<Type> list;
    for (const auto &type : proto.type_protos())
      list.push_back(decodeType(type, inner()));
    attribute.value = std::move(list);
    break;
  }
  }
  return attribute;
}

ValueInfo OnnxDecoder::decodeValueInfo(const ::onnx::ValueInfoProto &proto,
                                       const char *what) {
  ValueInfo value;
  value.name = proto.name();
  std::string place = what + quoted(value.name);
  if (value.name.empty())
    fail(place, "expected a value with a name, got an empty one");
  if (proto.has_type())
    value.type = decodeType(proto.type(), place);
  return value;
}

template <typename Proto>
Type OnnxDecoder::decodeTensorType(const Proto &proto, Type::Kind kind,
                                   const std::string &place) {
  Type type;
  type.kind = kind;
  if (proto.elem_type() != 0)
    type.element = elementTypeOf(proto.elem_type(), place);
  if (!proto.has_shape())
    return type;
  type.shape.emplace();
  std::vector<int64_t> known;
  for (const auto &dim : proto.shape().dim()) {
    Dim &out = type.shape->emplace_back();
    if (dim.has_dim_param() && !dim.dim_param().empty()) {
      out.kind = Dim::Kind::Symbolic;
      out.symbol = dim.dim_param();
    } else if (dim.has_dim_value() && dim.dim_value() != -1) {
      // Exporters write -1 for an unknown extent.
      out.kind = Dim::Kind::Static;
      out.size = dim.dim_value();
      known.push_back(out.size);
    }
  }
  unsigned size = elementSize(type.element);
  checkedBytes(known, size ? size : 1, place);
  return type;
}

Type OnnxDecoder::decodeType(const ::onnx::TypeProto &proto,
                             const std::string &place) {
  Type type;
  auto inner = [&](bool present, const ::onnx::TypeProto &element) {
    if (present)
      type.inner = std::make_shared<Type>(decodeType(element, place));
  };
  switch (proto.value_case()) {
  case ::onnx::TypeProto::kTensorType:
    return decodeTensorType(proto.tensor_type(), Type::Kind::Tensor, place);
  case ::onnx::TypeProto::kSparseTensorType:
    return decodeTensorType(proto.sparse_tensor_type(),
                            Type::Kind::SparseTensor, place);
  case ::onnx::TypeProto::kSequenceType:
    type.kind = Type::Kind::Sequence;
    inner(proto.sequence_type().has_elem_type(),
          proto.sequence_type().elem_type());
    break;
  case ::onnx::TypeProto::kOptionalType:
    type.kind = Type::Kind::Optional;
    inner(proto.optional_type().has_elem_type(),
          proto.optional_type().elem_type());
    break;
  case ::onnx::TypeProto::kMapType:
    type.kind = Type::Kind::Map;
    type.element = elementTypeOf(proto.map_type().key_type(), place);
    inner(proto.map_type().has_value_type(), proto.map_type().value_type());
    break;
  default:
    break;
  }
  return type;
}

} // namespace tenon::onnx
