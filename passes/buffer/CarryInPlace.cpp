// Writes each value that a loop carries into the buffer that carries it, so
// that an iteration allocates no memory.
#include "passes/buffer/Passes.h"

#include "dialects/tenon/PartialUpdate.h"
#include "dialects/tenon/Remarks.h"
#include "dialects/tenon/TenonDialect.h"
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

  /// Copies the initial values that an outer loop carries: the outer loop
  /// overwrites its buffer at the end of its iteration, and this loop would
  /// write it earlier.
  static void saveInits(LoopLikeOpInterface loop) {
    OpBuilder builder(loop);
    for (OpOperand &init : loop.getInitsMutable()) {
      Value value = init.get();
      while (auto reshape = value.getDefiningOp<ReshapeOp>())
        value = reshape.getOperand();
      auto carried = dyn_cast<BlockArgument>(value);
      if (carried && isa<RankedTensorType>(init.get().getType()) &&
          isa<LoopLikeOpInterface>(carried.getOwner()->getParentOp())) {
        init.set(save(builder, loop.getLoc(), init.get()));
        reportCopy(loop, init.getOperandNumber(),
                   "an outer loop carries the first value");
      }
    }
  }

  /// Writes the operands of `terminator` from number `first` on into `buffers`,
  /// if their types agree.
  static void carry(Operation *terminator, unsigned first, ValueRange buffers) {
    OpBuilder builder(terminator);
    SmallVector<unsigned> carried;
    for (auto [i, buffer] : llvm::enumerate(buffers)) {
      if (first + i >= terminator->getNumOperands())
        break;
      Value value = terminator->getOperand(first + i);
      if (!isa<RankedTensorType>(buffer.getType()) || value == buffer)
        continue;
      if (value.getType() == buffer.getType())
        carried.push_back(i);
      else
        reportCopy(terminator, i, "its type changes");
    }
    // If carried values exchange places, a value is saved before its buffer is
    // overwritten.
    for (auto [n, i] : llvm::enumerate(carried)) {
      OpOperand &operand = terminator->getOpOperand(first + i);
      if (llvm::any_of(ArrayRef(carried).take_front(n), [&](unsigned j) {
            return mayBe(operand.get(), buffers[j]);
          })) {
        operand.set(save(builder, terminator->getLoc(), operand.get()));
        reportCopy(terminator, i, "another carried value is written first");
      }
    }
    for (unsigned i : carried) {
      OpOperand &operand = terminator->getOpOperand(first + i);
      updateInPlace(operand.get(), buffers[i]);
      operand.set(bufferization::MaterializeInDestinationOp::create(
                      builder, terminator->getLoc(), operand.get(), buffers[i])
                      ->getResult(0));
      if (auto remark = remarkDone(terminator->getParentOp(),
                                   RemarkCategory::InPlace, "carried"))
        remark << llvm::formatv("carried value {0} is written to the buffer "
                                "that carries it",
                                i)
                      .str();
    }
  }

  /// Reports that a loop copies carried value `number` in each iteration or at
  /// its start. `op` is the loop or one of its terminators.
  static void reportCopy(Operation *op, unsigned number, StringRef why) {
    if (op->hasTrait<OpTrait::IsTerminator>())
      op = op->getParentOp();
    if (auto remark =
            remarkMissed(op, RemarkCategory::InPlace, "carried-copied"))
      remark << llvm::formatv("carried value {0} is copied", number).str()
             << because(why);
  }

  /// Makes a kernel that updates a few elements of the carried value write only
  /// these elements. Bufferization adds a copy if the old value is read later.
  static void updateInPlace(Value value, Value buffer) {
    auto fusion = value.getDefiningOp<FusionOp>();
    std::optional<PartialUpdate> update =
        fusion ? PartialUpdate::of(fusion) : std::nullopt;
    if (update && fusion.getInputs()[update->operand] == buffer)
      fusion.getOutputsMutable()[0].assign(buffer);
  }

  /// True if `value` may be in the memory of `buffer`.
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
