// Loop and Scan: the inputs of their bodies, and their trip counts and
// conditions.
#include "compiler/import/onnx/graph/LoopBuilder.h"

using namespace mlir;

namespace tenon::onnx {

/// True if a body's first output is a condition that is always true: a
/// constant, or the condition that is its input.
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
  size_t carried = ctx.numInputs() > 2 ? ctx.numInputs() - 2 : 0;
  if (body->inputs.size() != carried + 2 ||
      body->outputs.size() < carried + 1 ||
      ctx.numOutputs() > body->outputs.size() - 1)
    return ctx.error("expected a body of " + Twine(carried + 2) +
                     " inputs and at least " + Twine(ctx.numOutputs() + 1) +
                     " outputs, got " + Twine(body->inputs.size()) + " and " +
                     Twine(body->outputs.size()));
  LoopPlan plan;
  plan.body = body;
  plan.firstInput = 2;
  plan.firstResult = 1;
  plan.trips = g.index(INT64_MAX);
  plan.canGrow = true;
  plan.scanAxes.assign(body->outputs.size() - 1 - carried, 0);
  plan.scanReversed.assign(plan.scanAxes.size(), false);
  if (ctx.hasInput(0)) {
    FailureOr<Size> given = ctx.sizeInput(0);
    if (failed(given))
      return failure();
    plan.trips = g.max(*given, g.index(0));
  }
  for (size_t i = 0; i < carried; ++i) {
    if (!ctx.hasInput(2 + i))
      return ctx.error("expected all carried values to be given");
    plan.initial.push_back(ctx.input(2 + i));
  }
  bool hasCondition = !isAlwaysTrue(*body);
  if (ctx.hasInput(1)) {
    if (failed(ctx.expectOneBool(ctx.input(1), "the condition at the start")))
      return failure();
    auto known = ctx.shapes.constants(ctx.input(1));
    if (!known || known->size() != 1 || known->front() == 0)
      hasCondition = true;
    if (hasCondition)
      plan.condition = g.extractScalar(ctx.input(1));
  } else if (hasCondition) {
    plan.condition =
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
      LoopBuilder(ctx, plan, inputs).build();
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
  LoopPlan plan;
  plan.body = body;
  plan.firstInput = plan.firstResult = 0;
  plan.canGrow = false;
  size_t results = body->outputs.size() - states;
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
  plan.scanAxes = list("scan_output_axes", results);
  SmallVector<int64_t> reversed = list("scan_output_directions", results);
  if (ctx.failed())
    return failure();
  plan.scanReversed.assign(reversed.begin(), reversed.end());
  for (size_t i = 0; i < ctx.numInputs(); ++i)
    if (!ctx.hasInput(i))
      return ctx.error("expected all operands to be given");
  SmallVector<Value> scanInputs;
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
    // The body declares the type of one step, so insert the scanned dimension.
    Type declared = body->inputs[states + i].type;
    if (declared.shape && int64_t(declared.shape->size()) >= *axis)
      declared.shape->insert(declared.shape->begin() + *axis, Dim());
    scanInputs.push_back(
        asDeclared(ctx, value, declared, "scanned input " + Twine(i)));
  }
  for (int64_t i = 0; i < scanned; ++i)
    ctx.check(g.size(scanInputs[i], axes[i]), plan.trips, plan.trips,
              "scanned inputs must be of one length");
  for (size_t i = 0; i < states; ++i)
    plan.initial.push_back(ctx.input(i));
  auto inputs = [&](Value position, ValueRange values) {
    SmallVector<Value> all(values);
    for (int64_t i = 0; i < scanned; ++i) {
      Size at = directions[i] ? g.sub(g.sub(plan.trips, g.index(1)), position)
                              : Size(position);
      Value part = g.sliceDim(scanInputs[i], axes[i], at, g.index(1));
      all.push_back(g.squeeze(part, {axes[i]}));
    }
    return all;
  };
  FailureOr<SmallVector<Value>> ends = LoopBuilder(ctx, plan, inputs).build();
  if (failed(ends))
    return failure();
  for (size_t i = 0; i < ctx.numOutputs(); ++i)
    ctx.set(i, (*ends)[i]);
  return success();
}

void registerLoopOps(OpRegistry &registry) {
  registry.add("Loop", 1, Arity(2, kMany), Arity(1, kMany), loop);
  registry.add("Scan", 9, Arity(1, kMany), Arity(1, kMany), scan);
}

} // namespace tenon::onnx
