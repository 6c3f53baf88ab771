// Values are joined along views, selections, branches and loops. A slot of the
// arena, a weight and a state are classes of their own: memref.view takes them
// out of their blob.
#include "passes/gpu/BufferClasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon {

static bool isMemRef(Value value) { return isa<MemRefType>(value.getType()); }

BufferClasses::BufferClasses(func::FuncOp func) {
  SmallVector<Value> found;
  auto add = [&](Value value) {
    if (!isMemRef(value))
      return;
    values.insert(key(value));
    found.push_back(value);
  };
  for (Value argument : func.getArguments())
    add(argument);
  auto body = [&](Operation *op) {
    for (Value result : op->getResults())
      add(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          add(argument);
    // The region of a fusion has tensors.
    return isa<FusionOp>(op) ? WalkResult::skip() : WalkResult::advance();
  };
  for (Operation &op : func.getBody().front())
    op.walk<WalkOrder::PreOrder>(body);
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<FusionOp>(op))
      return WalkResult::skip();
    joinValues(op);
    return WalkResult::advance();
  });
  for (Value value : found)
    describe(value);
}

void BufferClasses::join(Value a, Value b) {
  if (isMemRef(a) && isMemRef(b))
    values.unionSets(key(a), key(b));
}

void BufferClasses::joinValues(Operation *op) {
  auto joinAll = [&](ValueRange some, ValueRange others) {
    for (auto [a, b] : llvm::zip(some, others))
      join(a, b);
  };
  if (isa<memref::ViewOp>(op))
    return;
  if (auto view = dyn_cast<ViewLikeOpInterface>(op))
    return join(view.getViewSource(), op->getResult(0));
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    join(select.getTrueValue(), select.getResult());
    return join(select.getFalseValue(), select.getResult());
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
      if (!region->empty())
        joinAll(region->front().getTerminator()->getOperands(),
                branch.getResults());
    return;
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    joinAll(loop.getInitArgs(), loop.getRegionIterArgs());
    joinAll(loop.getYieldedValues(), loop.getRegionIterArgs());
    return joinAll(loop.getResults(), loop.getRegionIterArgs());
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    joinAll(loop.getInits(), loop.getBeforeArguments());
    joinAll(loop.getYieldOp().getOperands(), loop.getBeforeArguments());
    joinAll(loop.getConditionOp().getArgs(), loop.getAfterArguments());
    return joinAll(loop.getConditionOp().getArgs(), loop.getResults());
  }
  // An op of another kind that gives a memref, and has one or regions: all are
  // one class.
  if (op->getNumResults() == 0 || isa<func::FuncOp>(op))
    return;
  for (Value result : op->getResults()) {
    for (Value operand : op->getOperands())
      join(result, operand);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (!block.empty())
          for (Value yielded : block.back().getOperands())
            join(result, yielded);
  }
}

void BufferClasses::describe(Value value) {
  BufferClass &to = of(value);
  Operation *op = value.getDefiningOp();
  if (!op) {
    MemoryRoot root = memoryRootOf(value);
    auto argument = cast<BlockArgument>(value);
    bool isParameter = isa<func::FuncOp>(argument.getOwner()->getParentOp());
    to.isInput |= root == MemoryRoot::Input;
    to.isOutput |= root == MemoryRoot::Output;
    to.isState |= root == MemoryRoot::State;
    to.isOfHost |= isParameter && root == MemoryRoot::Other;
    to.hasCounterpart &= root == MemoryRoot::Input ||
                         root == MemoryRoot::Arena ||
                         root == MemoryRoot::Weights;
    return;
  }
  if (isa<memref::AllocaOp, memref::GetGlobalOp>(op)) {
    to.isOfHost = true;
    return;
  }
  if (auto view = dyn_cast<memref::ViewOp>(op)) {
    Value blob = view.getSource();
    while (auto outer = blob.getDefiningOp<memref::ViewOp>())
      blob = outer.getSource();
    MemoryRoot root = memoryRootOf(blob);
    to.isState |= root == MemoryRoot::State;
    to.hasCounterpart &=
        root == MemoryRoot::Arena || root == MemoryRoot::Weights;
    return;
  }
  if (!isa<ViewLikeOpInterface, arith::SelectOp>(op))
    to.hasCounterpart = false;
}

} // namespace tenon
