// Variables. A handle is a name at compile time; reading one gives the saved
// value as a weight.
#include "compiler/import/tensorflow/TfNodeContext.h"

using namespace mlir;

namespace tenon::tf {
namespace {

LogicalResult handle(NodeContext &c) {
  Result result;
  result.kind = Result::Kind::Variable;
  result.variable = &c.node;
  c.set(0, result);
  return success();
}

LogicalResult read(NodeContext &c) {
  const Result &handle = c.operand(0);
  if (handle.kind != Result::Kind::Variable)
    return c.unsupported("a resource that is no variable");
  Value value = c.importer.variable(*handle.variable);
  if (!value)
    return failure();
  c.set(0, value);
  return success();
}

/// Rows of a variable: the gather of its value.
LogicalResult gather(NodeContext &c) {
  const Result &handle = c.operand(0);
  if (handle.kind != Result::Kind::Variable)
    return c.unsupported("a resource that is no variable");
  if (c.intAttr("batch_dims", 0) != 0)
    return c.unsupported("batch_dims");
  Value value = c.importer.variable(*handle.variable);
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

/// Variables of TensorFlow 1 are read where they are used.
LogicalResult reference(NodeContext &c) {
  Value value = c.importer.variable(c.node);
  if (!value)
    return failure();
  c.set(0, value);
  return success();
}

} // namespace

void registerVariableOps(OpRegistry &r) {
  r.add("VarHandleOp", 0, handle);
  r.add("ReadVariableOp", 1, read);
  r.add("ResourceGather", 2, gather);
  r.add("VariableV2", 0, reference);
  r.add("Variable", 0, reference);
}

} // namespace tenon::tf
