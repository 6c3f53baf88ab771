// The schema of onnx.proto (ONNX 1.12, and later fields that must not be
// ignored) as tables. Fields that only inform, like doc_string, are left out
// because exporters write whole stack traces there.
#include "compiler/import/onnx/reader/OnnxEnvelope.h"

namespace tenon::onnx {

using wire::FieldKind;
using wire::FieldLimit;
using wire::FieldSchema;
using wire::FieldUse;
using wire::MessageSchema;

namespace {

extern const MessageSchema attribute, graph, node, function, opset, valueInfo,
    type, sparse, entry, shape, dimension, tensorType, sequenceType, mapType,
    optionalType, segment;

constexpr FieldSchema text(uint32_t number, const char *name,
                           bool repeated = false, FieldLimit limit = {}) {
  return {.number = number,
          .name = name,
          .kind = FieldKind::Text,
          .repeated = repeated,
          .limit = limit};
}

constexpr FieldSchema number(uint32_t number, const char *name,
                             bool repeated = false, FieldLimit limit = {},
                             uint64_t maxValue = UINT64_MAX) {
  return {.number = number,
          .name = name,
          .kind = FieldKind::Varint,
          .repeated = repeated,
          .limit = limit,
          .maxValue = maxValue};
}

constexpr FieldSchema one(uint32_t number, const char *name,
                          const MessageSchema &message) {
  return {.number = number,
          .name = name,
          .kind = FieldKind::Message,
          .message = &message};
}

constexpr FieldSchema many(uint32_t number, const char *name,
                           const MessageSchema &message,
                           FieldLimit limit = {}) {
  return {.number = number,
          .name = name,
          .kind = FieldKind::Message,
          .repeated = true,
          .message = &message,
          .limit = limit};
}

constexpr FieldSchema other(uint32_t number, const char *name, FieldKind kind,
                            FieldUse use, bool repeated = false,
                            FieldLimit limit = {}) {
  return {.number = number,
          .name = name,
          .kind = kind,
          .repeated = repeated,
          .use = use,
          .limit = limit};
}

constexpr FieldLimit listLimit = {uint64_t(1) << 20, "a list"};
constexpr FieldLimit rankLimit = {maxRank, "a rank"};

const FieldSchema modelFields[] = {
    number(1, "ir_version"),
    text(2, "producer_name"),
    text(3, "producer_version"),
    text(4, "domain"),
    one(7, "graph", graph),
    many(8, "opset_import", opset, {1024, "a list"}),
    other(14, "metadata_props", FieldKind::Bytes, FieldUse::Drop, true),
    other(20, "training_info", FieldKind::Bytes, FieldUse::Drop, true),
    many(25, "functions", function, {65536, "a list"})};

const FieldSchema opsetFields[] = {text(1, "domain"), number(2, "version")};

const FieldSchema graphFields[] = {many(1, "node", node),
                                   text(2, "name"),
                                   many(5, "initializer", tensorSchema),
                                   many(11, "input", valueInfo),
                                   many(12, "output", valueInfo),
                                   many(13, "value_info", valueInfo),
                                   many(15, "sparse_initializer", sparse)};

const FieldSchema nodeFields[] = {
    text(1, "input", true),
    text(2, "output", true),
    text(3, "name"),
    text(4, "op_type"),
    many(5, "attribute", attribute),
    text(7, "domain"),
    other(8, "overload", FieldKind::Text, FieldUse::Refuse)};

const FieldSchema attributeFields[] = {
    text(1, "name"),
    other(2, "f", FieldKind::Fixed32, FieldUse::Keep),
    number(3, "i"),
    other(4, "s", FieldKind::Bytes, FieldUse::Keep, false,
          {uint64_t(64) << 20, "a string"}),
    one(5, "t", tensorSchema),
    one(6, "g", graph),
    other(7, "floats", FieldKind::Fixed32, FieldUse::Keep, true, listLimit),
    number(8, "ints", true, listLimit),
    other(9, "strings", FieldKind::Bytes, FieldUse::Keep, true, listLimit),
    many(10, "tensors", tensorSchema, listLimit),
    many(11, "graphs", graph, listLimit),
    one(14, "tp", type),
    many(15, "type_protos", type, listLimit),
    number(20, "type", false, {}, 14),
    text(21, "ref_attr_name"),
    one(22, "sparse_tensor", sparse),
    many(23, "sparse_tensors", sparse, listLimit)};

const FieldSchema tensorFields[] = {
    number(1, "dims", true, rankLimit),
    number(2, "data_type"),
    one(3, "segment", segment),
    other(FloatData, "float_data", FieldKind::Fixed32, FieldUse::Payload, true),
    other(Int32Data, "int32_data", FieldKind::Varint, FieldUse::Payload, true),
    other(StringData, "string_data", FieldKind::Bytes, FieldUse::Payload, true,
          {uint64_t(1) << 22, "a list"}),
    other(Int64Data, "int64_data", FieldKind::Varint, FieldUse::Payload, true),
    text(8, "name"),
    other(RawData, "raw_data", FieldKind::Bytes, FieldUse::Payload),
    other(DoubleData, "double_data", FieldKind::Fixed64, FieldUse::Payload,
          true),
    other(Uint64Data, "uint64_data", FieldKind::Varint, FieldUse::Payload,
          true),
    many(13, "external_data", entry, {1024, "a list"}),
    number(14, "data_location", false, {}, 1)};

const FieldSchema segmentFields[] = {number(1, "begin"), number(2, "end")};

// Bytes, not text, because a location with NUL has its own error message.
const FieldSchema entryFields[] = {
    text(1, "key"), other(2, "value", FieldKind::Bytes, FieldUse::Keep, false,
                          {uint64_t(1) << 16, "a value"})};

const FieldSchema sparseFields[] = {one(1, "values", tensorSchema),
                                    one(2, "indices", tensorSchema),
                                    number(3, "dims", true, rankLimit)};

const FieldSchema valueInfoFields[] = {text(1, "name"), one(2, "type", type)};

const FieldSchema typeFields[] = {
    one(1, "tensor_type", tensorType), one(4, "sequence_type", sequenceType),
    one(5, "map_type", mapType), one(8, "sparse_tensor_type", tensorType),
    one(9, "optional_type", optionalType)};

const FieldSchema tensorTypeFields[] = {number(1, "elem_type"),
                                        one(2, "shape", shape)};
const FieldSchema shapeFields[] = {many(1, "dim", dimension, rankLimit)};
const FieldSchema dimensionFields[] = {number(1, "dim_value"),
                                       text(2, "dim_param")};
const FieldSchema elementFields[] = {one(1, "elem_type", type)};
const FieldSchema mapFields[] = {number(1, "key_type"),
                                 one(2, "value_type", type)};

const FieldSchema functionFields[] = {
    text(1, "name"),
    text(4, "input", true),
    text(5, "output", true),
    text(6, "attribute", true),
    many(7, "node", node),
    many(9, "opset_import", opset, {1024, "a list"}),
    text(10, "domain"),
    other(11, "attribute_proto", FieldKind::Bytes, FieldUse::Refuse, true),
    other(13, "overload", FieldKind::Text, FieldUse::Refuse)};

const MessageSchema attribute = {"AttributeProto", attributeFields};
const MessageSchema graph = {"GraphProto", graphFields, {}, /*nests=*/true};
const MessageSchema node = {"NodeProto", nodeFields, {maxNodes, "nodes"}};
const MessageSchema function = {"FunctionProto", functionFields};
const MessageSchema opset = {"OperatorSetIdProto", opsetFields};
const MessageSchema valueInfo = {"ValueInfoProto", valueInfoFields};
const MessageSchema type = {"TypeProto", typeFields};
const MessageSchema sparse = {"SparseTensorProto", sparseFields};
const MessageSchema entry = {"StringStringEntryProto", entryFields};
const MessageSchema shape = {"TensorShapeProto", shapeFields};
const MessageSchema dimension = {"Dimension", dimensionFields};
const MessageSchema tensorType = {"TypeProto.Tensor", tensorTypeFields};
const MessageSchema sequenceType = {"TypeProto.Sequence", elementFields};
const MessageSchema mapType = {"TypeProto.Map", mapFields};
const MessageSchema optionalType = {"TypeProto.Optional", elementFields};
const MessageSchema segment = {"TensorProto.Segment", segmentFields};

} // namespace

const MessageSchema modelSchema = {"ModelProto", modelFields};
const MessageSchema tensorSchema = {"TensorProto",
                                    tensorFields,
                                    {},
                                    /*nests=*/false,
                                    /*payloadRecord=*/StringData};

} // namespace tenon::onnx
