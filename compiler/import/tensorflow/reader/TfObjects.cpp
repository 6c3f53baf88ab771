// Python's nested structures are flattened in TensorFlow's order: lists and
// tuples by position, dictionaries by key. The saved value of each variable
// comes from the checkpoint's own object graph, which is traversed in parallel
// by member names.
#include "compiler/import/tensorflow/reader/TfObjects.h"

#include "compiler/files/ReadFailure.h"
#include "compiler/import/tensorflow/reader/TensorBundle.h"
#include "compiler/import/tensorflow/reader/TfDecoder.h"
#include "compiler/import/tensorflow/reader/TfEnvelope.h"
#include "compiler/wire/ParseMessage.h"

#include <set>

namespace tenon::tf {

namespace {
constexpr const char *objectGraphKey = "_CHECKPOINTABLE_OBJECT_GRAPH";

std::string textOf(const proto::TensorSpec &spec, DataType type) {
  std::string text = dataTypeName(type) + "[";
  if (spec.shape().unknown_rank())
    return text + "...]";
  for (int i = 0; i < spec.shape().dim_size(); ++i) {
    int64_t size = spec.shape().dim(i).size();
    text += (i ? "," : "") + (size < 0 ? "?" : std::to_string(size));
  }
  return text + "]";
}

/// Collects the tensors of a function's arguments.
class Arguments {
public:
  Arguments(ConcreteFunction &function, std::string place)
      : function(function), place(std::move(place)) {}

  void add(const proto::StructuredValue &value, const std::string &name) {
    switch (value.kind_case()) {
    case proto::StructuredValue::kTensorSpecValue: {
      const proto::TensorSpec &spec = value.tensor_spec_value();
      Port port;
      port.name = spec.name().empty() ? name : spec.name();
      std::string where = place + ", " + quoted(port.name);
      port.type = decodeType(spec.dtype(), where);
      port.shape = decodeShape(spec.shape(), where);
      say(port.name, textOf(spec, port.type));
      function.inputs.push_back(std::move(port));
      return;
    }
    case proto::StructuredValue::kListValue:
      return addList(value.list_value(), name);
    case proto::StructuredValue::kTupleValue:
      return addList(value.tuple_value(), name);
    case proto::StructuredValue::kDictValue: {
      std::map<std::string, const proto::StructuredValue *> sorted;
      for (const auto &[key, field] : value.dict_value().fields())
        sorted[key] = &field;
      for (const auto &[key, field] : sorted)
        add(*field, key);
      return;
    }
    case proto::StructuredValue::kNamedTupleValue:
      for (const auto &pair : value.named_tuple_value().values())
        add(pair.value(), pair.key());
      return;
    case proto::StructuredValue::kNoneValue:
      return;
    case proto::StructuredValue::kBoolValue:
      function.hasTrueFlag |= value.bool_value();
      return say(name, value.bool_value() ? "true" : "false");
    case proto::StructuredValue::kInt64Value:
      return say(name, std::to_string(value.int64_value()));
    case proto::StructuredValue::kFloat64Value:
      return say(name, std::to_string(value.float64_value()));
    case proto::StructuredValue::kStringValue:
      return say(name, quoted(value.string_value()));
    default:
      function.isComplete = false;
    }
  }

private:
  void addList(const proto::StructuredValue::List &list,
               const std::string &name) {
    for (int i = 0; i < list.values_size(); ++i)
      add(list.values(i),
          name.empty() ? std::string() : name + "_" + std::to_string(i));
  }
  void say(const std::string &name, const std::string &text) {
    function.arguments += (function.arguments.empty() ? "" : ", ") +
                          (name.empty() ? "" : name + ": ") + text;
  }

  ConcreteFunction &function;
  std::string place;
};

/// Collects names for the tensors of a function's results: the keys of
/// dictionaries, else numbers.
void nameOutputs(const proto::StructuredValue &value, const std::string &name,
                 std::vector<std::string> &names) {
  auto list = [&](const auto &values) {
    for (int i = 0; i < values.size(); ++i)
      nameOutputs(values.Get(i),
                  (name.empty() ? "output" : name) + "_" + std::to_string(i),
                  names);
  };
  switch (value.kind_case()) {
  case proto::StructuredValue::kListValue:
    return list(value.list_value().values());
  case proto::StructuredValue::kTupleValue:
    return list(value.tuple_value().values());
  case proto::StructuredValue::kDictValue: {
    std::map<std::string, const proto::StructuredValue *> sorted;
    for (const auto &[key, field] : value.dict_value().fields())
      sorted[key] = &field;
    for (const auto &[key, field] : sorted)
      nameOutputs(*field, key, names);
    return;
  }
  case proto::StructuredValue::kNamedTupleValue:
    for (const auto &pair : value.named_tuple_value().values())
      nameOutputs(pair.value(), pair.key(), names);
    return;
  case proto::StructuredValue::kTensorSpecValue:
    names.push_back(name.empty() ? "output_0" : name);
    return;
  default:
    return;
  }
}

/// Makes the names unique, and replaces empty ones.
void makeUnique(std::vector<std::string *> names) {
  std::set<std::string> used;
  for (std::string *name : names)
    while (name->empty() || !used.insert(*name).second)
      *name += name->empty() ? "input" : "_";
}

ConcreteFunction decodeFunction(const std::string &name,
                                const proto::SavedConcreteFunction &from,
                                const Model &model) {
  ConcreteFunction result;
  result.captures.assign(from.bound_inputs().begin(),
                         from.bound_inputs().end());
  Arguments(result, "function " + quoted(name))
      .add(from.canonicalized_input_signature(), "");
  nameOutputs(from.output_signature(), "", result.outputs);
  auto found = model.functions.find(name);
  if (found == model.functions.end()) {
    result.isComplete = false;
    return result;
  }
  const Function &function = found->second;
  result.isComplete &=
      function.inputs.size() == result.inputs.size() + result.captures.size();
  // The graph function has the right number of results. If it differs, use its
  // own names.
  if (result.outputs.size() != function.outputs.size()) {
    result.outputs.clear();
    for (const Argument &output : function.outputs)
      result.outputs.push_back(output.name);
  }
  std::vector<std::string *> inputs, outputs;
  for (size_t i = 0; i < result.inputs.size(); ++i) {
    Port &port = result.inputs[i];
    if (port.name.empty() && i < function.inputs.size())
      port.name = function.inputs[i].name;
    inputs.push_back(&port.name);
  }
  for (std::string &output : result.outputs)
    outputs.push_back(&output);
  makeUnique(inputs);
  makeUnique(outputs);
  return result;
}

/// Sets the variables' keys to those of the checkpoint's objects.
void findKeys(const proto::SavedObjectGraph &saved, Model &model) {
  if (!model.bundle || !model.bundle->contains(objectGraphKey))
    return;
  std::string bytes = model.bundle->text(objectGraphKey);
  proto::TrackableObjectGraph tracked;
  wire::parseMessage(std::as_bytes(std::span(bytes)), trackableGraphSchema,
                     "an object graph", tracked);
  std::set<std::pair<int, int>> seen;
  std::vector<std::pair<int, int>> open;
  auto visit = [&](int a, int b) {
    if (a >= 0 && a < saved.nodes_size() && b >= 0 &&
        b < tracked.nodes_size() && seen.insert({a, b}).second)
      open.push_back({a, b});
  };
  visit(0, 0);
  while (!open.empty()) {
    auto [a, b] = open.back();
    open.pop_back();
    const proto::TrackableObject &node = tracked.nodes(b);
    if (saved.nodes(a).has_variable() && node.attributes_size() > 0)
      model.objects[size_t(a)].variableKey =
          node.attributes(0).checkpoint_key();
    std::map<std::string, int> children;
    for (const auto &child : node.children())
      children[child.local_name()] = child.node_id();
    for (const auto &child : saved.nodes(a).children())
      if (auto found = children.find(child.local_name());
          found != children.end())
        visit(child.node_id(), found->second);
  }
}
} // namespace

void decodeObjects(const proto::SavedObjectGraph &graph, Model &model) {
  for (const proto::SavedObject &from : graph.nodes()) {
    Object object;
    for (const auto &child : from.children()) {
      if (child.node_id() < 0 || child.node_id() >= graph.nodes_size())
        fail("", "an object has a member that is none");
      object.members[child.local_name()] = child.node_id();
    }
    if (from.has_function())
      object.functions.assign(from.function().concrete_functions().begin(),
                              from.function().concrete_functions().end());
    if (from.has_bare_concrete_function())
      object.functions = {
          from.bare_concrete_function().concrete_function_name()};
    object.constant = from.constant().operation();
    model.objects.push_back(std::move(object));
  }
  for (const auto &[name, function] : graph.concrete_functions())
    model.concreteFunctions[name] = decodeFunction(name, function, model);
  findKeys(graph, model);
}

} // namespace tenon::tf
