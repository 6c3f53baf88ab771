// The fields of TensorFlow's graph.proto and saved_model.proto that an importer
// needs, as tables. All other fields are skipped.
#include "compiler/import/tensorflow/reader/TfEnvelope.h"

namespace tenon::tf {

using wire::FieldKind;
using wire::FieldLimit;
using wire::FieldSchema;
using wire::FieldUse;
using wire::MessageSchema;

namespace {

extern const MessageSchema shape, dim, tensor, func, attr, list, attrEntry,
    node, arg, opDef, function, library, textEntry, info, infoEntry, signature,
    signatureEntry, saver, meta, metaGraph, spec, value, valueList, valueEntry,
    valueDict, valuePair, valueTuple, valueNone, concrete, concreteEntry,
    reference, savedFunction, savedVariable, savedBare, savedConstant, object,
    objectGraph, serialized, trackable;

constexpr FieldLimit listLimit = {uint64_t(1) << 20, "a list"};
constexpr FieldLimit valueLimit = {uint64_t(1) << 24, "a list"};
constexpr FieldLimit rankLimit = {maxRank, "a rank"};

constexpr FieldSchema field(uint32_t number, const char *name, FieldKind kind,
                            bool repeated = false, FieldLimit limit = {},
                            FieldUse use = FieldUse::Keep) {
  return {.number = number,
          .name = name,
          .kind = kind,
          .repeated = repeated,
          .use = use,
          .limit = limit};
}
constexpr FieldSchema text(uint32_t number, const char *name,
                           bool repeated = false) {
  return field(number, name, FieldKind::Text, repeated,
               repeated ? listLimit : FieldLimit{});
}
constexpr FieldSchema number(uint32_t n, const char *name) {
  return field(n, name, FieldKind::Varint);
}
constexpr FieldSchema message(uint32_t number, const char *name,
                              const MessageSchema &schema,
                              bool repeated = false, FieldLimit limit = {}) {
  return {.number = number,
          .name = name,
          .kind = FieldKind::Message,
          .repeated = repeated,
          .message = &schema,
          .limit = limit};
}

const FieldSchema dimFields[] = {number(1, "size"), text(2, "name")};
const FieldSchema shapeFields[] = {message(2, "dim", dim, true, rankLimit),
                                   number(3, "unknown_rank")};
const FieldSchema tensorFields[] = {
    number(1, "dtype"),
    message(2, "tensor_shape", shape),
    field(4, "tensor_content", FieldKind::Bytes, false, {}, FieldUse::Payload),
    field(5, "float_val", FieldKind::Fixed32, true, valueLimit),
    field(6, "double_val", FieldKind::Fixed64, true, valueLimit),
    field(7, "int_val", FieldKind::Varint, true, valueLimit),
    field(8, "string_val", FieldKind::Bytes, true, listLimit),
    field(9, "scomplex_val", FieldKind::Fixed32, true, valueLimit),
    field(10, "int64_val", FieldKind::Varint, true, valueLimit),
    field(11, "bool_val", FieldKind::Varint, true, valueLimit),
    field(12, "dcomplex_val", FieldKind::Fixed64, true, valueLimit),
    field(13, "half_val", FieldKind::Varint, true, valueLimit),
    field(16, "uint32_val", FieldKind::Varint, true, valueLimit),
    field(17, "uint64_val", FieldKind::Varint, true, valueLimit)};
const FieldSchema funcFields[] = {text(1, "name")};
const FieldSchema listFields[] = {
    field(2, "s", FieldKind::Bytes, true, listLimit),
    field(3, "i", FieldKind::Varint, true, listLimit),
    field(4, "f", FieldKind::Fixed32, true, listLimit),
    field(5, "b", FieldKind::Varint, true, listLimit),
    field(6, "type", FieldKind::Varint, true, listLimit),
    message(7, "shape", shape, true, listLimit)};
const FieldSchema attrFields[] = {
    message(1, "list", list),
    field(2, "s", FieldKind::Bytes, false, {uint64_t(64) << 20, "a string"}),
    number(3, "i"),
    field(4, "f", FieldKind::Fixed32),
    number(5, "b"),
    number(6, "type"),
    message(7, "shape", shape),
    message(8, "tensor", tensor),
    text(9, "placeholder"),
    message(10, "func", func)};
const FieldSchema attrEntryFields[] = {text(1, "key"),
                                       message(2, "value", attr)};
const FieldSchema nodeFields[] = {text(1, "name"), text(2, "op"),
                                  text(3, "input", true),
                                  message(5, "attr", attrEntry, true)};
const FieldSchema argFields[] = {text(1, "name"), number(3, "type")};
const FieldSchema opDefFields[] = {
    text(1, "name"), message(2, "input_arg", arg, true, listLimit),
    message(3, "output_arg", arg, true, listLimit)};
const FieldSchema textEntryFields[] = {text(1, "key"), text(2, "value")};
const FieldSchema functionFields[] = {
    message(1, "signature", opDef), message(3, "node_def", node, true),
    message(4, "ret", textEntry, true),
    message(6, "control_ret", textEntry, true)};
const FieldSchema libraryFields[] = {
    message(1, "function", function, true, {65536, "a list"})};
const FieldSchema graphFields[] = {message(1, "node", node, true),
                                   message(2, "library", library)};
const FieldSchema infoFields[] = {text(1, "name"), number(2, "dtype"),
                                  message(3, "tensor_shape", shape)};
const FieldSchema infoEntryFields[] = {text(1, "key"),
                                       message(2, "value", info)};
const FieldSchema signatureFields[] = {
    message(1, "inputs", infoEntry, true, listLimit),
    message(2, "outputs", infoEntry, true, listLimit)};
const FieldSchema signatureEntryFields[] = {text(1, "key"),
                                            message(2, "value", signature)};
const FieldSchema saverFields[] = {text(3, "restore_op_name")};
const FieldSchema metaFields[] = {text(4, "tags", true),
                                  text(5, "tensorflow_version")};
const FieldSchema specFields[] = {text(1, "name"), message(2, "shape", shape),
                                  number(3, "dtype")};
const FieldSchema valueFields[] = {
    message(1, "none_value", valueNone),
    field(11, "float64_value", FieldKind::Fixed64),
    number(12, "int64_value"),
    field(13, "string_value", FieldKind::Bytes),
    number(14, "bool_value"),
    message(33, "tensor_spec_value", spec),
    message(51, "list_value", valueList),
    message(52, "tuple_value", valueList),
    message(53, "dict_value", valueDict),
    message(54, "named_tuple_value", valueTuple)};
const FieldSchema valueListFields[] = {
    message(1, "values", value, true, listLimit)};
const FieldSchema valueEntryFields[] = {text(1, "key"),
                                        message(2, "value", value)};
const FieldSchema valueDictFields[] = {
    message(1, "fields", valueEntry, true, listLimit)};
const FieldSchema valueTupleFields[] = {
    text(1, "name"), message(2, "values", valuePair, true, listLimit)};
const FieldSchema concreteFields[] = {
    field(2, "bound_inputs", FieldKind::Varint, true, listLimit),
    message(3, "canonicalized_input_signature", value),
    message(4, "output_signature", value)};
const FieldSchema concreteEntryFields[] = {text(1, "key"),
                                           message(2, "value", concrete)};
const FieldSchema referenceFields[] = {number(1, "node_id"),
                                       text(2, "local_name")};
const FieldSchema savedFunctionFields[] = {text(1, "concrete_functions", true)};
const FieldSchema savedVariableFields[] = {number(1, "dtype")};
const FieldSchema savedBareFields[] = {text(1, "concrete_function_name")};
const FieldSchema savedConstantFields[] = {text(1, "operation")};
const FieldSchema objectFields[] = {
    message(1, "children", reference, true, listLimit),
    message(6, "function", savedFunction),
    message(7, "variable", savedVariable),
    message(8, "bare_concrete_function", savedBare),
    message(9, "constant", savedConstant)};
const FieldSchema objectGraphFields[] = {
    message(1, "nodes", object, true, listLimit),
    message(2, "concrete_functions", concreteEntry, true, {65536, "a list"})};
const FieldSchema serializedFields[] = {text(1, "name"),
                                        text(3, "checkpoint_key")};
const FieldSchema trackableFields[] = {
    message(1, "children", reference, true, listLimit),
    message(2, "attributes", serialized, true, listLimit)};
const FieldSchema trackableGraphFields[] = {
    message(1, "nodes", trackable, true, listLimit)};
const FieldSchema metaGraphFields[] = {
    message(1, "meta_info_def", meta), message(2, "graph_def", graphSchema),
    message(3, "saver_def", saver),
    message(5, "signature_def", signatureEntry, true, {65536, "a list"}),
    message(7, "object_graph_def", objectGraph)};
const FieldSchema savedModelFields[] = {
    number(1, "saved_model_schema_version"),
    message(2, "meta_graphs", metaGraph, true, {64, "a list"})};

const MessageSchema dim = {"TensorShapeProto.Dim", dimFields};
const MessageSchema shape = {"TensorShapeProto", shapeFields};
const MessageSchema tensor = {"TensorProto",
                              tensorFields,
                              {},
                              /*nests=*/false,
                              /*payloadRecord=*/1000};
const MessageSchema func = {"NameAttrList", funcFields};
const MessageSchema list = {"AttrValue.ListValue", listFields};
const MessageSchema attr = {"AttrValue", attrFields};
const MessageSchema attrEntry = {"NodeDef.AttrEntry", attrEntryFields};
const MessageSchema node = {"NodeDef", nodeFields, {maxNodes, "nodes"}};
const MessageSchema arg = {"OpDef.ArgDef", argFields};
const MessageSchema opDef = {"OpDef", opDefFields};
const MessageSchema textEntry = {"FunctionDef.RetEntry", textEntryFields};
const MessageSchema function = {"FunctionDef", functionFields};
const MessageSchema library = {"FunctionDefLibrary", libraryFields};
const MessageSchema info = {"TensorInfo", infoFields};
const MessageSchema infoEntry = {"SignatureDef.Entry", infoEntryFields};
const MessageSchema signature = {"SignatureDef", signatureFields};
const MessageSchema signatureEntry = {"MetaGraphDef.SignatureDefEntry",
                                      signatureEntryFields};
const MessageSchema saver = {"SaverDef", saverFields};
const MessageSchema meta = {"MetaInfoDef", metaFields};
const MessageSchema spec = {"TensorSpecProto", specFields};
const MessageSchema value = {
    "StructuredValue", valueFields, {}, /*nests=*/true};
const MessageSchema valueNone = {"NoneValue", {}};
const MessageSchema valueList = {"ListValue", valueListFields};
const MessageSchema valueEntry = {"DictValue.FieldsEntry", valueEntryFields};
const MessageSchema valueDict = {"DictValue", valueDictFields};
const MessageSchema valuePair = {"PairValue", valueEntryFields};
const MessageSchema valueTuple = {"NamedTupleValue", valueTupleFields};
const MessageSchema concrete = {"SavedConcreteFunction", concreteFields};
const MessageSchema concreteEntry = {"SavedObjectGraph.ConcreteFunctionsEntry",
                                     concreteEntryFields};
const MessageSchema reference = {"ObjectReference", referenceFields};
const MessageSchema savedFunction = {"SavedFunction", savedFunctionFields};
const MessageSchema savedVariable = {"SavedVariable", savedVariableFields};
const MessageSchema savedBare = {"SavedBareConcreteFunction", savedBareFields};
const MessageSchema savedConstant = {"SavedConstant", savedConstantFields};
const MessageSchema object = {"SavedObject", objectFields};
const MessageSchema objectGraph = {"SavedObjectGraph", objectGraphFields};
const MessageSchema serialized = {"SerializedTensor", serializedFields};
const MessageSchema trackable = {"TrackableObject", trackableFields};
const MessageSchema metaGraph = {"MetaGraphDef", metaGraphFields};

} // namespace

const MessageSchema graphSchema = {"GraphDef", graphFields};
const MessageSchema savedModelSchema = {"SavedModel", savedModelFields};
const MessageSchema trackableGraphSchema = {"TrackableObjectGraph",
                                            trackableGraphFields};

} // namespace tenon::tf
