// Builds scf.if around what the callers build.
#include "compiler/import/huggingface/generation/Conditional.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon::hf {

SmallVector<Value> chooseAll(GraphBuilder &g, Size condition,
                             ArrayRef<Sizes> sizes,
                             llvm::function_ref<SmallVector<Value>()> yes,
                             llvm::function_ref<SmallVector<Value>()> no) {
  if (std::optional<int64_t> known = GraphBuilder::staticSize(condition))
    return *known ? yes() : no();
  // The types are known once a branch is built.
  auto isTrue = cast<Value>(condition);
  auto shell = scf::IfOp::create(g.ops, g.loc, TypeRange(), isTrue,
                                 /*addThenBlock=*/false,
                                 /*addElseBlock=*/false);
  SmallVector<Value> values;
  for (auto [region, build] : {std::pair(&shell.getThenRegion(), yes),
                               std::pair(&shell.getElseRegion(), no)}) {
    OpBuilder::InsertionGuard guard(g.ops);
    g.ops.createBlock(region);
    values = build();
    scf::YieldOp::create(g.ops, g.loc, values);
  }
  auto result = scf::IfOp::create(g.ops, g.loc, TypeRange(ValueRange(values)),
                                  isTrue, /*addThenBlock=*/false,
                                  /*addElseBlock=*/false);
  result.getThenRegion().takeBody(shell.getThenRegion());
  result.getElseRegion().takeBody(shell.getElseRegion());
  shell.erase();
  for (auto [value, own] : llvm::zip_equal(result.getResults(), sizes))
    if (!own.empty())
      g.recordSizes(value, own);
  return SmallVector<Value>(result.getResults());
}

Value choose(GraphBuilder &g, Size condition, ArrayRef<Size> sizes,
             llvm::function_ref<Value()> yes, llvm::function_ref<Value()> no) {
  return chooseAll(
             g, condition, Sizes(sizes),
             [&] { return SmallVector<Value>{yes()}; },
             [&] { return SmallVector<Value>{no()}; })
      .front();
}

void either(GraphBuilder &g, Size condition, llvm::function_ref<void()> yes,
            llvm::function_ref<void()> no) {
  auto values = [](llvm::function_ref<void()> body) {
    return [body] {
      body();
      return SmallVector<Value>();
    };
  };
  chooseAll(g, condition, {}, values(yes), values(no));
}

void onlyIf(GraphBuilder &g, Size condition, llvm::function_ref<void()> body) {
  if (std::optional<int64_t> known = GraphBuilder::staticSize(condition)) {
    if (*known)
      body();
    return;
  }
  auto branch =
      scf::IfOp::create(g.ops, g.loc, TypeRange(), cast<Value>(condition),
                        /*addThenBlock=*/false,
                        /*addElseBlock=*/false);
  OpBuilder::InsertionGuard guard(g.ops);
  g.ops.createBlock(&branch.getThenRegion());
  body();
  scf::YieldOp::create(g.ops, g.loc);
}

} // namespace tenon::hf
