// Callbacks emit the bodies, with the builder inside the loop or branch.
#include "passes/kernel/KernelLoops.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon {

void KernelLoops::forRange(Value low, Value high, int64_t step,
                           llvm::function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(b, loc, low, high, at().constant(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

KernelLoops::Values
KernelLoops::carry(Value low, Value high, int64_t step, ValueRange initial,
                   llvm::function_ref<Values(Value, const Values &)> body) {
  auto loop =
      scf::ForOp::create(b, loc, low, high, at().constant(step), initial);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Values next = body(loop.getInductionVar(), Values(loop.getRegionIterArgs()));
  if (!next.empty()) // otherwise the loop has its yield already
    scf::YieldOp::create(b, loc, next);
  return Values(loop.getResults());
}

void KernelLoops::when(Value condition, llvm::function_ref<void()> body) {
  auto branch = scf::IfOp::create(b, loc, condition, false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  body();
}

void KernelLoops::choose(Value condition, llvm::function_ref<void()> then,
                         llvm::function_ref<void()> otherwise) {
  auto branch = scf::IfOp::create(b, loc, condition, true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  then();
  b.setInsertionPointToStart(&branch.getElseRegion().front());
  otherwise();
}

KernelLoops::Values
KernelLoops::choose(Value condition, ValueRange like,
                    llvm::function_ref<Values()> then,
                    llvm::function_ref<Values()> otherwise) {
  auto branch = scf::IfOp::create(b, loc, TypeRange(like), condition, true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  scf::YieldOp::create(b, loc, then());
  b.setInsertionPointToStart(&branch.getElseRegion().front());
  scf::YieldOp::create(b, loc, otherwise());
  return Values(branch.getResults());
}

Value KernelLoops::scratchOf(Type element, int64_t elements) {
  auto sizeOf = [](Value memory) {
    return cast<MemRefType>(memory.getType()).getDimSize(0);
  };
  auto *least = kernel.idleScratch.end();
  for (auto *idle = kernel.idleScratch.begin();
       idle != kernel.idleScratch.end(); ++idle)
    if (getElementTypeOrSelf(*idle) == element && sizeOf(*idle) >= elements &&
        (least == kernel.idleScratch.end() || sizeOf(*idle) < sizeOf(*least)))
      least = idle;
  if (least != kernel.idleScratch.end()) {
    Value memory = *least;
    kernel.idleScratch.erase(least);
    return memory;
  }
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&kernel.func.getBody().front());
  kernel.scratch.push_back(
      memref::AllocaOp::create(b, loc, MemRefType::get({elements}, element),
                               b.getI64IntegerAttr(kernel.machine.getLine())));
  return kernel.scratch.back();
}

} // namespace tenon
