// Calls, branches and loops of functions. Calls are inlined; branches and loops
// become scf.
#include "compiler/import/Branches.h"
#include "compiler/import/tensorflow/TfLoops.h"

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

/// The values of results, all of which must be tensors or lists.
FailureOr<SmallVector<Value>> valuesOf(NodeContext &c, ArrayRef<Result> all) {
  SmallVector<Value> values;
  for (const Result &result : all) {
    if (result.kind == Result::Kind::Nothing)
      return failure();
    if (!result.value)
      return c.unsupported("handles as results of control flow");
    values.push_back(result.value);
  }
  return values;
}

LogicalResult ifOp(NodeContext &c) {
  GraphBuilder &g = c.g;
  std::string names[] = {c.functionAttr("then_branch"),
                         c.functionAttr("else_branch")};
  if (names[0].empty() || names[1].empty())
    return failure();
  ArrayRef<Result> operands = c.all().drop_front();
  if (c.operand(0).kind != Result::Kind::Tensor)
    return c.unsupported("a condition that is no tensor");
  if (auto known = c.shapes.constants(c.input(0)); known && known->size() == 1)
    return setAll(
        c, c.importer.call(c.node, names[known->front() ? 0 : 1], operands));
  FailureOr<Value> condition = truth(c, c.input(0));
  if (failed(condition))
    return failure();
  auto shell = scf::IfOp::create(g.ops, g.loc, TypeRange(), *condition, true);
  c.importer.discarded.push_back(shell);
  FailureOr<SmallVector<Value>> values[2];
  Results kinds;
  for (int i : {0, 1}) {
    OpBuilder::InsertionGuard guard(g.ops);
    Block &block = shell->getRegion(i).front();
    block.clear();
    g.ops.setInsertionPointToEnd(&block);
    FailureOr<Results> results = c.importer.call(c.node, names[i], operands);
    if (failed(results))
      return failure();
    values[i] = valuesOf(c, *results);
    if (failed(values[i]))
      return failure();
    kinds = *results;
  }
  if (values[0]->size() != values[1]->size())
    return c.error("expected branches with equally many results, got " +
                   Twine(values[0]->size()) + " and " +
                   Twine(values[1]->size()));
  SmallVector<Value> joined;
  if (std::optional<BranchMismatch> mismatch =
          joinBranches(g, shell, *values[0], *values[1], joined)) {
    if (mismatch->isError)
      return c.error("expected branches with equal types, got " +
                     spell((*values[0])[mismatch->result]) + " and " +
                     spell((*values[1])[mismatch->result]));
    return c.unsupported("branches with results of different rank");
  }
  for (auto [i, value] : llvm::enumerate(joined)) {
    kinds[i].value = value;
    c.set(i, kinds[i]);
  }
  return success();
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
  r.add("PartitionedCall", 0, kMany, callOp);
  r.add("StatefulPartitionedCall", 0, kMany, callOp);
  r.add("NoOp", 0, noOp);
  r.add("If", 1, kMany, ifOp);
  r.add("StatelessIf", 1, kMany, ifOp);
  r.add("While", 1, kMany, whileOp);
  r.add("StatelessWhile", 1, kMany, whileOp);
}

} // namespace tenon::tf
