// The walk: from what is wanted back to what is given. A node is imported when
// all it needs has been; control edges only tell whether variables would be
// written.
#include "compiler/import/tensorflow/TfGraphImporter.h"

#include "compiler/import/ReaderDoor.h"
#include "compiler/import/tensorflow/TensorBundle.h"
#include "compiler/import/tensorflow/TfLoops.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace tenon::tf {

constexpr size_t maxCallDepth = 64;
constexpr uint64_t maxImportedNodes = uint64_t(1) << 20;
/// Constants up to these sizes stand in the IR; integers may denote shapes.
constexpr uint64_t maxInlineFloatBytes = 512;
constexpr uint64_t maxInlineIntegerBytes = 8192;

OpRegistry::OpRegistry() {
  registerArrayOps(*this);
  registerControlOps(*this);
  registerElementwiseOps(*this);
  registerImageOps(*this);
  registerIndexOps(*this);
  registerListOps(*this);
  registerMatrixOps(*this);
  registerReductionOps(*this);
  registerVariableOps(*this);
}

GraphImporter::GraphImporter(MLIRContext &context, Model &model,
                             const CompileOptions &options,
                             const DiagnosticHandler &report)
    : g(&context), shapes(g), context(context), model(model), options(options),
      report(report) {}

//===-- Messages --------------------------------------------------------===//

void GraphImporter::error(const std::string &place, const std::string &text,
                          Status status, std::string help) {
  failedAlready = true;
  report({.file = model.path,
          .place = place,
          .text = text,
          .help = std::move(help),
          .status = status});
}

std::string GraphImporter::placeIn(const Node &node) const {
  std::string prefix = frames.empty() ? "" : frames.back()->prefix;
  return "node \"" + prefix + node.name + "\" (" + node.op + ")";
}

void GraphImporter::unsupported(const Node &node, const std::string &what) {
  std::string use = node.op + (what.empty() ? "" : ": " + what);
  auto [found, isNew] = unsupportedUses.try_emplace(use, placeIn(node), 0);
  if (isNew)
    unsupportedOrder.push_back(use);
  ++found->second.second;
}

void GraphImporter::reportUnsupported() {
  int64_t total = 0;
  Diagnostic diagnostic;
  for (const std::string &use : unsupportedOrder) {
    auto &[place, count] = unsupportedUses[use];
    total += count;
    diagnostic.details.push_back(
        use +
        (count > 1 ? ", " + std::to_string(count) + " times, first at "
                   : ", at ") +
        place);
  }
  diagnostic.file = model.path;
  diagnostic.text = "the model uses what is not supported, in " +
                    std::to_string(total) + (total == 1 ? " place" : " places");
  diagnostic.status = Status::Unsupported;
  failedAlready = true;
  report(diagnostic);
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
  // What is unsupported has been told already, and has no results.
  if (results.empty())
    return Result();
  error(user ? placeIn(*user) : "",
        "expected a result of " + placeIn(*node) + " below " +
            std::to_string(results.size()) + ", got " + std::to_string(index));
  return std::nullopt;
}

bool GraphImporter::evaluate(Frame &frame, const Node &start) {
  // Depth first, without recursion: chains are as long as models like.
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
  if (node.op != "Exit" && node.op != "RefExit")
    return SmallVector<Edge>(node.inputs.begin(), node.inputs.end());
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

bool GraphImporter::importFrameLoop(Frame &frame, const Node &exit) {
  const std::optional<FrameLoop> loop = frame.loops.at(&exit);
  frame.done[&exit] = {};
  if (!loop) {
    unsupported(exit, "a frame that is no loop");
    return true;
  }
  Results start;
  for (const FrameVariable &variable : loop->variables) {
    const Results &enter = frame.done.at(variable.enter);
    if (enter.empty() || enter[0].kind == Result::Kind::Nothing)
      return true;
    start.push_back(enter[0]);
  }
  g.loc = FusedLoc::get(
      {NameLoc::get(StringAttr::get(&context, frame.prefix + exit.name))},
      StringAttr::get(&context, exit.op), &context);
  // An iteration's nodes: what is outside has been imported, what is inside is
  // imported anew for the variables' values in it. Switch has the value where
  // the loop ends, then where it goes on.
  auto inside = [&](ArrayRef<Result> variables,
                    ArrayRef<const Node *> wanted) -> FailureOr<Results> {
    Frame iteration = frame;
    for (auto [variable, value] : llvm::zip(loop->variables, variables)) {
      iteration.done[variable.merge] = {value};
      iteration.done[variable.fork] = {Result(), value};
    }
    frames.push_back(&iteration);
    llvm::scope_exit leave([&] { frames.pop_back(); });
    Results results;
    for (const Node *node : wanted) {
      const Edge &edge = node->inputs[0];
      FailureOr<const Node *> producer = producerOf(iteration, edge, node);
      if (failed(producer) || (*producer && !evaluate(iteration, **producer)))
        return failure();
      std::optional<Result> result = resultOf(iteration, edge, node);
      if (!result)
        return failure();
      results.push_back(*result);
    }
    return results;
  };
  SmallVector<const Node *> next;
  for (const FrameVariable &variable : loop->variables)
    next.push_back(variable.next);
  NodeContext c(*this, exit, {});
  FailureOr<Results> last = importLoop(
      c, start,
      [&](ArrayRef<Result> variables) {
        return inside(variables, {loop->condition});
      },
      [&](ArrayRef<Result> variables) { return inside(variables, next); });
  if (failedAlready)
    return false;
  for (auto [i, variable] : llvm::enumerate(loop->variables))
    if (variable.exit) {
      Results &results = frame.done[variable.exit];
      results.clear();
      if (succeeded(last))
        results.push_back((*last)[i]);
    }
  return true;
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
  Results operands;
  bool usable = true;
  for (const Edge &edge : node.inputs) {
    std::optional<Result> operand = resultOf(frame, edge, &node);
    if (!operand)
      return false;
    usable &= operand->kind != Result::Kind::Nothing;
    operands.push_back(*operand);
  }
  Results &results = frame.done[&node];
  auto function = model.functions.find(node.op);
  const OpEntry *entry = registry.find(node.op);
  if (!entry && function == model.functions.end()) {
    unsupported(node, "");
    return true;
  }
  if (!usable)
    return true;
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
  bool done = succeeded(entry->handler(c));
  g.loc = loc;
  if (failedAlready)
    return false;
  if (done)
    results = std::move(c.results);
  for (Result &result : results)
    if (result.value && !GraphBuilder::typeOf(result.value).hasStaticShape())
      (void)g.sizes(result.value);
  return true;
}

//===-- Functions -------------------------------------------------------===//

/// Whether running the node changes a variable, a table or the world.
static bool changesState(const Node &node) {
  StringRef op = node.op;
  return op.starts_with("Assign") || op.starts_with("ResourceApply") ||
         op.starts_with("ResourceScatter") || op.starts_with("Apply") ||
         op.starts_with("Scatter") && op != "ScatterNd" || op == "WriteFile" ||
         op == "SaveV2" || op == "RestoreV2";
}

const Function *GraphImporter::functionNamed(const Node &site, StringRef name) {
  auto found = model.functions.find(name.str());
  if (found != model.functions.end())
    return &found->second;
  error(placeIn(site), "there is no function '" + name.str() + "'");
  return nullptr;
}

FailureOr<Results> GraphImporter::call(const Node &site, StringRef name,
                                       ArrayRef<Result> operands) {
  const Function *function = functionNamed(site, name);
  if (!function)
    return failure();
  std::string path;
  for (const Frame *frame : frames) {
    path += (frame->function ? frame->function->name : "graph") + " -> ";
    if (frame->function == function) {
      error(placeIn(site), "function calls itself: " + path + name.str());
      return failure();
    }
  }
  if (frames.size() > maxCallDepth) {
    error(placeIn(site),
          "expected calls at most " + std::to_string(maxCallDepth) +
              " deep, got more",
          Status::Limit);
    return failure();
  }
  if (operands.size() != function->inputs.size()) {
    error(placeIn(site), "expected " + std::to_string(function->inputs.size()) +
                             " operands for function " + name.str() + ", got " +
                             std::to_string(operands.size()));
    return failure();
  }
  Frame frame{function->body,
              function,
              (frames.empty() ? "" : frames.back()->prefix) + site.name + "/",
              {},
              {},
              {}};
  for (auto [argument, operand] : llvm::zip(function->inputs, operands))
    frame.arguments[argument.name] = operand;
  frames.push_back(&frame);
  llvm::scope_exit leave([&] { frames.pop_back(); });
  // Whatever a function does to variables happens whether or not a result
  // depends on it.
  for (const Node &node : function->body.nodes)
    if (changesState(node))
      unsupported(node, "changing state");
  Results results;
  for (const Argument &output : function->outputs) {
    auto edge = function->results.find(output.name);
    if (edge == function->results.end()) {
      error(placeIn(site), "function " + name.str() + " does not say what '" +
                               output.name + "' is");
      return failure();
    }
    FailureOr<const Node *> producer = producerOf(frame, edge->second, nullptr);
    if (failed(producer) || (*producer && !evaluate(frame, **producer)))
      return failure();
    std::optional<Result> result = resultOf(frame, edge->second, nullptr);
    if (!result)
      return failure();
    results.push_back(*result);
  }
  return results;
}

//===-- Constants and variables -----------------------------------------===//

/// The constant of `type` whose elements are `bytes`.
static DenseElementsAttr denseOf(RankedTensorType type,
                                 ArrayRef<std::byte> bytes) {
  if (bytes.empty())
    return DenseElementsAttr::get(type, ArrayRef<mlir::Attribute>());
  if (type.getElementType().isInteger(1)) {
    SmallVector<bool> bools;
    for (std::byte element : bytes)
      bools.push_back(element != std::byte(0));
    return DenseElementsAttr::get(type, bools);
  }
  return DenseElementsAttr::getFromRawBuffer(
      type,
      ArrayRef(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
}

Value GraphImporter::weight(StringRef name, const Tensor &tensor) {
  auto type =
      RankedTensorType::get(tensor.dims, elementTypeOf(&context, tensor.type));
  const auto *range = std::get_if<FileRange>(&tensor.payload);
  uint64_t limit = isa<IntegerType>(type.getElementType())
                       ? maxInlineIntegerBytes
                       : maxInlineFloatBytes;
  if (!range || range->length <= limit) {
    std::optional<std::vector<std::byte>> bytes = model.bytes(tensor);
    if (bytes)
      return g.constant(denseOf(type, *bytes));
    error("constant '" + name.str() + "'", "its data can no longer be read",
          Status::Io);
    return {};
  }
  std::string symbol = name.str();
  while (symbol.empty() || symbol == "main" || !symbols.insert(symbol).second)
    symbol += "_";
  auto source = WeightSourceAttr::get(
      &context, g.ops.getStringAttr(model.files[range->file].path),
      range->offset, range->length);
  OpBuilder before(&module->getBody()->front());
  WeightOp::create(before, g.loc, symbol, type, source);
  return g.make<GetWeightOp>(type, symbol);
}

Value GraphImporter::constant(const Node &node, const Tensor &tensor) {
  if (!elementTypeOf(&context, tensor.type)) {
    unsupported(node, "constants of " + dataTypeName(tensor.type));
    return {};
  }
  return weight(frames.back()->prefix + node.name, tensor);
}

Value GraphImporter::variable(const Node &variable) {
  std::string place = "variable \"" + variable.name + "\"";
  auto key = model.variableKeys.find(variable.name);
  // A checkpoint of TensorFlow 1 may be without a graph that restores it.
  std::string name =
      key == model.variableKeys.end() ? variable.name : key->second;
  if (!model.bundle || !model.bundle->contains(name)) {
    error(place, "no value was saved for it");
    return {};
  }
  if (auto known = variableSymbols.find(name); known != variableSymbols.end())
    if (auto weight = module->lookupSymbol<WeightOp>(known->second))
      return g.make<GetWeightOp>(weight.getType(), known->second);
  std::optional<Tensor> tensor;
  ReaderDoor door(model.path, report);
  if (!door.run([&] { tensor = model.bundle->tensor(name); })) {
    failedAlready = true;
    return {};
  }
  const Attr *attr = variable.find("dtype");
  const auto *declared = attr ? std::get_if<DataType>(attr) : nullptr;
  if (!elementTypeOf(&context, tensor->type)) {
    unsupported(variable, "variables of " + dataTypeName(tensor->type));
    return {};
  }
  if (declared && *declared != tensor->type) {
    error(place, "expected a saved value of " + dataTypeName(*declared) +
                     ", got " + dataTypeName(tensor->type));
    return {};
  }
  Value value = weight(name, *tensor);
  if (auto get = value ? value.getDefiningOp<GetWeightOp>() : GetWeightOp())
    variableSymbols[name] = get.getWeight().str();
  return value;
}

//===-- The entry -------------------------------------------------------===//

bool GraphImporter::addArguments(const Entry &entry, Frame &frame) {
  SmallVector<mlir::Type> types;
  SmallVector<ArrayAttr> dims;
  llvm::StringMap<int64_t> fixed;
  SmallVector<NamedAttribute> ranges;
  llvm::StringSet<> names, usedOptions;
  for (const DimOption &dim : options.dims) {
    if (dim.min == dim.max)
      fixed[dim.name] = dim.min;
    else
      ranges.push_back(g.ops.getNamedAttr(
          dim.name,
          g.ops.getDenseI64ArrayAttr({dim.min, dim.max, dim.multiple})));
  }
  std::string inputNames;
  for (const Port &port : entry.inputs) {
    inputNames += (inputNames.empty() ? "" : ", ") + port.name;
    const ShapeOption *option = nullptr;
    for (const ShapeOption &candidate : options.shapes)
      if (candidate.input == port.name)
        option = &candidate;
    std::string place = "input '" + port.name + "'";
    mlir::Type element = elementTypeOf(&context, port.type);
    if (!element) {
      error(place,
            "inputs of " + dataTypeName(port.type) + " are not supported",
            Status::Unsupported);
      return false;
    }
    Shape shape = port.shape;
    if (!shape.hasRank && option)
      shape = {true, std::vector<int64_t>(option->dims.size(), -1)};
    if (!shape.hasRank) {
      error(place, "its rank is not declared", Status::Unsupported,
            "--shape=" + port.name + ":... declares it");
      return false;
    }
    if (option && option->dims.size() != shape.dims.size()) {
      error("",
            "expected a shape of rank " + std::to_string(shape.dims.size()) +
                " for " + place + ", got " +
                std::to_string(option->dims.size()) + " extents",
            Status::Usage);
      return false;
    }
    SmallVector<int64_t> extents;
    SmallVector<mlir::Attribute> named;
    int64_t bytes = 16;
    for (auto [i, dim] : llvm::enumerate(shape.dims)) {
      // The first extent that is open is the batch, of all inputs together.
      std::string name =
          i == 0 ? "batch" : port.name + "_dim" + std::to_string(i);
      std::optional<int64_t> extent;
      if (dim >= 0)
        extent = dim;
      else if (option && option->dims[i])
        extent = option->dims[i];
      else if (auto found = fixed.find(name); found != fixed.end())
        extent = found->second;
      if (dim < -1 ||
          (extent &&
           llvm::MulOverflow(bytes, std::max<int64_t>(*extent, 1), bytes))) {
        error(place, "expected an extent that fits the address space, got " +
                         std::to_string(dim));
        return false;
      }
      extents.push_back(extent.value_or(ShapedType::kDynamic));
      if (dim < 0)
        names.insert(name);
      if (extent)
        named.push_back(g.ops.getI64IntegerAttr(*extent));
      else
        named.push_back(g.ops.getStringAttr(name));
    }
    types.push_back(RankedTensorType::get(extents, element));
    dims.push_back(g.ops.getArrayAttr(named));
  }
  for (const DimOption &dim : options.dims)
    if (!names.contains(dim.name)) {
      std::string all;
      for (const auto &name : names)
        all += (all.empty() ? "" : ", ") + name.getKey().str();
      error("", "no dimension of an input is named '" + dim.name + "'",
            Status::Usage,
            all.empty() ? "the entry has no open dimension"
                        : "the open dimensions are " + all);
      return false;
    }
  for (const ShapeOption &option : options.shapes)
    if (llvm::none_of(entry.inputs, [&](const Port &port) {
          return port.name == option.input;
        })) {
      error("", "no input is named '" + option.input + "'", Status::Usage,
            "the inputs are " + inputNames);
      return false;
    }
  if (!ranges.empty())
    (*module)->setAttr("tenon.ranges", g.ops.getDictionaryAttr(ranges));
  g.ops.setInsertionPointToEnd(module->getBody());
  auto main = func::FuncOp::create(g.ops, g.loc, "main",
                                   g.ops.getFunctionType(types, {}));
  Block *block = main.addEntryBlock();
  g.ops.setInsertionPointToEnd(block);
  llvm::StringMap<Size> shared;
  for (auto [i, port] : llvm::enumerate(entry.inputs)) {
    main.setArgAttr(i, "tenon.name", g.ops.getStringAttr(port.name));
    main.setArgAttr(i, "tenon.dims", dims[i]);
    Value argument = block->getArgument(i);
    argument.setLoc(NameLoc::get(g.ops.getStringAttr(port.name)));
    Sizes sizes = g.sizes(argument);
    for (auto [dim, size] : llvm::zip(dims[i], sizes))
      if (auto name = dyn_cast<StringAttr>(dim))
        size = shared.try_emplace(name.getValue(), size).first->second;
    g.recordSizes(argument, sizes);
    size_t colon = port.tensor.rfind(':');
    int64_t index = 0;
    if (colon != std::string::npos &&
        StringRef(port.tensor).drop_front(colon + 1).getAsInteger(10, index))
      index = 0;
    frame.fed[{port.tensor.substr(0, colon), index}] = Result::tensor(argument);
  }
  return true;
}

bool GraphImporter::buildMain(const Entry &entry) {
  Frame frame{model.graph, nullptr, "", {}, {}, {}};
  if (!addArguments(entry, frame))
    return false;
  frames.push_back(&frame);
  llvm::scope_exit leave([&] { frames.pop_back(); });
  SmallVector<Value> results;
  llvm::SmallPtrSet<const Node *, 16> reached;
  SmallVector<const Node *> open;
  for (const Port &port : entry.outputs) {
    size_t colon = port.tensor.rfind(':');
    Edge edge{port.tensor.substr(0, colon), "", 0};
    if (colon != std::string::npos)
      StringRef(port.tensor).drop_front(colon + 1).getAsInteger(10, edge.index);
    FailureOr<const Node *> producer = producerOf(frame, edge, nullptr);
    if (failed(producer) || (*producer && !evaluate(frame, **producer)))
      return false;
    std::optional<Result> result = resultOf(frame, edge, nullptr);
    if (!result)
      return false;
    if (*producer && reached.insert(*producer).second)
      open.push_back(*producer);
    if (result->kind == Result::Kind::Tensor) {
      results.push_back(result->value);
    } else if (result->kind != Result::Kind::Nothing) {
      error("output '" + port.name + "'", "expected a tensor",
            Status::Unsupported);
      return false;
    }
  }
  // What happens besides: control edges order it.
  while (!open.empty()) {
    const Node *node = open.pop_back_val();
    if (changesState(*node))
      unsupported(*node, "changing state");
    auto visit = [&](const std::string &name) {
      const Node *next = frame.body.find(name);
      if (next && reached.insert(next).second)
        open.push_back(next);
    };
    for (const Edge &edge : node->inputs)
      if (!frame.fed.count({edge.node, edge.index}))
        visit(edge.node);
    for (const std::string &control : node->controls)
      visit(control);
  }
  if (!unsupportedUses.empty())
    return true;
  auto main = cast<func::FuncOp>(g.ops.getInsertionBlock()->getParentOp());
  g.loc = UnknownLoc::get(&context);
  func::ReturnOp::create(g.ops, g.loc, results);
  main.setFunctionType(g.ops.getFunctionType(main.getArgumentTypes(),
                                             ValueRange(results).getTypes()));
  for (auto [i, port] : llvm::enumerate(entry.outputs))
    main.setResultAttr(i, "tenon.name", g.ops.getStringAttr(port.name));
  return true;
}

OwningOpRef<ModuleOp> GraphImporter::run() {
  module = ModuleOp::create(UnknownLoc::get(&context));
  g.loc = UnknownLoc::get(&context);
  (*module)->setAttr(
      "tenon.producer",
      g.ops.getStringAttr("TensorFlow" +
                          (model.version.empty() ? "" : " " + model.version)));
  (*module)->setAttr("tenon.source", g.ops.getStringAttr(model.path));
  std::optional<Entry> entry = chooseEntry();
  if (!entry || !buildMain(*entry))
    return {};
  if (!unsupportedUses.empty()) {
    reportUnsupported();
    return {};
  }
  for (Operation *op : llvm::reverse(discarded))
    op->erase();
  module->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
  llvm::StringSet<> used;
  module->walk([&](GetWeightOp op) { used.insert(op.getWeight()); });
  for (auto weight : llvm::make_early_inc_range(module->getOps<WeightOp>()))
    if (!used.contains(weight.getSymName()))
      weight.erase();
  if (failed(mlir::verify(*module))) {
    error("", "the imported module does not verify", Status::Internal);
    return {};
  }
  return std::move(module);
}

} // namespace tenon::tf

namespace tenon {

OwningOpRef<ModuleOp> importTensorFlow(MLIRContext &context, tf::Model &model,
                                       const CompileOptions &options,
                                       const DiagnosticHandler &report) {
  return tf::GraphImporter(context, model, options, report).run();
}

} // namespace tenon
