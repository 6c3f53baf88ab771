// Every weight and state is a view of bytes, of its own type and sizes.
#include "passes/buffer/BlobViews.h"

#include "dialects/tenon/State.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace tenon {

/// Replaces the result of `use` by a view of `blob` from byte `start` on.
static void replaceByView(OpBuilder &builder, Operation *use, Value start,
                          ValueRange sizes, Value blob) {
  Value view = memref::ViewOp::create(
      builder, use->getLoc(), cast<MemRefType>(use->getResult(0).getType()),
      blob, start, sizes);
  use->getResult(0).replaceAllUsesWith(view);
  use->erase();
}

static void replaceByView(Operation *use, int64_t offset, Value blob) {
  OpBuilder builder(use);
  Location loc = use->getParentOfType<func::FuncOp>().getLoc();
  Value start = arith::ConstantIndexOp::create(builder, loc, offset);
  replaceByView(builder, use, start, {}, blob);
}

void viewWeights(func::FuncOp func, Value blob) {
  SymbolTable symbols(func->getParentOfType<ModuleOp>());
  func.walk([&](GetWeightOp use) {
    auto weight = symbols.lookup<WeightOp>(use.getWeight());
    replaceByView(use, *weight.getOffset(), blob);
  });
}

bool viewStates(func::FuncOp func, Value blob) {
  SymbolTable symbols(func->getParentOfType<ModuleOp>());
  bool found = false;
  func.walk([&](StateMemoryOp use) {
    found = true;
    auto state = symbols.lookup<StateOp>(use.getState());
    if (!state.hasContextExtents())
      return replaceByView(use, *state.getOffset(), blob);
    // At the start of the function, so that all views of a state are equal.
    OpBuilder builder = OpBuilder::atBlockBegin(&func.getBody().front());
    Value start =
        StateOffsetOp::create(builder, use.getLoc(), use.getStateAttr());
    auto type = cast<MemRefType>(use.getType());
    SmallVector<Value> sizes;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.isDynamicDim(d))
        sizes.push_back(
            cast<Value>(stateExtent(builder, use, use.getStateAttr(), d)));
    builder.setInsertionPoint(use);
    replaceByView(builder, use, start, sizes, blob);
  });
  return found;
}

} // namespace tenon
