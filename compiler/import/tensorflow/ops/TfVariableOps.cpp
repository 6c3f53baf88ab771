// Variables. A handle is known at compile time. Reading a variable gives its
// current value; writing it makes it a state.
#include "compiler/import/tensorflow/ops/TfUpdates.h"
#include "dialects/tenon/ShapeRules.h"

using namespace mlir;

namespace tenon::tf {
namespace {

template <Result::Kind kind> LogicalResult variable(NodeContext &c) {
  Result result;
  result.kind = kind;
  result.variable = &c.node;
  c.set(0, result);
  return success();
}

LogicalResult read(NodeContext &c) {
  const Node *variable = variableOf(c);
  Value value = variable ? c.importer.variable(*variable) : Value();
  if (!value)
    return failure();
  c.set(0, value);
  return success();
}

/// The result of the op `op` with the variable's value in place of the handle;
/// Nothing after an error.
Result madeOfValue(NodeContext &c, StringRef op) {
  const Node *variable = variableOf(c);
  Value value = variable ? c.importer.variable(*variable) : Value();
  if (!value)
    return {};
  Results operands(c.all());
  operands[0] = Result::tensor(value);
  NodeContext inner(c.importer, c.node, operands);
  for (size_t i = 1; i < operands.size(); ++i)
    if (failed(inner.expectTensor(i)))
      return {};
  if (failed(c.importer.entryOf(op)->handler(inner)))
    return {};
  return inner.results.front();
}

/// Gathers rows, or slices, of a variable.
LogicalResult gather(NodeContext &c) {
  if (c.intAttr("batch_dims", 0) != 0)
    return c.unsupported("batch_dims");
  bool vectors = c.node.op == "ResourceGatherNd";
  Result result = madeOfValue(c, vectors ? "GatherNd" : "Gather");
  if (result.kind == Result::Kind::Nothing)
    return failure();
  c.set(0, result);
  return success();
}

LogicalResult assign(NodeContext &c) {
  const Node *variable = variableOf(c);
  if (!variable || failed(c.expectTensor(1)))
    return failure();
  return writeVariable(c, variable, c.input(1));
}

/// The old value, if operand `operand` has its element type; null after an
/// error.
Value oldValue(NodeContext &c, const Node *variable, size_t operand) {
  for (size_t i = 1; i < c.numInputs(); ++i)
    if (failed(c.expectTensor(i)))
      return {};
  Value old = variable ? c.importer.variable(*variable) : Value();
  if (!old)
    return {};
  if (c.g.elementOf(old) == c.g.elementOf(c.input(operand)))
    return old;
  (void)c.error("expected operands of one element type, got " + textOf(old) +
                " and " + textOf(c.input(operand)));
  return {};
}

template <typename Op> LogicalResult update(NodeContext &c) {
  const Node *variable = variableOf(c);
  Value old = oldValue(c, variable, 1);
  if (!old)
    return failure();
  FailureOr<Value> change =
      c.withSizes(1, c.g.sizes(old), "a tensor like the variable");
  if (failed(change))
    return failure();
  return writeVariable(c, variable, c.g.make<Op>(old, *change));
}

/// Sets slices at index vectors, or combines them with updates, by the
/// TensorScatter op with the name's suffix.
LogicalResult updateSlices(NodeContext &c) {
  constexpr StringRef family = "ScatterNd";
  StringRef op = c.node.op;
  op = op.drop_front(op.find(family) + family.size());
  Result result = madeOfValue(c, ("TensorScatter" + op).str());
  if (result.kind == Result::Kind::Nothing)
    return failure();
  return writeVariable(c, variableOf(c), result.value);
}

/// Sets rows, or combines them with updates: one for each index, or one number
/// for all.
template <ScatterKind kind, bool negated>
LogicalResult updateRows(NodeContext &c) {
  GraphBuilder &g = c.g;
  const Node *variable = variableOf(c);
  Value old = oldValue(c, variable, 2);
  if (!old)
    return failure();
  FailureOr<Value> at = rowsOf(c, 1, old);
  if (failed(at))
    return failure();
  Value updates = c.input(2);
  if (negated || kind != ScatterKind::Set)
    if (failed(c.expectNumber(2)))
      return failure();
  Sizes rows = g.sizes(old), places = g.sizes(c.input(1));
  rows[0] = g.size(*at, 0);
  places.append(rows.begin() + 1, rows.end());
  SmallVector<int64_t> shape;
  for (Size size : places)
    shape.push_back(g.staticSize(size).value_or(ShapedType::kDynamic));
  if (g.rankOf(updates) == 0) {
    updates = g.broadcastTo(updates, rows);
  } else {
    if (!compatible(shape, g.shapeOf(updates)))
      return c.error(
          "expected updates of shape " +
          textOf(RankedTensorType::get(shape, g.elementOf(updates))) +
          ", got " + textOf(updates));
    for (auto [i, want, got] : llvm::enumerate(places, g.sizes(updates)))
      c.check(got, want, want,
              "extent " + Twine(i) + " of the updates must be as many");
    updates = g.reshape(updates, rows);
  }
  if (negated)
    updates = g.make<NegateOp>(updates);
  return writeVariable(c, variable, scatterRows(g, kind, old, *at, updates));
}

/// True, because every variable has its saved value.
LogicalResult isInitialized(NodeContext &c) {
  c.set(0, c.g.scalarInt(c.g.i1(), 1));
  return success();
}

} // namespace

void registerVariableOps(OpRegistry &r) {
  r.add("VarHandleOp", 0, variable<Result::Kind::Variable>);
  // Variables of TensorFlow 1: any op that takes one as an operand reads it.
  r.add("VariableV2", 0, variable<Result::Kind::Reference>);
  r.add("Variable", 0, variable<Result::Kind::Reference>);
  r.add("ReadVariableOp", 1, read);
  r.add("ResourceGather", 2, gather);
  r.add("ResourceGatherNd", 2, gather);
  r.add("VarIsInitializedOp", 1, isInitialized);
  r.add("IsVariableInitialized", 1, isInitialized).references = 1;
  auto addUpdate = [&](const std::string &op, size_t inputs,
                       OpHandler handler) {
    r.add(op, inputs, handler).references = 1;
  };
  for (const char *op : {"AssignVariableOp", "Assign"})
    addUpdate(op, 2, assign);
  for (const char *op : {"AssignAddVariableOp", "AssignAdd"})
    addUpdate(op, 2, update<AddOp>);
  for (const char *op : {"AssignSubVariableOp", "AssignSub"})
    addUpdate(op, 2, update<SubtractOp>);
  for (const char *family : {"Resource", ""}) {
    std::string rows = std::string(family) + "Scatter", slices = rows + "Nd";
    addUpdate(rows + "Update", 3, updateRows<ScatterKind::Set, false>);
    addUpdate(rows + "Add", 3, updateRows<ScatterKind::Add, false>);
    addUpdate(rows + "Sub", 3, updateRows<ScatterKind::Add, true>);
    addUpdate(rows + "Mul", 3, updateRows<ScatterKind::Multiply, false>);
    addUpdate(rows + "Max", 3, updateRows<ScatterKind::Maximum, false>);
    addUpdate(rows + "Min", 3, updateRows<ScatterKind::Minimum, false>);
    for (const char *kind : {"Update", "Add", "Sub", "Max", "Min"})
      addUpdate(slices + kind, 3, updateSlices);
  }
}

} // namespace tenon::tf
