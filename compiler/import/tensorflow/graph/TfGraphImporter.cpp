// Imports a graph backwards from the results. A node is imported after
// everything that it needs. Control edges are followed only to nodes that read
// or write variables.
#include "compiler/import/tensorflow/graph/TfGraphImporter.h"

#include "compiler/import/tensorflow/graph/TfNodeContext.h"
#include "compiler/import/tensorflow/reader/TfCycles.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace tenon::tf {

constexpr uint64_t maxImportedNodes = uint64_t(1) << 20;

OpRegistry::OpRegistry() {
  registerArrayOps(*this);
  registerBlockOps(*this);
  registerElementwiseOps(*this);
  registerGradientOps(*this);
  registerImageGradientOps(*this);
  registerImageOps(*this);
  registerIndexOps(*this);
  registerMatrixOps(*this);
  registerNormOps(*this);
  registerPoolGradientOps(*this);
  registerPoolOps(*this);
  registerRandomOps(*this);
  registerReductionOps(*this);
  registerResizeOps(*this);
  registerScatterOps(*this);
  registerSearchOps(*this);
  addsHandleOps = true;
  registerConditionalOps(*this);
  registerControlOps(*this);
  registerListOps(*this);
  registerOptimizerOps(*this);
  registerVariableOps(*this);
  addsHandleOps = false;
  // Register these last, because they add handlers to ops of other families.
  registerComplexOps(*this);
}

void OpRegistry::addComplex(StringRef op, OpHandler handler) {
  entries.find(op)->second.complex = handler;
}

GraphImporter::GraphImporter(MLIRContext &context, Model &model,
                             const CompileOptions &options,
                             SizeChecker checkSizes,
                             const DiagnosticHandler &report,
                             const llvm::StringSet<> &written)
    : ModelImporter(context, model.path, report), model(model),
      options(options), checkSizes(checkSizes), written(written),
      effects(model) {}

//===-- Messages --------------------------------------------------------===//

std::string GraphImporter::placeIn(const Node &node) const {
  std::string prefix = frames.empty() ? "" : frames.back()->prefix;
  return "node \"" + prefix + node.name + "\" (" + node.op + ")";
}

void GraphImporter::unsupported(const Node &node, const std::string &what) {
  std::string use = node.op + (what.empty() ? "" : ": " + what);
  std::string place = placeIn(node);
  if (!frames.empty() && frames.back()->function)
    place += " in function " + frames.back()->function->name;
  unsupportedUse(use, place);
}

//===-- Nodes -----------------------------------------------------------===//

FailureOr<const Node *>
GraphImporter::producerOf(Frame &frame, const Edge &edge, const Node *user) {
  if (frame.fed.count({edge.node, edge.index}) ||
      frame.arguments.contains(edge.node))
    return nullptr;
  if (const Node *node = frame.body.find(edge.node))
    return node;
  error(user ? placeIn(*user) : "", "nothing produces '" + edge.node + "'");
  return failure();
}

std::optional<Result> GraphImporter::resultOf(Frame &frame, const Edge &edge,
                                              const Node *user) {
  auto fed = frame.fed.find({edge.node, edge.index});
  if (fed != frame.fed.end())
    return fed->second;
  auto argument = frame.arguments.find(edge.node);
  if (argument != frame.arguments.end())
    return argument->second;
  const Node *node = frame.body.find(edge.node);
  const Results &results = frame.done.at(node);
  size_t index = size_t(edge.index);
  if (!edge.output.empty()) {
    SmallVector<StringRef> names;
    if (const OpEntry *entry = registry.find(node->op))
      names = entry->outputs;
    else if (auto f = model.functions.find(node->op);
             f != model.functions.end())
      for (const Argument &output : f->second.outputs)
        names.push_back(output.name);
    auto *found = llvm::find(names, edge.output);
    if (found != names.end())
      index += size_t(found - names.begin());
  }
  if (index < results.size())
    return results[index];
  // The unsupported use has been reported already, and has no results.
  if (results.empty())
    return Result();
  error(user ? placeIn(*user) : "",
        "expected a result of " + placeIn(*node) + " below " +
            std::to_string(results.size()) + ", got " + std::to_string(index));
  return std::nullopt;
}

bool GraphImporter::checkCycles(const Frame &frame,
                                const std::vector<std::string> &starts) {
  std::optional<std::string> cycle =
      findCycle(frame.body, starts, [&](const Edge &edge) {
        return frame.fed.count({edge.node, edge.index}) != 0;
      });
  if (cycle)
    error(frame.function ? "function \"" + frame.function->name + "\"" : "",
          "the graph goes in circles: " + *cycle);
  return !cycle;
}

bool GraphImporter::evaluate(Frame &frame, const Node &start) {
  // Depth first with an explicit stack, because chains of nodes can be long.
  SmallVector<const Node *> path = {&start};
  llvm::SmallPtrSet<const Node *, 16> onPath = {&start};
  if (frame.done.count(&start))
    return true;
  while (!path.empty()) {
    const Node *node = path.back();
    const Node *next = nullptr;
    for (const Edge &edge : needs(frame, *node)) {
      FailureOr<const Node *> producer = producerOf(frame, edge, node);
      if (failed(producer))
        return false;
      if (*producer && !frame.done.count(*producer)) {
        next = *producer;
        break;
      }
    }
    if (!next) {
      if (!import(frame, *node))
        return false;
      onPath.erase(node);
      path.pop_back();
      continue;
    }
    if (onPath.contains(next)) {
      std::string cycle = next->name;
      for (const Node *step : llvm::reverse(path)) {
        cycle += " <- " + step->name;
        if (step == next || cycle.size() > 1000)
          break;
      }
      error(placeIn(*next), "the graph goes in circles: " + cycle);
      return false;
    }
    onPath.insert(next);
    path.push_back(next);
  }
  return true;
}

SmallVector<Edge> GraphImporter::needs(Frame &frame, const Node &node) {
  if (node.op == "Merge" || node.op == "RefMerge") {
    const Conditional *conditional = conditionalOf(frame, node);
    if (!conditional)
      return {};
    SmallVector<Edge> before = {conditional->condition};
    llvm::append_range(before, conditional->outside);
    return before;
  }
  if (node.op != "Exit" && node.op != "RefExit") {
    // Operands come first: a value is read before a node that control edges
    // order before this one changes it.
    SmallVector<Edge> edges(node.inputs.begin(), node.inputs.end());
    for (const Node *earlier :
         effects.before(frame.body, node, [&](const Edge &edge) {
           return frame.fed.count({edge.node, edge.index}) != 0;
         }))
      edges.push_back({earlier->name, "", 0});
    return edges;
  }
  auto [found, isNew] = frame.loops.try_emplace(&node);
  if (isNew)
    found->second = findFrameLoop(frame.body, node);
  SmallVector<Edge> enters;
  if (const std::optional<FrameLoop> &loop = found->second) {
    for (const FrameVariable &variable : loop->variables)
      enters.push_back({variable.enter->name, "", 0});
    for (const Node *constant : loop->constants)
      enters.push_back({constant->name, "", 0});
  }
  return enters;
}

bool GraphImporter::import(Frame &frame, const Node &node) {
  if (frame.done.count(&node))
    return true;
  if (++imported > maxImportedNodes) {
    error(placeIn(node),
          "expected functions to expand to at most " +
              std::to_string(maxImportedNodes) + " nodes, got more",
          Status::Limit);
    return false;
  }
  if (node.op == "Exit" || node.op == "RefExit")
    return importFrameLoop(frame, node);
  if (node.op == "Merge" || node.op == "RefMerge")
    return importMerge(frame, node);
  const OpEntry *entry = registry.find(node.op);
  Results operands;
  bool usable = true;
  for (const Edge &edge : node.inputs) {
    std::optional<Result> operand = resultOf(frame, edge, &node);
    if (!operand)
      return false;
    if (operand->kind == Result::Kind::Reference &&
        (!entry || operands.size() >= entry->references)) {
      g.loc = NameLoc::get(g.ops.getStringAttr(frame.prefix + node.name));
      Value value = variable(*operand->variable);
      if (hasErrors())
        return false;
      *operand = value ? Result::tensor(value) : Result();
    }
    usable &= operand->kind != Result::Kind::Nothing;
    operands.push_back(*operand);
  }
  Results &results = frame.done[&node];
  auto function = model.functions.find(node.op);
  if (!entry && function == model.functions.end()) {
    unsupported(node, "");
    return true;
  }
  if (!usable) {
    noteUnsupported(node);
    return true;
  }
  g.loc = FusedLoc::get(
      {NameLoc::get(StringAttr::get(&context, frame.prefix + node.name))},
      StringAttr::get(&context, node.op), &context);
  if (!entry) {
    FailureOr<Results> called = call(node, node.op, operands);
    if (failed(called))
      return false;
    frame.done[&node] = *called;
    return true;
  }
  if (operands.size() < entry->minInputs ||
      operands.size() > entry->maxInputs) {
    error(placeIn(node), "expected " + std::to_string(entry->minInputs) +
                             (entry->maxInputs == kMany ? " or more" : "") +
                             " operands, got " +
                             std::to_string(operands.size()));
    return false;
  }
  NodeContext c(*this, node, operands);
  Location loc = g.loc;
  OpHandler handler = entry->handler;
  bool takesAll = entry->takesHandles;
  if (entry->complex && llvm::any_of(operands, [](const Result &operand) {
        return operand.kind == Result::Kind::Complex;
      })) {
    handler = entry->complex;
    takesAll = true;
  }
  for (size_t i = 0; !takesAll && i < operands.size(); ++i)
    if (failed(c.expectTensor(i)))
      return true;
  bool done = succeeded(handler(c));
  g.loc = loc;
  if (hasErrors())
    return false;
  if (done)
    results = std::move(c.results);
  for (Result &result : results)
    for (Value value : {result.value, result.imaginary})
      if (value && !GraphBuilder::typeOf(value).hasStaticShape())
        (void)g.sizes(value);
  return true;
}

//===-- The module ------------------------------------------------------===//

OwningOpRef<ModuleOp> GraphImporter::run() {
  begin("TensorFlow" + (model.version.empty() ? "" : " " + model.version));
  std::optional<Entries> entries = chooseEntries();
  if (!entries)
    return {};
  isOnly = entries->size() == 1;
  for (const Entry &entry : *entries)
    reserveSymbol(entry.name);
  for (const Entry &entry : *entries) {
    nameBatches(entry);
    if (!buildEntry(entry))
      return {};
  }
  if (!checkOptionsTaken())
    return {};
  return finish();
}

} // namespace tenon::tf

namespace tenon {

OwningOpRef<ModuleOp> importTensorFlow(MLIRContext &context, tf::Model &model,
                                       const CompileOptions &options,
                                       SizeChecker checkSizes,
                                       const DiagnosticHandler &report) {
  loadImportDialects(context);
  // A variable that any node writes is a state for all nodes. So start again if
  // a write is found after the variable was imported as a constant.
  llvm::StringSet<> written;
  while (true) {
    tf::GraphImporter importer(context, model, options, checkSizes, report,
                               written);
    OwningOpRef<ModuleOp> module = importer.run();
    if (!module || importer.newlyWritten.empty())
      return module;
    for (const auto &key : importer.newlyWritten)
      written.insert(key.getKey());
  }
}

} // namespace tenon
