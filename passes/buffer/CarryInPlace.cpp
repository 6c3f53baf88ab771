// What a loop carries is written into the buffer that carries it, so that a loop needs no memory per iteration.
#include "passes/buffer/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_CARRYINPLACE
#include "passes/buffer/Passes.h.inc"

namespace {
struct CarryInPlace : impl::CarryInPlaceBase<CarryInPlace> {
  void runOnOperation() override {
    getOperation()->walk([](LoopLikeOpInterface loop) {
      if (isa<scf::ForOp>(loop))
        carry(loop->getRegion(0).front().getTerminator(), 0, loop.getRegionIterArgs());
      if (auto loopWhile = dyn_cast<scf::WhileOp>(*loop)) {
        carry(loopWhile.getConditionOp(), 1, loopWhile.getBeforeArguments());
        carry(loopWhile.getYieldOp(), 0, loopWhile.getAfterArguments());
      }
    });
  }

  /// Operands of `terminator` from number `first` on are written into `buffers`, where their types agree.
  static void carry(Operation *terminator, unsigned first, ValueRange buffers) {
    OpBuilder builder(terminator);
    for (auto [i, buffer] : llvm::enumerate(buffers)) {
      if (first + i >= terminator->getNumOperands())
        return;
      OpOperand &operand = terminator->getOpOperand(first + i);
      if (!isa<RankedTensorType>(buffer.getType()) || operand.get() == buffer || operand.get().getType() != buffer.getType())
        continue;
      operand.set(bufferization::MaterializeInDestinationOp::create(builder, terminator->getLoc(), operand.get(), buffer)
                      ->getResult(0));
    }
  }
};
} // namespace
} // namespace tenon
