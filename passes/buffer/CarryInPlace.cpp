// What a loop carries is written into the buffer that carries it, so that a
// loop needs no memory per iteration.
#include "passes/buffer/Passes.h"

#include "dialects/tenon/TenonDialect.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/buffer/OwnElements.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_CARRYINPLACE
#include "passes/buffer/Passes.h.inc"

namespace {
struct CarryInPlace : impl::CarryInPlaceBase<CarryInPlace> {
  void runOnOperation() override {
    getOperation()->walk([](LoopLikeOpInterface loop) {
      saveInits(loop);
      if (isa<scf::ForOp>(loop))
        carry(loop->getRegion(0).front().getTerminator(), 0,
              loop.getRegionIterArgs());
      if (auto loopWhile = dyn_cast<scf::WhileOp>(*loop)) {
        carry(loopWhile.getConditionOp(), 1, loopWhile.getBeforeArguments());
        carry(loopWhile.getYieldOp(), 0, loopWhile.getAfterArguments());
      }
    });
  }

  /// What a loop around carries is overwritten when its own iteration ends; a
  /// loop inside that starts with it writes a copy.
  static void saveInits(LoopLikeOpInterface loop) {
    OpBuilder builder(loop);
    for (OpOperand &init : loop.getInitsMutable()) {
      Value value = init.get();
      while (auto reshape = value.getDefiningOp<ReshapeOp>())
        value = reshape.getOperand();
      auto carried = dyn_cast<BlockArgument>(value);
      if (carried && isa<RankedTensorType>(init.get().getType()) &&
          isa<LoopLikeOpInterface>(carried.getOwner()->getParentOp()))
        init.set(save(builder, loop.getLoc(), init.get()));
    }
  }

  /// Operands of `terminator` from number `first` on are written into
  /// `buffers`, where their types agree.
  static void carry(Operation *terminator, unsigned first, ValueRange buffers) {
    OpBuilder builder(terminator);
    SmallVector<unsigned> carried;
    for (auto [i, buffer] : llvm::enumerate(buffers)) {
      if (first + i >= terminator->getNumOperands())
        break;
      Value value = terminator->getOperand(first + i);
      if (isa<RankedTensorType>(buffer.getType()) && value != buffer &&
          value.getType() == buffer.getType())
        carried.push_back(i);
    }
    // Values that trade places are saved before the first of them is
    // overwritten.
    for (auto [n, i] : llvm::enumerate(carried)) {
      OpOperand &operand = terminator->getOpOperand(first + i);
      if (llvm::any_of(ArrayRef(carried).take_front(n), [&](unsigned j) {
            return mayBe(operand.get(), buffers[j]);
          }))
        operand.set(save(builder, terminator->getLoc(), operand.get()));
    }
    for (unsigned i : carried) {
      OpOperand &operand = terminator->getOpOperand(first + i);
      updateInPlace(operand.get(), buffers[i]);
      operand.set(bufferization::MaterializeInDestinationOp::create(
                      builder, terminator->getLoc(), operand.get(), buffers[i])
                      ->getResult(0));
    }
  }

  /// Makes an update of a few elements of the carried value write these alone.
  /// Bufferization makes a copy where the old value is read afterwards.
  static void updateInPlace(Value value, Value buffer) {
    auto fusion = value.getDefiningOp<FusionOp>();
    std::optional<unsigned> input =
        fusion ? updatedInput(fusion) : std::nullopt;
    if (input && fusion.getInputs()[*input] == buffer)
      fusion.getOutputsMutable()[0].assign(buffer);
  }

  /// Whether `value` may lie in the memory of `buffer`.
  static bool mayBe(Value value, Value buffer) {
    while (auto reshape = value.getDefiningOp<ReshapeOp>())
      value = reshape.getOperand();
    Operation *op = value.getDefiningOp();
    return value == buffer ||
           (op && op->getNumRegions() > 0 && !isa<FusionOp>(op));
  }

  static Value save(OpBuilder &builder, Location loc, Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    return bufferization::AllocTensorOp::create(builder, loc, type,
                                                ValueRange(), value);
  }
};
} // namespace
} // namespace tenon
