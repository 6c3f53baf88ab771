// Builds scf.if around what the callers build.
#include "compiler/import/huggingface/generation/Conditional.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon::hf {

Value choose(GraphBuilder &g, Value condition, ArrayRef<Size> sizes,
             llvm::function_ref<Value()> yes, llvm::function_ref<Value()> no) {
  // The type is known once a branch is built.
  auto shell = scf::IfOp::create(g.ops, g.loc, TypeRange(), condition,
                                 /*addThenBlock=*/false,
                                 /*addElseBlock=*/false);
  SmallVector<Value> values;
  for (auto [region, build] : {std::pair(&shell.getThenRegion(), yes),
                               std::pair(&shell.getElseRegion(), no)}) {
    OpBuilder::InsertionGuard guard(g.ops);
    g.ops.createBlock(region);
    values.push_back(build());
    scf::YieldOp::create(g.ops, g.loc, values.back());
  }
  auto result = scf::IfOp::create(g.ops, g.loc, values.front().getType(),
                                  condition, /*addThenBlock=*/false,
                                  /*addElseBlock=*/false);
  result.getThenRegion().takeBody(shell.getThenRegion());
  result.getElseRegion().takeBody(shell.getElseRegion());
  shell.erase();
  if (!sizes.empty())
    g.recordSizes(result.getResult(0), sizes);
  return result.getResult(0);
}

void onlyIf(GraphBuilder &g, Value condition, llvm::function_ref<void()> body) {
  auto branch = scf::IfOp::create(g.ops, g.loc, TypeRange(), condition,
                                  /*addThenBlock=*/false,
                                  /*addElseBlock=*/false);
  OpBuilder::InsertionGuard guard(g.ops);
  g.ops.createBlock(&branch.getThenRegion());
  body();
  scf::YieldOp::create(g.ops, g.loc);
}

} // namespace tenon::hf
