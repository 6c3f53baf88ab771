// Control flow: If as scf.if. OpsLoop.cpp has the loops.
#include "compiler/import/graph/Branches.h"
#include "compiler/import/onnx/graph/LoopBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon::onnx {

/// Imports a branch into `region`, without a terminator.
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
  if (ctx.failed() || failed(ctx.expectBool(0)) ||
      failed(ctx.expectOneBool(ctx.input(0), "the condition")))
    return failure();
  for (const Graph *branch : branches)
    if (branch->outputs.size() != ctx.numOutputs())
      return ctx.error("expected branches with " + Twine(ctx.numOutputs()) +
                       " outputs, got " + Twine(branch->outputs.size()));
  if (auto known = ctx.shapes.constants(ctx.input(0))) {
    // The condition is constant: import both branches to check them, and keep
    // the one that runs.
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
  // Import the branches first: they give the types of the results.
  Value condition = g.extractScalar(ctx.input(0));
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
    std::string types = textOf((*yes)[mismatch->result]) + " and " +
                        textOf((*no)[mismatch->result]);
    if (mismatch->isError)
      return ctx.error("expected branches with equal types, got " + types);
    return ctx.unsupported("branches with results of different rank, " + types +
                           ", of which none is known to be empty");
  }
  for (auto [i, value] : llvm::enumerate(results))
    ctx.set(i, value);
  return success();
}

void registerControlOps(OpRegistry &registry) {
  registry.add("If", 1, 1, Arity(1, kMany), ifOp);
  registerLoopOps(registry);
}

} // namespace tenon::onnx
