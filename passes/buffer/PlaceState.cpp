// Finds the values of states that can stay in the states' memory. A read needs
// no copy if nothing writes the state while the value is used. A write needs no
// copy if the value's kernel can write to the state's memory. All other reads
// and writes are copies.
#include "passes/buffer/Passes.h"

#include "dialects/tenon/Remarks.h"
#include "dialects/tenon/State.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/buffer/OwnElements.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_PLACESTATE
#include "passes/buffer/Passes.h.inc"

namespace {
/// The reads and writes of one state in one function.
class StatePlacer {
public:
  StatePlacer(ArrayRef<StateReadOp> reads, ArrayRef<StateWriteOp> writes)
      : reads(reads), writes(writes) {}

  void run() {
    for (StateWriteOp write : writes)
      writers.insert(write);
    // Writes come first. If a read and a write cannot both be in place, the
    // write becomes a copy: it comes after the kernel, when fewer values are
    // live.
    for (StateWriteOp write : writes)
      report(write, placeWrite(write));
    for (StateReadOp read : reads)
      if (stays(read, read, {}))
        read.setInPlace(true);
      else if (auto remark =
                   remarkMissed(read, RemarkCategory::InPlace, "state-copied"))
        remark << ("state '" + read.getState() + "' is read by a copy").str()
               << because("the state is written while the value is used, or "
                          "the value leaves its block");
  }

private:
  static void report(StateWriteOp write, const char *obstacle) {
    if (obstacle) {
      if (auto remark =
              remarkMissed(write, RemarkCategory::InPlace, "state-copied"))
        remark
            << ("state '" + write.getState() + "' is written by a copy").str()
            << because(obstacle);
    } else if (auto remark =
                   remarkDone(write, RemarkCategory::InPlace, "state")) {
      remark << ("state '" + write.getState() + "' is written in place").str();
    }
  }

  /// True if `op`, or an op in its regions, writes the state.
  bool writesState(Operation *op) {
    return op
        ->walk([&](Operation *inner) {
          return writers.contains(inner) ? WalkResult::interrupt()
                                         : WalkResult::advance();
        })
        .wasInterrupted();
  }

  bool touchesState(Operation *op) {
    if (writesState(op))
      return true;
    return llvm::any_of(reads,
                        [&](StateReadOp read) { return op->isAncestor(read); });
  }

  /// True if only `own` writes the state between `from` and the last use of
  /// `value`, which is in the state's memory. The last use may be a kernel that
  /// writes the state, if it reads no element after it has written that
  /// element.
  bool stays(Value value, Operation *from, ArrayRef<Operation *> own) {
    Block *block = from->getBlock();
    Operation *last = from;
    SmallVector<OpOperand *> direct;
    SmallVector<Value> open = {value};
    while (!open.empty())
      for (OpOperand &use : open.pop_back_val().getUses()) {
        Operation *user = use.getOwner();
        if (isa<ReshapeOp>(user))
          llvm::append_range(open, user->getResults());
        // Any other op could pass the memory on as another value.
        else if (!isa<FusionOp, tensor::DimOp, tensor::ExtractOp, StateWriteOp,
                      func::ReturnOp>(user))
          return false;
        Operation *here = block->findAncestorOpInBlock(*user);
        if (!here)
          return false;
        if (last->isBeforeInBlock(here)) {
          last = here;
          direct.clear();
        }
        if (here == last)
          direct.push_back(&use);
      }
    for (Operation *op = from; op != last;) {
      op = op->getNextNode();
      if (!writesState(op) || llvm::is_contained(own, op))
        continue;
      bool harmless = op == last && llvm::all_of(direct, [&](OpOperand *use) {
                        return use->getOwner() == op && isHarmless(*use);
                      });
      if (!harmless)
        return false;
    }
    return true;
  }

  /// True if the use allows its op to overwrite the memory it reads.
  static bool isHarmless(OpOperand &use) {
    auto fusion = dyn_cast<FusionOp>(use.getOwner());
    if (!fusion)
      return isa<StateWriteOp>(use.getOwner());
    return use.getOperandNumber() < fusion.getInputs().size() &&
           readsOwnElements(
               fusion, fusion.getBlock().getArgument(use.getOperandNumber()));
  }

  /// Makes the kernel of the written value write to the state's memory. Returns
  /// null, or the reason why it must not.
  const char *placeWrite(StateWriteOp write) {
    auto fusion = write.getValue().getDefiningOp<FusionOp>();
    if (!fusion || fusion->getBlock() != write->getBlock())
      return "no kernel beside it computes the value";
    auto result = cast<OpResult>(write.getValue());
    OpOperand &output = fusion.getOutputsMutable()[result.getResultNumber()];
    auto empty = output.get().getDefiningOp<tensor::EmptyOp>();
    if (!empty || !empty->hasOneUse())
      return "the value has a place of its own";
    for (Operation *op = fusion->getNextNode(); op != write;
         op = op->getNextNode())
      if (touchesState(op))
        return "the state is used between the kernel and the write";
    writers.insert(fusion);
    const char *obstacle = nullptr;
    if (!stays(result, fusion, {fusion, write}))
      obstacle = "the value is used after the state has another one";
    // The old value must not be needed any more when the kernel starts.
    for (StateReadOp read : reads)
      if (!obstacle && read->getBlock() == fusion->getBlock() &&
          read->isBeforeInBlock(fusion) && staysWithout(read, fusion) &&
          !stays(read, read, {}))
        obstacle = "the kernel, or an op after it, reads the old value";
    if (obstacle) {
      writers.erase(fusion);
      return obstacle;
    }
    OpBuilder builder(fusion);
    output.set(StateMemoryOp::create(builder, write.getLoc(), result.getType(),
                                     write.getStateAttr()));
    empty->erase();
    return nullptr;
  }

  /// True if `read` could stay in place if `fusion` did not write the state.
  bool staysWithout(StateReadOp read, FusionOp fusion) {
    writers.erase(fusion);
    bool result = stays(read, read, {});
    writers.insert(fusion);
    return result;
  }

  ArrayRef<StateReadOp> reads;
  ArrayRef<StateWriteOp> writes;
  /// The write ops, and the kernels that write to the state's memory.
  DenseSet<Operation *> writers;
};

struct PlaceState : impl::PlaceStateBase<PlaceState> {
  void runOnOperation() override {
    llvm::MapVector<StringAttr, std::pair<SmallVector<StateReadOp>,
                                          SmallVector<StateWriteOp>>>
        uses;
    getOperation()->walk([&](Operation *op) {
      if (auto read = dyn_cast<StateReadOp>(op))
        uses[read.getStateAttr().getAttr()].first.push_back(read);
      else if (auto write = dyn_cast<StateWriteOp>(op))
        uses[write.getStateAttr().getAttr()].second.push_back(write);
    });
    for (auto &[name, ops] : uses)
      StatePlacer(ops.first, ops.second).run();
  }
};
} // namespace
} // namespace tenon
