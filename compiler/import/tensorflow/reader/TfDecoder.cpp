// Converts messages to structures. Errors in the structure of a graph are
// refused here, errors in a single node by its handler.
#include "compiler/import/tensorflow/reader/TfDecoder.h"

#include "compiler/files/ReadFailure.h"
#include "compiler/wire/Envelope.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace tenon::tf {

/// FLOAT4_E2M1FN, the last type of types.proto that this reader was checked
/// against.
constexpr int64_t newestType = 33;
/// Constants with repeated elements are written out up to this size; greater
/// ones are refused.
constexpr uint64_t maxSplatBytes = uint64_t(64) << 20;

Shape decodeShape(const proto::Shape &shape, const std::string &place) {
  Shape result;
  result.hasRank = !shape.unknown_rank();
  for (const proto::Shape::Dim &dim : shape.dim()) {
    if (dim.size() < -1)
      fail(place, "expected extents of at least 0, or -1 where one is open, "
                  "got " +
                      std::to_string(dim.size()));
    result.dims.push_back(dim.size());
  }
  return result;
}

DataType decodeType(int64_t number, const std::string &place) {
  // A variable of TensorFlow 1 has a reference type: 100 plus the type's
  // number.
  int64_t type = number > 100 ? number - 100 : number;
  if (type < 0 || type > newestType)
    fail(place, "expected an element type of types.proto from 0 to " +
                    std::to_string(newestType) +
                    ", or 100 above one for a reference, got " +
                    std::to_string(number));
  return DataType(number);
}

uint64_t checkedBytes(const std::vector<int64_t> &dims, uint64_t size,
                      const std::string &place) {
  int64_t bytes = int64_t(size);
  for (int64_t dim : dims)
    if (dim < 0)
      fail(place, "expected extents of at least 0, got " + std::to_string(dim));
  if (std::find(dims.begin(), dims.end(), 0) != dims.end())
    return 0;
  for (int64_t dim : dims)
    if (__builtin_mul_overflow(bytes, dim, &bytes))
      fail(place, "the tensor's size in bytes is beyond 63 bits",
           Status::Limit);
  return uint64_t(bytes);
}

Edge decodeEdge(const std::string &text, const std::string &place) {
  Edge edge;
  size_t last = text.rfind(':');
  edge.node = text.substr(0, last);
  if (last == std::string::npos)
    return edge;
  const char *end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data() + last + 1, end, edge.index);
  if (error != std::errc() || rest != end || edge.index < 0) {
    // `node:out`: the first tensor of that output.
    edge.output = text.substr(last + 1);
    edge.index = 0;
  } else if (size_t first = edge.node.find(':'); first != std::string::npos) {
    edge.output = edge.node.substr(first + 1);
    edge.node.resize(first);
  }
  if (edge.node.empty())
    fail(place, "expected the name of a node, got " + quoted(text));
  return edge;
}

namespace {
class Decoder {
public:
  Body body(const google::protobuf::RepeatedPtrField<proto::NodeDef> &nodes,
            const std::string &place) {
    Body result;
    for (const proto::NodeDef &from : nodes) {
      Node node = decode(from);
      if (!result.byName.emplace(node.name, result.nodes.size()).second)
        fail(place, "two nodes have the name " + quoted(node.name));
      result.nodes.push_back(std::move(node));
    }
    return result;
  }

  Function function(const proto::FunctionDef &from) {
    Function result;
    result.name = from.signature().name();
    std::string place = "function " + quoted(result.name);
    auto arguments = [&](const auto &list) {
      std::vector<Argument> found;
      for (const proto::ArgDef &arg : list)
        found.push_back(
            {arg.name(), decodeType(arg.type(), place + ", argument " +
                                                    quoted(arg.name()))});
      return found;
    };
    result.inputs = arguments(from.signature().input_arg());
    result.outputs = arguments(from.signature().output_arg());
    result.body = body(from.node_def(), place);
    for (const auto &[name, edge] : from.ret())
      result.results[name] = decodeEdge(edge, place);
    return result;
  }

private:
  Node decode(const proto::NodeDef &from) {
    Node node;
    node.name = from.name();
    node.op = from.op();
    std::string place = placeOf(node);
    if (node.name.empty() || node.op.empty())
      fail(place, "expected a name and an op");
    for (const std::string &input : from.input()) {
      if (input.starts_with('^'))
        node.controls.push_back(input.substr(1));
      else
        node.inputs.push_back(decodeEdge(input, place));
    }
    for (const auto &[name, value] : from.attr())
      node.attrs[name] = attr(value, place + ", attribute " + quoted(name));
    return node;
  }

  Attr attr(const proto::AttrValue &from, const std::string &place) {
    switch (from.value_case()) {
    case proto::AttrValue::kS:
      return from.s();
    case proto::AttrValue::kI:
      return int64_t(from.i());
    case proto::AttrValue::kF:
      return from.f();
    case proto::AttrValue::kB:
      return from.b();
    case proto::AttrValue::kType:
      return decodeType(from.type(), place);
    case proto::AttrValue::kShape:
      return decodeShape(from.shape(), place);
    case proto::AttrValue::kTensor:
      return tensor(from.tensor(), place);
    case proto::AttrValue::kFunc:
      return FunctionName{from.func().name()};
    case proto::AttrValue::kList: {
      const proto::AttrValue::ListValue &list = from.list();
      List result;
      result.strings.assign(list.s().begin(), list.s().end());
      result.ints.assign(list.i().begin(), list.i().end());
      result.floats.assign(list.f().begin(), list.f().end());
      result.bools.assign(list.b().begin(), list.b().end());
      for (int type : list.type())
        result.types.push_back(decodeType(type, place));
      for (const proto::Shape &shape : list.shape())
        result.shapes.push_back(decodeShape(shape, place));
      return result;
    }
    default:
      return std::monostate();
    }
  }

  Tensor tensor(const proto::Tensor &from, const std::string &place) {
    Tensor result;
    result.type = decodeType(from.dtype(), place);
    if (from.tensor_shape().unknown_rank())
      fail(place, "expected a constant of known rank");
    result.dims = decodeShape(from.tensor_shape(), place).dims;
    unsigned size = elementSize(result.type);
    uint64_t bytes = checkedBytes(result.dims, std::max(size, 1u), place);
    if (result.type == DataType::String) {
      result.payload = std::vector<std::string>(from.string_val().begin(),
                                                from.string_val().end());
      return result;
    }
    if (size == 0) // users of this type refuse it, if any are reachable
      return result;
    if (from.payload_size() > 0) {
      wire::PayloadRecord record = wire::PayloadRecord::decode(from.payload(0));
      if (from.payload_size() > 1)
        fail(place, "expected one tensor_content");
      if (record.length != 0) {
        if (record.length != bytes)
          fail(place, "expected " + std::to_string(bytes) + " bytes, got " +
                          std::to_string(record.length));
        result.payload = FileRange{0, record.offset, record.length};
        return result;
      }
    }
    result.payload = typed(result.type, from, bytes, place);
    return result;
  }

  template <typename Element, typename List>
  static std::vector<std::byte> repeat(const List &values, uint64_t bytes,
                                       const std::string &place) {
    uint64_t count = bytes / sizeof(Element);
    if (uint64_t(values.size()) > count)
      fail(place, "expected at most " + std::to_string(count) +
                      " values, got " + std::to_string(values.size()));
    if (bytes > maxSplatBytes && uint64_t(values.size()) < count)
      fail(place,
           "expected a repeated value to fill at most " +
               std::to_string(maxSplatBytes) + " bytes, got " +
               std::to_string(bytes),
           Status::Limit);
    std::vector<std::byte> result(bytes);
    Element last{};
    for (uint64_t i = 0; i < count; ++i) {
      if (i < uint64_t(values.size()))
        last = static_cast<Element>(values.Get(int(i)));
      std::memcpy(result.data() + i * sizeof(Element), &last, sizeof(Element));
    }
    return result;
  }

  /// Complex numbers: a real and an imaginary value for each.
  template <typename Part, typename List>
  static std::vector<std::byte> repeatPairs(const List &values, uint64_t bytes,
                                            const std::string &place) {
    struct Pair {
      Part real, imaginary;
    };
    struct Pairs {
      const List &values;
      int size() const { return values.size() / 2; }
      Pair Get(int i) const {
        return {values.Get(2 * i), values.Get(2 * i + 1)};
      }
    };
    if (values.size() % 2 != 0)
      fail(place, "expected pairs of numbers, got " +
                      std::to_string(values.size()) + " numbers");
    return repeat<Pair>(Pairs{values}, bytes, place);
  }

  /// The values of the list for `type`; the last one is repeated for the
  /// remaining elements.
  static std::vector<std::byte> typed(DataType type, const proto::Tensor &from,
                                      uint64_t bytes,
                                      const std::string &place) {
    switch (type) {
    case DataType::F32:
      return repeat<float>(from.float_val(), bytes, place);
    case DataType::F64:
      return repeat<double>(from.double_val(), bytes, place);
    case DataType::I32:
      return repeat<int32_t>(from.int_val(), bytes, place);
    case DataType::U8:
    case DataType::I8:
      return repeat<uint8_t>(from.int_val(), bytes, place);
    case DataType::I16:
    case DataType::U16:
      return repeat<uint16_t>(from.int_val(), bytes, place);
    case DataType::I64:
      return repeat<int64_t>(from.int64_val(), bytes, place);
    case DataType::Bool:
      return repeat<uint8_t>(from.bool_val(), bytes, place);
    case DataType::F16:
    case DataType::BF16:
      return repeat<uint16_t>(from.half_val(), bytes, place);
    case DataType::U32:
      return repeat<uint32_t>(from.uint32_val(), bytes, place);
    case DataType::U64:
      return repeat<uint64_t>(from.uint64_val(), bytes, place);
    case DataType::C64:
      return repeatPairs<float>(from.scomplex_val(), bytes, place);
    case DataType::C128:
      return repeatPairs<double>(from.dcomplex_val(), bytes, place);
    default:
      return {};
    }
  }
};
} // namespace

void decodeGraph(const proto::GraphDef &graph, Model &model) {
  Decoder decoder;
  model.graph = decoder.body(graph.node(), "the graph");
  for (const proto::FunctionDef &from : graph.library().function()) {
    Function function = decoder.function(from);
    std::string name = function.name;
    if (!model.functions.emplace(name, std::move(function)).second)
      fail("", "two functions have the name " + quoted(name));
  }
}

Signature decodeSignature(const std::string &name,
                          const proto::SignatureDef &signature) {
  Signature result;
  auto ports = [&](const auto &map) {
    std::vector<Port> ports;
    std::string place = "signature " + quoted(name);
    for (const auto &[key, info] : map) {
      if (info.name().empty())
        fail(place, "expected " + quoted(key) + " to name a tensor");
      std::string where = place + ", " + quoted(key);
      ports.push_back({key, info.name(), decodeType(info.dtype(), where),
                       decodeShape(info.tensor_shape(), where)});
    }
    std::sort(ports.begin(), ports.end(),
              [](const Port &a, const Port &b) { return a.name < b.name; });
    return ports;
  };
  result.inputs = ports(signature.inputs());
  result.outputs = ports(signature.outputs());
  return result;
}

} // namespace tenon::tf
