// Finds the values of states that can stay in the states' memory. A read needs
// no copy if nothing writes the state while the value is used. A write needs no
// copy if the value's kernel can write to the state's memory. All other reads
// and writes are copies.
#include "passes/buffer/Passes.h"

#include "dialects/tenon/PartialUpdate.h"
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
    if (std::optional<PartialUpdate> update = PartialUpdate::of(fusion))
      return use.getOperandNumber() == update->operand;
    return use.getOperandNumber() < fusion.getInputs().size() &&
           readsOwnElements(
               fusion, fusion.getBlock().getArgument(use.getOperandNumber()));
  }

  /// The tensor.empty that `fusion` writes `result` to, if nothing else needs
  /// it; null otherwise.
  static tensor::EmptyOp freshPlace(FusionOp fusion, OpResult result) {
    auto empty = fusion.getOutputs()[result.getResultNumber()]
                     .getDefiningOp<tensor::EmptyOp>();
    return empty && empty->hasOneUse() ? empty : tensor::EmptyOp();
  }

  /// The result of a kernel that may write to the state's memory.
  struct Step {
    FusionOp fusion;
    OpResult result;
  };

  /// The kernels that compute the written value, in order: each one after the
  /// first updates a part of the result before it. `obstacle` says why there
  /// are no further ones.
  static SmallVector<Step> stepsOf(StateWriteOp write, const char *&obstacle) {
    SmallVector<Step> steps;
    for (Value value = write.getValue();;) {
      auto fusion = value.getDefiningOp<FusionOp>();
      if (!fusion || fusion->getBlock() != write->getBlock()) {
        obstacle = "no kernel beside it computes the value";
        break;
      }
      auto result = cast<OpResult>(value);
      if (!freshPlace(fusion, result)) {
        obstacle = "the value has a place of its own";
        break;
      }
      steps.insert(steps.begin(), {fusion, result});
      std::optional<PartialUpdate> update = PartialUpdate::of(fusion);
      if (!update)
        break;
      value = fusion.getInputs()[update->operand];
    }
    return steps;
  }

  /// Makes the kernels of the written value write to the state's memory.
  /// Returns null, or the reason why the whole value is copied.
  const char *placeWrite(StateWriteOp write) {
    const char *obstacle = nullptr;
    SmallVector<Step> steps = stepsOf(write, obstacle);
    if (steps.empty())
      return obstacle;
    ArrayRef<Step> placed = steps;
    for (; !placed.empty(); placed = placed.drop_front()) {
      const char *found = obstacleTo(placed, write);
      if (!found)
        break;
      obstacle = found;
    }
    if (placed.empty())
      return obstacle;
    for (auto [fusion, result] : placed) {
      OpBuilder builder(fusion);
      tensor::EmptyOp empty = freshPlace(fusion, result);
      fusion.getOutputsMutable()[result.getResultNumber()].set(
          StateMemoryOp::create(builder, write.getLoc(), result.getType(),
                                write.getStateAttr()));
      empty->erase();
      residents.push_back(result);
    }
    FusionOp first = placed.front().fusion;
    std::optional<PartialUpdate> update = PartialUpdate::of(first);
    if (!update || isInState(first.getInputs()[update->operand]))
      return nullptr;
    return placed.size() < steps.size()
               ? obstacle
               : "its kernel updates a value that is not in the state";
  }

  /// The reason why not all of `steps` may write to the state's memory; null,
  /// with the steps among the writers, if they may.
  const char *obstacleTo(ArrayRef<Step> steps, StateWriteOp write) {
    auto isStep = [&](Operation *op) {
      return llvm::any_of(steps,
                          [&](const Step &step) { return step.fusion == op; });
    };
    for (Operation *op = steps.front().fusion->getNextNode(); op != write;
         op = op->getNextNode())
      if (!isStep(op) && touchesState(op))
        return "the state is used between the kernel and the write";
    SmallVector<StateReadOp> stayed;
    for (StateReadOp read : reads)
      if (read->getBlock() == write->getBlock() && stays(read, read, {}))
        stayed.push_back(read);
    for (const Step &step : steps)
      writers.insert(step.fusion);
    const char *obstacle = nullptr;
    for (auto [n, step] : llvm::enumerate(steps)) {
      bool last = n + 1 == steps.size();
      if (!stays(step.result, step.fusion,
                 last ? ArrayRef<Operation *>{write} : ArrayRef<Operation *>()))
        obstacle = "the value is used after the state has another one";
    }
    // Old values must not be needed any more when the kernels start.
    for (OpResult resident : residents)
      if (!stays(resident, resident.getOwner(), ownWriteOf(resident)))
        obstacle = "an op after the kernel reads the old value";
    for (StateReadOp read : stayed)
      if (read->isBeforeInBlock(steps.front().fusion) && !stays(read, read, {}))
        obstacle = "the kernel, or an op after it, reads the old value";
    if (obstacle)
      for (const Step &step : steps)
        writers.erase(step.fusion);
    return obstacle;
  }

  /// The write that stores `resident`, which changes no element.
  static SmallVector<Operation *> ownWriteOf(OpResult resident) {
    SmallVector<Operation *> own;
    for (Operation *user : resident.getUsers())
      if (isa<StateWriteOp>(user))
        own.push_back(user);
    return own;
  }

  /// True if `value` is in the state's memory.
  bool isInState(Value value) {
    if (auto read = value.getDefiningOp<StateReadOp>())
      return llvm::is_contained(reads, read) && stays(read, read, {});
    return llvm::is_contained(residents, value);
  }

  ArrayRef<StateReadOp> reads;
  ArrayRef<StateWriteOp> writes;
  /// The write ops, and the kernels that write to the state's memory.
  DenseSet<Operation *> writers;
  /// The results of these kernels.
  SmallVector<OpResult> residents;
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
