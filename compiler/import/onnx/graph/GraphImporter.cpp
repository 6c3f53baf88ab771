// Imports graphs, subgraphs and local functions node by node. Every node must
// be known, and every declared type must agree with the inferred one.
// Unsupported uses are recorded, their users skipped, and all of them reported
// at the end.
#include "compiler/import/onnx/graph/GraphImporter.h"

#include "dialects/tenon/SizeLimit.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace tenon::onnx {

/// The limits of a value's rank and bytes. Computations of byte sizes cannot
/// overflow within them.
static constexpr int64_t maxRank = 64;
static constexpr int64_t maxTensorBytes = int64_t(1) << 46;

GraphImporter::GraphImporter(MLIRContext &context, const Model &model,
                             const ImportOptions &options,
                             const DiagnosticHandler &report)
    : ModelImporter(context, model.path, report), model(model),
      options(options), opsets(&model.opsets) {
  registerAllOps(registry);
}

void GraphImporter::explain(Diagnostic &diagnostic) const {
  for (const Call &call : llvm::reverse(calls))
    diagnostic.details.push_back("in function " + call.function->name +
                                 ", called as " + namePrefix);
}

void GraphImporter::unsupported(const Node *node, const std::string &place,
                                const std::string &what) {
  std::string use = node ? node->opType : std::string();
  if (node && !node->domain.empty())
    use += " (domain " + node->domain + ")";
  if (!what.empty())
    use += (use.empty() ? "" : ": ") + what;
  unsupportedUse(use, place);
}

const Attribute *GraphImporter::attribute(const Node &node,
                                          StringRef name) const {
  const Attribute *found = node.find(std::string_view(name));
  if (!found || found->refName.empty())
    return found;
  if (calls.empty())
    return nullptr;
  return calls.back().attributes.lookup(found->refName);
}

int64_t GraphImporter::versionOf(StringRef domain) const {
  auto found = opsets->find(domain.str());
  return found == opsets->end() ? 1 : found->second;
}

Location GraphImporter::locationOf(const Node &node) const {
  Location name =
      NameLoc::get(StringAttr::get(&context, namePrefix + node.name));
  return FusedLoc::get({name}, StringAttr::get(&context, node.opType),
                       &context);
}

std::optional<GraphImporter::Bound>
GraphImporter::lookup(StringRef name) const {
  for (size_t i = scopes.size(); i > visibleFrom; --i)
    if (auto found = scopes[i - 1].find(name); found != scopes[i - 1].end())
      return found->second;
  return std::nullopt;
}

void GraphImporter::bind(StringRef name, Bound what) {
  if (!name.empty())
    scopes.back()[name] = what;
}

//===-- Nodes -----------------------------------------------------------===//

bool GraphImporter::checkKnownOps(const Node &node) {
  int64_t version = versionOf(node.domain);
  bool known = model.findFunction(node.domain, node.opType) ||
               registry.find(node.domain, node.opType, version);
  if (!known)
    unsupported(&node, placeOf(node),
                registry.whyMissing(node.domain, node.opType, version));
  for (const auto &[name, attribute] : node.attributes)
    if (const Graph *body = node.graph(name))
      for (const Node &inner : body->nodes)
        known &= checkKnownOps(inner);
  return known;
}

bool GraphImporter::checkArity(const Node &node, const OpEntry &entry) {
  auto check = [&](size_t found, Arity allowed, const char *what) {
    if (found >= allowed.min && found <= allowed.max)
      return true;
    std::string wanted = std::to_string(allowed.min);
    if (allowed.max == kMany)
      wanted += " or more";
    else if (allowed.max != allowed.min)
      wanted += " to " + std::to_string(allowed.max);
    error(placeOf(node),
          "expected " + wanted + " " + what + ", got " + std::to_string(found));
    return false;
  };
  // Trailing results without a name may be missing from the list.
  return check(node.inputs.size(), entry.inputs, "operands") &&
         check(node.outputs.size(), Arity(0, entry.outputs.max), "results");
}

/// A declared type as text, such as `f32[2,batch]`.
static std::string textOfDeclared(const Type &type) {
  std::string text = elementTypeName(type.element);
  if (!type.shape)
    return text;
  text += "[";
  for (const Dim &dim : *type.shape) {
    if (text.back() != '[')
      text += ",";
    if (dim.kind == Dim::Kind::Static)
      text += std::to_string(dim.size);
    else
      text += dim.kind == Dim::Kind::Symbolic ? dim.symbol : "?";
  }
  return text + "]";
}

bool GraphImporter::checkDeclared(const std::string &place, StringRef name,
                                  Value value, const Type &declared) {
  bool agrees = true;
  if (declared.kind == Type::Kind::Unknown)
    return true;
  if (declared.kind != Type::Kind::Tensor) {
    agrees = false;
  } else {
    mlir::Type element = elementTypeOf(&context, declared.element);
    if (declared.element != ElementType::Undefined)
      agrees = element == GraphBuilder::elementOf(value);
    ArrayRef<int64_t> shape = GraphBuilder::shapeOf(value);
    if (declared.shape && declared.shape->size() != shape.size())
      agrees = false;
    else if (declared.shape)
      for (auto [dim, extent] : llvm::zip(*declared.shape, shape))
        if (dim.kind == Dim::Kind::Static && !ShapedType::isDynamic(extent))
          agrees &= dim.size == extent;
  }
  if (!agrees)
    error(place, "value '" + name.str() + "' is declared as " +
                     textOfDeclared(declared) + " but is " + textOf(value));
  return agrees;
}

bool GraphImporter::checkExtent(const std::string &place, StringRef name,
                                mlir::Type type) {
  auto tensor = cast<RankedTensorType>(type);
  auto fail = [&](const std::string &wanted, const std::string &found) {
    error(place,
          "expected value '" + name.str() + "' to have " + wanted + ", got " +
              found,
          Status::Limit);
    return false;
  };
  if (tensor.getRank() > maxRank)
    return fail("a rank of at most " + std::to_string(maxRank),
                std::to_string(tensor.getRank()));
  if (!isWithinSpan(tensor.getShape()))
    return fail("a product of its extents other than zero of at most " +
                    std::to_string(maxSpan),
                textOf(type));
  if (llvm::is_contained(tensor.getShape(), 0))
    return true;
  int64_t bytes = (tensor.getElementTypeBitWidth() + 7) / 8;
  for (int64_t extent : tensor.getShape())
    if (!ShapedType::isDynamic(extent) &&
        (llvm::MulOverflow(bytes, extent, bytes) || bytes > maxTensorBytes))
      return fail("at most " + std::to_string(maxTensorBytes) + " bytes",
                  textOf(type));
  return true;
}

bool GraphImporter::importNode(const Node &node,
                               const llvm::StringMap<const Type *> &infos) {
  auto giveUp = [&] {
    for (const std::string &output : node.outputs)
      bind(output, {Value(), false});
    return !hasErrors();
  };
  if (const Function *function = model.findFunction(node.domain, node.opType))
    return callFunction(node, *function);
  const OpEntry *entry =
      registry.find(node.domain, node.opType, versionOf(node.domain));
  SmallVector<Value> operands;
  bool usable = entry != nullptr;
  for (const std::string &input : node.inputs) {
    std::optional<Bound> found = input.empty() ? Bound() : lookup(input);
    if (!found) {
      error(placeOf(node), "nothing produces operand '" + input + "'");
      return false;
    }
    usable &= found->isUsable;
    operands.push_back(found->value);
  }
  if (!usable) {
    checkKnownOps(node);
    return giveUp();
  }
  if (!checkArity(node, *entry))
    return false;
  g.loc = locationOf(node);
  NodeContext ctx(*this, node, versionOf(node.domain), operands, infos);
  bool done = succeeded(entry->handler(ctx));
  if (hasErrors())
    return false;
  if (!done)
    return giveUp();
  for (const auto &[name, attribute] : node.attributes)
    if (!ctx.asked.contains(name)) {
      error(placeOf(node), "unknown attribute '" + name + "'");
      return false;
    }
  for (auto [i, output] : llvm::enumerate(node.outputs)) {
    if (output.empty())
      continue;
    Value value = ctx.results[i];
    if (!value) {
      unsupported(&node, placeOf(node), "result " + std::to_string(i));
      return giveUp();
    }
    if (!checkExtent(placeOf(node), output, value.getType()))
      return false;
    // Trace the sizes now, while the chain of ops to known extents is short.
    if (!GraphBuilder::typeOf(value).hasStaticShape())
      (void)g.sizes(value);
    if (auto declared = infos.find(output);
        declared != infos.end() &&
        !checkDeclared(placeOf(node), output, value, *declared->second))
      return false;
    bind(output, {value});
  }
  return true;
}

bool GraphImporter::importNodes(ArrayRef<Node> nodes, const Graph *graph) {
  llvm::StringMap<const Type *> infos;
  if (graph) {
    for (const ValueInfo &info : graph->valueInfo)
      infos[info.name] = &info.type;
    for (const ValueInfo &info : graph->outputs)
      infos[info.name] = &info.type;
  }
  llvm::SaveAndRestore around(nodesAround, nodes);
  llvm::SaveAndRestore within(graphAround, graph);
  for (const Node &node : nodes)
    if (!importNode(node, infos))
      return false;
  return true;
}

bool GraphImporter::callFunction(const Node &node, const Function &function) {
  if (node.inputs.size() > function.inputs.size() ||
      node.outputs.size() > function.outputs.size()) {
    error(placeOf(node),
          "expected at most " + std::to_string(function.inputs.size()) +
              " operands and " + std::to_string(function.outputs.size()) +
              " results, got " + std::to_string(node.inputs.size()) + " and " +
              std::to_string(node.outputs.size()));
    return false;
  }
  Scope inner;
  for (auto [i, name] : llvm::enumerate(function.inputs)) {
    bool given = i < node.inputs.size() && !node.inputs[i].empty();
    std::optional<Bound> value = given ? lookup(node.inputs[i]) : Bound();
    if (!value) {
      error(placeOf(node), "nothing produces operand '" + node.inputs[i] + "'");
      return false;
    }
    inner[name] = *value;
  }
  Call call{&function, {}};
  for (const std::string &name : function.attributes)
    if (const Attribute *given = attribute(node, name))
      call.attributes[name] = given;
  std::string outerPrefix = namePrefix;
  auto *outerOpsets = opsets;
  size_t outerVisible = visibleFrom;
  namePrefix += node.name + "/";
  opsets = &function.opsets;
  visibleFrom = scopes.size();
  scopes.push_back(std::move(inner));
  calls.push_back(std::move(call));
  bool done = importNodes(function.nodes, nullptr);
  SmallVector<Bound> results;
  for (const std::string &name : function.outputs)
    results.push_back(lookup(name).value_or(Bound{Value(), false}));
  calls.pop_back();
  scopes.pop_back();
  visibleFrom = outerVisible;
  opsets = outerOpsets;
  namePrefix = outerPrefix;
  if (!done)
    return false;
  for (auto [name, result] : llvm::zip(node.outputs, results))
    bind(name, result);
  return true;
}

FailureOr<SmallVector<Value>>
GraphImporter::importBody(const Graph &graph, ArrayRef<Value> inputs) {
  Location outer = g.loc;
  scopes.emplace_back();
  llvm::scope_exit leave([&] {
    scopes.pop_back();
    g.loc = outer;
  });
  for (auto [info, value] : llvm::zip(graph.inputs, inputs)) {
    if (!checkDeclared("subgraph '" + graph.name + "'", info.name, value,
                       info.type))
      return failure();
    bind(info.name, {value});
  }
  if (!importInitializers(graph) || !importNodes(graph.nodes, &graph))
    return failure();
  SmallVector<Value> results;
  for (const ValueInfo &output : graph.outputs) {
    std::optional<Bound> value = lookup(output.name);
    if (!value) {
      error("subgraph '" + graph.name + "'",
            "nothing produces output '" + output.name + "'");
      return failure();
    }
    if (!value->isUsable)
      return failure();
    results.push_back(value->value);
  }
  return results;
}

//===-- The model -------------------------------------------------------===//

bool GraphImporter::buildMain() {
  const Graph &graph = model.graph;
  llvm::StringSet<> constants;
  for (const Tensor &tensor : graph.initializers)
    constants.insert(tensor.name);
  for (const SparseTensor &tensor : graph.sparseInitializers)
    constants.insert(tensor.values.name);
  SmallVector<const ValueInfo *> inputs;
  for (const ValueInfo &input : graph.inputs)
    if (!constants.contains(input.name))
      inputs.push_back(&input);
  SmallVector<EntryArgument> arguments;
  if (!buildSignature(inputs, arguments))
    return false;
  func::FuncOp main = beginEntry("main", arguments);
  scopes.emplace_back();
  for (auto [input, value] : llvm::zip(inputs, main.getArguments()))
    bind(input->name, {value});
  if (!importInitializers(graph) || !importNodes(graph.nodes, &graph))
    return false;

  SmallVector<Value> results;
  SmallVector<std::string> names;
  for (const ValueInfo &output : graph.outputs) {
    names.push_back(output.name);
    std::optional<Bound> value = lookup(output.name);
    std::string place = "output '" + output.name + "'";
    if (!value) {
      error(place, "nothing produces it");
      return false;
    }
    if (!value->isUsable)
      continue;
    if (!checkDeclared(place, output.name, value->value, output.type))
      return false;
    results.push_back(value->value);
  }
  if (!hasUnsupported())
    endEntry(main, results, names);
  return true;
}

OwningOpRef<ModuleOp> GraphImporter::run() {
  begin(model.producer);
  if (!buildMain())
    return {};
  return finish();
}

} // namespace tenon::onnx
