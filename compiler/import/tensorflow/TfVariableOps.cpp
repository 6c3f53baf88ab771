// Variables. A handle is a name at compile time; reading one gives the value it
// has there, and writing one makes it a state.
#include "compiler/import/tensorflow/TfNodeContext.h"

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

/// The variable that operand 0 names, or null after a refusal.
const Node *variableOf(NodeContext &c) {
  const Result &handle = c.operand(0);
  if (handle.variable)
    return handle.variable;
  (void)c.unsupported("a resource that is no variable");
  return nullptr;
}

LogicalResult read(NodeContext &c) {
  const Node *variable = variableOf(c);
  Value value = variable ? c.importer.variable(*variable) : Value();
  if (!value)
    return failure();
  c.set(0, value);
  return success();
}

/// Rows of a variable: the gather of its value.
LogicalResult gather(NodeContext &c) {
  const Node *variable = variableOf(c);
  if (!variable)
    return failure();
  if (c.intAttr("batch_dims", 0) != 0)
    return c.unsupported("batch_dims");
  Value value = c.importer.variable(*variable);
  if (!value)
    return failure();
  Results operands = {Result::tensor(value), c.operand(1)};
  NodeContext rows(c.importer, c.node, operands);
  if (failed(rows.expectTensor(1)) ||
      failed(c.importer.entryOf("Gather")->handler(rows)))
    return failure();
  c.results = rows.results;
  return success();
}

/// Ops on references pass them on.
LogicalResult write(NodeContext &c, const Node *variable, Value value) {
  if (!c.importer.assign(c.node, *variable, value))
    return failure();
  if (c.operand(0).kind == Result::Kind::Reference)
    c.set(0, c.operand(0));
  return success();
}

LogicalResult assign(NodeContext &c) {
  const Node *variable = variableOf(c);
  if (!variable || failed(c.expectTensor(1)))
    return failure();
  return write(c, variable, c.input(1));
}

/// The old value, for an op that goes on from it by an operand of its type.
Value oldValue(NodeContext &c, const Node *variable, size_t operand) {
  for (size_t i = 1; i < c.numInputs(); ++i)
    if (failed(c.expectTensor(i)))
      return {};
  Value old = variable ? c.importer.variable(*variable) : Value();
  if (!old)
    return {};
  if (c.g.elementOf(old) == c.g.elementOf(c.input(operand)))
    return old;
  (void)c.error("expected operands of one element type, got " + spell(old) +
                " and " + spell(c.input(operand)));
  return {};
}

template <typename Op> LogicalResult update(NodeContext &c) {
  const Node *variable = variableOf(c);
  Value old = oldValue(c, variable, 1);
  if (!old)
    return failure();
  SmallVector<Value> values = {old, c.input(1)};
  if (failed(c.broadcast(values)))
    return failure();
  return write(c, variable, c.g.make<Op>(values[0], values[1]));
}

/// variable - rate * gradient
LogicalResult gradientDescent(NodeContext &c) {
  const Node *variable = variableOf(c);
  Value old = oldValue(c, variable, 2);
  if (!old || failed(c.expectSameElements({1, 2})) ||
      failed(c.expectRank(1, 0)))
    return failure();
  SmallVector<Value> step = {c.input(1), c.input(2)};
  if (failed(c.broadcast(step)))
    return failure();
  SmallVector<Value> values = {old, c.g.mul(step[0], step[1])};
  if (failed(c.broadcast(values)))
    return failure();
  return write(c, variable, c.g.make<SubtractOp>(values[0], values[1]));
}

/// Every variable has its saved value.
LogicalResult isInitialized(NodeContext &c) {
  c.set(0, c.g.scalarInt(c.g.i1(), 1));
  return success();
}

} // namespace

void registerVariableOps(OpRegistry &r) {
  r.add("VarHandleOp", 0, variable<Result::Kind::Variable>);
  // Of TensorFlow 1: whoever takes them as an operand reads them.
  r.add("VariableV2", 0, variable<Result::Kind::Reference>);
  r.add("Variable", 0, variable<Result::Kind::Reference>);
  r.add("ReadVariableOp", 1, read);
  r.add("ResourceGather", 2, gather);
  r.add("VarIsInitializedOp", 1, isInitialized);
  r.add("IsVariableInitialized", 1, isInitialized);
  for (const char *op : {"AssignVariableOp", "Assign"})
    r.add(op, 2, assign);
  for (const char *op : {"AssignAddVariableOp", "AssignAdd"})
    r.add(op, 2, update<AddOp>);
  for (const char *op : {"AssignSubVariableOp", "AssignSub"})
    r.add(op, 2, update<SubtractOp>);
  for (const char *op :
       {"ResourceApplyGradientDescent", "ApplyGradientDescent"})
    r.add(op, 3, gradientDescent);
}

} // namespace tenon::tf
