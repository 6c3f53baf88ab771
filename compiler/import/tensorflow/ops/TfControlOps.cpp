// Calls, branches and loops of functions. Calls are inlined; branches and loops
// become scf ops.
#include "compiler/import/tensorflow/graph/TfBranches.h"
#include "compiler/import/tensorflow/graph/TfLoops.h"

using namespace mlir;

namespace tenon::tf {
namespace {

LogicalResult setAll(NodeContext &c, const FailureOr<Results> &results) {
  if (failed(results))
    return failure();
  for (auto [i, result] : llvm::enumerate(*results))
    c.set(i, result);
  return success();
}

LogicalResult callOp(NodeContext &c) {
  std::string name = c.functionAttr("f");
  if (name.empty())
    return failure();
  return setAll(c, c.importer.call(c.node, name, c.all()));
}

LogicalResult noOp(NodeContext &) { return success(); }

LogicalResult identity(NodeContext &c) {
  for (size_t i = 0; i < c.numInputs(); ++i)
    c.set(i, c.operand(i));
  return success();
}

LogicalResult ifOp(NodeContext &c) {
  std::string names[] = {c.functionAttr("then_branch"),
                         c.functionAttr("else_branch")};
  if (names[0].empty() || names[1].empty())
    return failure();
  ArrayRef<Result> operands = c.all().drop_front();
  if (failed(c.expectTensor(0)))
    return failure();
  if (auto known = c.shapes.constants(c.input(0)); known && known->size() == 1)
    return setAll(
        c, c.importer.call(c.node, names[known->front() ? 0 : 1], operands));
  FailureOr<Value> condition = truth(c, c.input(0));
  if (failed(condition))
    return failure();
  return setAll(c, importBranches(c, *condition, [&](bool side) {
                  return c.importer.call(c.node, names[side ? 0 : 1], operands);
                }));
}

LogicalResult whileOp(NodeContext &c) {
  std::string cond = c.functionAttr("cond"), body = c.functionAttr("body");
  if (cond.empty() || body.empty())
    return failure();
  return setAll(c, importLoop(
                       c, Results(c.all()),
                       [&](ArrayRef<Result> variables) {
                         return c.importer.call(c.node, cond, variables);
                       },
                       [&](ArrayRef<Result> variables) {
                         return c.importer.call(c.node, body, variables);
                       }));
}

} // namespace

void registerControlOps(OpRegistry &r) {
  for (const char *op : {"Identity", "StopGradient", "PreventGradient",
                         "CheckNumerics", "Snapshot", "PlaceholderWithDefault",
                         "EnsureShape", "Enter", "RefEnter", "LoopCond"})
    r.add(op, 1, identity);
  r.add("IdentityN", 1, kMany, identity);
  r.add("PartitionedCall", 0, kMany, callOp);
  r.add("StatefulPartitionedCall", 0, kMany, callOp);
  r.add("NoOp", 0, noOp);
  r.add("If", 1, kMany, ifOp);
  r.add("StatelessIf", 1, kMany, ifOp);
  r.add("While", 1, kMany, whileOp);
  r.add("StatelessWhile", 1, kMany, whileOp);
}

} // namespace tenon::tf
