// Control flow: If, Loop and Scan as scf. Values carried around a loop keep
// their shape; per-iteration results are written into a tensor made before it.
#include "compiler/import/Branches.h"
#include "compiler/import/onnx/GraphImporter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using Predicate = arith::CmpIPredicate;

namespace tenon::onnx {

/// A branch in its own region, imported but not yet ended.
static FailureOr<SmallVector<Value>>
importBranch(NodeContext &ctx, const Graph &graph, Region &region) {
  OpBuilder::InsertionGuard guard(ctx.g.ops);
  if (region.empty())
    region.emplaceBlock();
  ctx.g.ops.setInsertionPointToEnd(&region.front());
  return ctx.importer.importBody(graph, {});
}

static LogicalResult ifOp(NodeContext &ctx) {
  GraphBuilder &g = ctx.g;
  const Graph *branches[] = {ctx.graphAttr("then_branch"),
                             ctx.graphAttr("else_branch")};
  if (ctx.failed() || failed(ctx.expectBool(0)))
    return failure();
  FailureOr<Value> given = ctx.oneElement(0);
  if (failed(given))
    return failure();
  for (const Graph *branch : branches)
    if (branch->outputs.size() != ctx.numOutputs())
      return ctx.error("expected branches with " + Twine(ctx.numOutputs()) +
                       " outputs, got " + Twine(branch->outputs.size()));
  if (auto known = ctx.shapes.constants(ctx.input(0))) {
    // Both must be right; one remains.
    bool taken = known->front() != 0;
    Value never =
        arith::ConstantOp::create(g.ops, g.loc, g.ops.getBoolAttr(false));
    auto dead = scf::IfOp::create(g.ops, g.loc, TypeRange(), never, true);
    ctx.importer.discarded.push_back(dead);
    dead.getThenRegion().front().clear();
    FailureOr<SmallVector<Value>> dropped =
        importBranch(ctx, *branches[taken ? 1 : 0], dead.getThenRegion());
    {
      OpBuilder::InsertionGuard guard(g.ops);
      g.ops.setInsertionPointToEnd(&dead.getThenRegion().front());
      scf::YieldOp::create(g.ops, g.loc);
    }
    FailureOr<SmallVector<Value>> results =
        ctx.importer.importBody(*branches[taken ? 0 : 1], {});
    if (failed(dropped) || failed(results))
      return failure();
    for (auto [i, value] : llvm::enumerate(*results))
      ctx.set(i, value);
    return success();
  }
  // Branches first: the types of the results come of them.
  Value condition = g.extractScalar(*given);
  auto shell = scf::IfOp::create(g.ops, g.loc, TypeRange(), condition, true);
  ctx.importer.discarded.push_back(shell);
  shell.getThenRegion().front().clear();
  shell.getElseRegion().front().clear();
  FailureOr<SmallVector<Value>> yes =
      importBranch(ctx, *branches[0], shell.getThenRegion());
  FailureOr<SmallVector<Value>> no =
      importBranch(ctx, *branches[1], shell.getElseRegion());
  if (failed(yes) || failed(no))
    return failure();
  SmallVector<Value> results;
  if (std::optional<BranchMismatch> mismatch = joinBranches(
          g, shell, ctx.site(), *yes, *no,
          [&](size_t i) {
            return ctx.importer.expectedRank(ctx.node.outputs[i]);
          },
          results)) {
    std::string types = spell((*yes)[mismatch->result]) + " and " +
                        spell((*no)[mismatch->result]);
    if (mismatch->isError)
      return ctx.error("expected branches with equal types, got " + types);
    return ctx.unsupported("branches with results of different rank, " + types +
                           ", of which none is known to be empty");
  }
  for (auto [i, value] : llvm::enumerate(results))
    ctx.set(i, value);
  return success();
}

//===-- Loops -----------------------------------------------------------===//

/// A loop under construction: carried values, then tensors of per-iteration
/// results.
struct Carried {
  SmallVector<Value> initial;
  SmallVector<Sizes> sizes;
};

/// Values at the end of an iteration must have the shape they began with.
static LogicalResult expectInvariant(NodeContext &ctx, const Carried &carried,
                                     MutableArrayRef<Value> values) {
  GraphBuilder &g = ctx.g;
  for (auto [i, value] : llvm::enumerate(values)) {
    Value initial = carried.initial[i];
    if (GraphBuilder::elementOf(value) != GraphBuilder::elementOf(initial))
      return ctx.error("expected loop-carried values to keep their type, got " +
                       spell(initial) + " and then " + spell(value));
    Sizes sizes = g.sizes(value);
    bool keeps = sizes.size() == carried.sizes[i].size();
    for (size_t d = 0; keeps && d < sizes.size(); ++d)
      keeps = GraphBuilder::same(sizes[d], carried.sizes[i][d]);
    if (!keeps)
      return ctx.unsupported("a loop-carried value that changes its shape");
    value = forget(g, value, GraphBuilder::typeOf(initial));
  }
  return success();
}

/// The body's word for extents that are found in the loop alone.
static Value withDeclared(GraphBuilder &g, Value value, const Type &declared) {
  Sizes sizes = g.sizes(value);
  if (!declared.shape || declared.shape->size() != sizes.size())
    return value;
  for (auto [size, dim] : llvm::zip(sizes, *declared.shape))
    if (!GraphBuilder::staticSize(size) && dim.kind == Dim::Kind::Static)
      size = g.index(dim.size);
  return g.reshape(value, sizes);
}

/// The sizes of per-iteration results are known before the loop.
static LogicalResult expectOutside(NodeContext &ctx, const Sizes &sizes,
                                   Region &region) {
  for (Size size : sizes)
    if (!isOutside(size, region))
      return ctx.unsupported(
          "per-iteration results whose shape is found in the loop");
  return success();
}

/// What a loop body is given and where its parts go.
struct LoopPlan {
  const Graph *body;
  size_t carried;     ///< loop-carried values
  size_t scans;       ///< per-iteration results
  size_t firstResult; ///< of the body's outputs: 1 after a condition
  Size trips;
  SmallVector<int64_t> scanAxes;
  SmallVector<bool> scanReversed;
};

using BodyInputs =
    llvm::function_ref<SmallVector<Value>(Value position, ValueRange carried)>;

/// An empty tensor for the results of all iterations.
static Value allocateScan(GraphBuilder &g, Value one, const Sizes &sizes,
                          Size trips, int64_t axis) {
  Sizes all(sizes);
  all.insert(all.begin() + axis, trips);
  return g.splat(GraphBuilder::elementOf(one), all, 0);
}

static Value storeScan(GraphBuilder &g, Value all, Value one, Size position,
                       int64_t axis) {
  Sizes offsets(GraphBuilder::rankOf(all), g.index(0));
  offsets[axis] = position;
  return g.dynamicUpdateSlice(all, g.unsqueeze(one, {axis}), offsets);
}

/// Imports the body aside first: the shapes of its per-iteration results say
/// what the loop carries. Without a condition the trip count alone ends it.
static FailureOr<SmallVector<Value>>
buildLoop(NodeContext &ctx, const LoopPlan &plan, const Carried &start,
          BodyInputs inputs, bool hasCondition, Value condition) {
  GraphBuilder &g = ctx.g;
  Location loc = g.loc;
  Value zero = g.indexValue(g.index(0)), one = g.indexValue(g.index(1));
  Value trips = g.indexValue(plan.trips);
  auto shell = scf::ForOp::create(g.ops, loc, zero, trips, one, start.initial);
  ctx.importer.discarded.push_back(shell);
  Block *block = shell.getBody();
  block->clear();
  Value position = shell.getInductionVar();
  OpBuilder::InsertionGuard guard(g.ops);
  g.ops.setInsertionPointToEnd(block);
  for (auto [value, sizes] : llvm::zip(shell.getRegionIterArgs(), start.sizes))
    g.recordSizes(value, sizes);
  FailureOr<SmallVector<Value>> results = ctx.importer.importBody(
      *plan.body, inputs(position, shell.getRegionIterArgs()));
  if (failed(results))
    return failure();
  for (auto [result, output] : llvm::zip(*results, plan.body->outputs))
    result = withDeclared(g, result, output.type);
  if (hasCondition)
    for (Size size : g.sizes(results->front()))
      ctx.check(size, g.index(1), g.index(1), "a condition is one element");
  Value next = hasCondition ? g.extractScalar(results->front()) : Value();
  SmallVector<Value> values(
      ArrayRef<Value>(*results).slice(plan.firstResult, plan.carried));
  if (failed(expectInvariant(ctx, start, values)))
    return failure();
  Carried all = start;
  for (size_t i = 0; i < plan.scans; ++i) {
    Value result = (*results)[plan.firstResult + plan.carried + i];
    Sizes sizes = g.sizes(result);
    FailureOr<int64_t> axis = ctx.axis(plan.scanAxes[i], sizes.size() + 1);
    if (failed(axis) || failed(expectOutside(ctx, sizes, shell.getRegion())))
      return failure();
    g.ops.setInsertionPoint(shell);
    Value whole = allocateScan(g, result, sizes, plan.trips, *axis);
    all.initial.push_back(whole);
    all.sizes.push_back(g.sizes(whole));
    g.ops.setInsertionPointToEnd(block);
    Value scanned = block->addArgument(whole.getType(), loc);
    g.recordSizes(scanned, all.sizes.back());
    Size at = plan.scanReversed[i]
                  ? g.sub(g.sub(plan.trips, g.index(1)), position)
                  : Size(position);
    values.push_back(storeScan(g, scanned, result, at, *axis));
  }
  auto bindSizes = [&](ValueRange outside) {
    for (auto [value, sizes] : llvm::zip(outside, all.sizes))
      g.recordSizes(value, sizes);
  };
  if (!hasCondition) {
    scf::YieldOp::create(g.ops, loc, values);
    g.ops.setInsertionPoint(shell);
    Value steps = g.indexValue(stepsOver(g, plan.trips, all.sizes));
    auto loop = scf::ForOp::create(g.ops, loc, zero, steps, one, all.initial);
    loop.getRegion().takeBody(shell.getRegion());
    shell.getRegion().emplaceBlock();
    bindSizes(loop.getResults());
    return SmallVector<Value>(loop.getResults());
  }
  // while (i < trips && condition): i, the values, the condition.
  values.insert(values.begin(),
                arith::AddIOp::create(g.ops, loc, position, one));
  values.push_back(next);
  block->addArgument(next.getType(), loc);
  scf::YieldOp::create(g.ops, loc, values);
  SmallVector<Value> initial(all.initial);
  initial.insert(initial.begin(), zero);
  initial.push_back(condition);
  SmallVector<mlir::Type> types(ValueRange(initial).getTypes());
  SmallVector<Location> locations(initial.size(), loc);
  g.ops.setInsertionPoint(shell);
  auto loop = scf::WhileOp::create(g.ops, loc, types, initial);
  loop.getAfter().takeBody(shell.getRegion());
  shell.getRegion().emplaceBlock();
  Block *before = g.ops.createBlock(&loop.getBefore(), {}, types, locations);
  Value more = arith::CmpIOp::create(g.ops, loc, Predicate::slt,
                                     before->getArguments().front(), trips);
  more = arith::AndIOp::create(g.ops, loc, more, before->getArguments().back());
  scf::ConditionOp::create(g.ops, loc, more, before->getArguments());
  g.ops.setInsertionPointAfter(loop);
  ValueRange carried = loop.getResults().slice(1, all.initial.size());
  bindSizes(carried);
  SmallVector<Value> ends(carried);
  // The iterations that took place.
  Size count = g.bound(loop.getResult(0), plan.trips);
  for (size_t i = plan.carried; i < ends.size(); ++i)
    ends[i] = g.sliceDim(ends[i], 0, g.index(0), count);
  return ends;
}

/// Whether a body's first output is a condition that is always true: a constant
/// or the condition it was given.
static bool isAlwaysTrue(const Graph &body) {
  const std::string &name = body.outputs[0].name;
  if (name == body.inputs[1].name)
    return true;
  for (const Tensor &tensor : body.initializers)
    if (tensor.name == name)
      return false;
  for (const Node &node : body.nodes) {
    if (!llvm::is_contained(node.outputs, name))
      continue;
    if (node.opType == "Identity" && node.domain.empty())
      return node.inputs.size() == 1 && node.inputs[0] == body.inputs[1].name;
    const Tensor *value =
        node.opType == "Constant" ? node.get<Tensor>("value") : nullptr;
    const auto *bytes =
        value ? std::get_if<InlineBytes>(&value->payload) : nullptr;
    return bytes && bytes->size() == 1 && (*bytes)[0] == std::byte(1);
  }
  return false;
}

static LogicalResult loop(NodeContext &ctx) {
  GraphBuilder &g = ctx.g;
  const Graph *body = ctx.graphAttr("body");
  if (ctx.failed())
    return failure();
  LoopPlan plan{body,
                ctx.numInputs() > 2 ? ctx.numInputs() - 2 : 0,
                0,
                1,
                g.index(INT64_MAX),
                {},
                {}};
  if (body->inputs.size() != plan.carried + 2 ||
      body->outputs.size() < plan.carried + 1 ||
      ctx.numOutputs() > body->outputs.size() - 1)
    return ctx.error("expected a body of " + Twine(plan.carried + 2) +
                     " inputs and at least " + Twine(ctx.numOutputs() + 1) +
                     " outputs, got " + Twine(body->inputs.size()) + " and " +
                     Twine(body->outputs.size()));
  plan.scans = body->outputs.size() - 1 - plan.carried;
  plan.scanAxes.assign(plan.scans, 0);
  plan.scanReversed.assign(plan.scans, false);
  if (ctx.hasInput(0)) {
    FailureOr<Size> given = ctx.sizeInput(0);
    if (failed(given))
      return failure();
    plan.trips = g.max(*given, g.index(0));
  } else if (plan.scans) {
    return ctx.unsupported("per-iteration results without a trip count");
  }
  Carried carried;
  for (size_t i = 0; i < plan.carried; ++i) {
    Value value = ctx.input(2 + i);
    if (!value)
      return ctx.error("expected all carried values to be given");
    carried.initial.push_back(value);
    carried.sizes.push_back(g.sizes(value));
  }
  bool hasCondition = !isAlwaysTrue(*body);
  Value condition;
  if (ctx.hasInput(1)) {
    if (failed(ctx.expectBool(1)))
      return failure();
    auto known = ctx.shapes.constants(ctx.input(1));
    if (!known || known->size() != 1 || known->front() == 0)
      hasCondition = true;
    FailureOr<Value> given = ctx.oneElement(1);
    if (failed(given))
      return failure();
    if (hasCondition)
      condition = g.extractScalar(*given);
  } else if (hasCondition) {
    condition =
        arith::ConstantOp::create(g.ops, g.loc, g.ops.getBoolAttr(true));
  }
  auto inputs = [&](Value position, ValueRange values) {
    SmallVector<Value> list;
    Value number = g.make<arith::IndexCastOp>(g.i64(), position);
    list.push_back(g.make<tensor::FromElementsOp>(
        RankedTensorType::get({}, g.i64()), ValueRange(number)));
    list.push_back(g.scalarInt(g.i1(), 1));
    llvm::append_range(list, values);
    return list;
  };
  FailureOr<SmallVector<Value>> results =
      buildLoop(ctx, plan, carried, inputs, hasCondition, condition);
  if (failed(results))
    return failure();
  for (size_t i = 0; i < ctx.numOutputs(); ++i)
    ctx.set(i, (*results)[i]);
  return success();
}

static LogicalResult scan(NodeContext &ctx) {
  GraphBuilder &g = ctx.g;
  const Graph *body = ctx.graphAttr("body");
  int64_t scanned = ctx.intAttr("num_scan_inputs");
  if (ctx.failed())
    return failure();
  if (scanned < 1 || scanned > int64_t(ctx.numInputs()))
    return ctx.error("expected 1 to " + Twine(ctx.numInputs()) +
                     " scan inputs, got " + Twine(scanned));
  size_t states = ctx.numInputs() - scanned;
  if (body->inputs.size() != ctx.numInputs() || body->outputs.size() < states ||
      ctx.numOutputs() > body->outputs.size())
    return ctx.error("expected a body of " + Twine(ctx.numInputs()) +
                     " inputs and at least " + Twine(ctx.numOutputs()) +
                     " outputs, got " + Twine(body->inputs.size()) + " and " +
                     Twine(body->outputs.size()));
  LoopPlan plan{body, states, body->outputs.size() - states, 0, g.index(0),
                {},   {}};
  auto list = [&](StringRef name, size_t length) {
    SmallVector<int64_t> given = ctx.intsAttr(name);
    if (given.empty())
      given.assign(length, 0);
    if (given.size() != length)
      (void)ctx.error("expected " + Twine(length) + " entries in '" + name +
                      "', got " + Twine(given.size()));
    return given;
  };
  SmallVector<int64_t> axes = list("scan_input_axes", scanned),
                       directions = list("scan_input_directions", scanned);
  plan.scanAxes = list("scan_output_axes", plan.scans);
  SmallVector<int64_t> reversed = list("scan_output_directions", plan.scans);
  if (ctx.failed())
    return failure();
  plan.scanReversed.assign(reversed.begin(), reversed.end());
  for (int64_t i = 0; i < scanned; ++i) {
    Value value = ctx.input(states + i);
    FailureOr<int64_t> axis = ctx.axis(axes[i], GraphBuilder::rankOf(value));
    if (failed(axis))
      return failure();
    axes[i] = *axis;
    Size length = g.size(value, *axis);
    auto a = GraphBuilder::staticSize(plan.trips),
         b = GraphBuilder::staticSize(length);
    if (i && a && b && *a != *b)
      return ctx.error("expected scan inputs of one length, got " + Twine(*a) +
                       " and " + Twine(*b));
    if (i == 0 || b)
      plan.trips = length;
  }
  for (int64_t i = 0; i < scanned; ++i)
    ctx.check(g.size(ctx.input(states + i), axes[i]), plan.trips, plan.trips,
              "scanned inputs must be of one length");
  Carried carried;
  for (size_t i = 0; i < states; ++i) {
    carried.initial.push_back(ctx.input(i));
    carried.sizes.push_back(g.sizes(ctx.input(i)));
  }
  auto inputs = [&](Value position, ValueRange values) {
    SmallVector<Value> all(values);
    for (int64_t i = 0; i < scanned; ++i) {
      Size at = directions[i] ? g.sub(g.sub(plan.trips, g.index(1)), position)
                              : Size(position);
      Value part = g.sliceDim(ctx.input(states + i), axes[i], at, g.index(1));
      all.push_back(g.squeeze(part, {axes[i]}));
    }
    return all;
  };
  FailureOr<SmallVector<Value>> results =
      buildLoop(ctx, plan, carried, inputs, false, Value());
  if (failed(results))
    return failure();
  for (size_t i = 0; i < ctx.numOutputs(); ++i)
    ctx.set(i, (*results)[i]);
  return success();
}

void registerControlOps(OpRegistry &registry) {
  registry.add("If", 1, 1, Arity(1, kMany), ifOp);
  registry.add("Loop", 1, Arity(2, kMany), Arity(1, kMany), loop);
  registry.add("Scan", 9, Arity(1, kMany), Arity(1, kMany), scan);
}

} // namespace tenon::onnx
