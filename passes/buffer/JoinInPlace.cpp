// Makes the branch of an scf.if that computes a new value write it to the
// buffer that the other branch passes on, if nothing needs the old value. A
// chain of such branches then has one buffer.
#include "passes/buffer/Passes.h"

#include "dialects/tenon/PartialUpdate.h"
#include "dialects/tenon/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/buffer/OwnElements.h"
#include "passes/buffer/SizeCloner.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_JOININPLACE
#include "passes/buffer/Passes.h.inc"

namespace {
/// One result of an scf.if, where one branch yields a buffer from outside and
/// the other one a buffer of its own.
struct Join {
  scf::IfOp branch;
  unsigned result;
  Value passed;        ///< the buffer from outside
  memref::AllocOp own; ///< in the other branch

  /// The join at result `result`, if it is one.
  static std::optional<Join> at(scf::IfOp branch, unsigned result) {
    if (branch.getElseRegion().empty())
      return std::nullopt;
    Value yes = branch.thenYield().getOperand(result),
          no = branch.elseYield().getOperand(result);
    for (auto [passed, computed] : {std::pair(yes, no), std::pair(no, yes)}) {
      auto own = computed.getDefiningOp<memref::AllocOp>();
      if (own && own->getParentOp() == branch &&
          passed.getType() == computed.getType() &&
          !branch->isAncestor(passed.getParentBlock()->getParentOp()))
        return Join{branch, result, passed, own};
    }
    return std::nullopt;
  }

  /// The kernel that writes the branch's own buffer before all other uses.
  FusionOp kernel() {
    for (Operation *user : own->getUsers())
      if (auto fusion = dyn_cast<FusionOp>(user);
          fusion && fusion.getOutputs().size() == 1 &&
          fusion.getOutputs().front() == own.getResult() &&
          llvm::all_of(own->getUsers(), [&](Operation *other) {
            Operation *here = own->getBlock()->findAncestorOpInBlock(*other);
            return here == fusion || fusion->isBeforeInBlock(here);
          }))
        return fusion->getBlock() == own->getBlock() ? fusion : FusionOp();
    return {};
  }
};

/// The allocations that a buffer may be; nullopt if it may be another's.
std::optional<SmallVector<memref::AllocOp>> allocationsOf(Value buffer) {
  SmallVector<memref::AllocOp> found;
  SmallVector<Value> open = {buffer};
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (auto alloc = next.getDefiningOp<memref::AllocOp>()) {
      found.push_back(alloc);
      continue;
    }
    auto branch = next.getDefiningOp<scf::IfOp>();
    if (!branch)
      return std::nullopt;
    unsigned number = cast<OpResult>(next).getResultNumber();
    open.push_back(branch.thenYield().getOperand(number));
    open.push_back(branch.elseYield().getOperand(number));
  }
  return found;
}

/// The size that `size` is equal to: an extent of a buffer is what all its
/// allocations have been given.
Value originOf(Value size) {
  for (;;) {
    auto dim = size.getDefiningOp<memref::DimOp>();
    std::optional<int64_t> number = dim ? dim.getConstantIndex() : std::nullopt;
    auto allocations = number ? allocationsOf(dim.getSource()) : std::nullopt;
    if (!allocations)
      return size;
    llvm::SmallSetVector<Value, 2> given;
    for (memref::AllocOp alloc : *allocations)
      given.insert(alloc.getDynamicSizes()[alloc.getType().getDynamicDimIndex(
          unsigned(*number))]);
    if (given.size() != 1)
      return size;
    size = given.front();
  }
}

bool haveEqualSizes(memref::AllocOp a, memref::AllocOp b) {
  return llvm::equal(
      a.getDynamicSizes(), b.getDynamicSizes(),
      [](Value x, Value y) { return originOf(x) == originOf(y); });
}

/// The ops of the smallest block around both that contain `op` and `other`. One
/// op is in both places if they stand in different regions of it.
std::pair<Operation *, Operation *> inOneBlock(Operation *op,
                                               Operation *other) {
  Operation *here = nullptr;
  while (!(here = other->getBlock()->findAncestorOpInBlock(*op)))
    other = other->getParentOp();
  return {here, other};
}

/// True if `op` and `other` stand in different branches: only one of them runs.
/// No loop repeats the two for one allocation.
bool areExclusive(Operation *op, Operation *other) {
  auto [here, there] = inOneBlock(op, other);
  return op != other && here == there && isa<scf::IfOp>(here);
}

bool comesFirst(Operation *op, Operation *other) {
  auto [here, there] = inOneBlock(op, other);
  return here != there && here->isBeforeInBlock(there);
}

/// True if `op` runs at most once for each run of the region of `alloc`, which
/// contains both.
bool isRunOnce(Operation *op, memref::AllocOp alloc) {
  for (; !op->getParentRegion()->isAncestor(alloc->getParentRegion());
       op = op->getParentOp())
    if (!isa<scf::IfOp>(op->getParentOp()))
      return false;
  return true;
}

struct JoinInPlace : impl::JoinInPlaceBase<JoinInPlace> {
  void runOnOperation() override {
    llvm::DenseSet<Value> numbers = buffersBehindNumbers(getOperation());
    // A branch is joined after those before it: it may pass their result on.
    getOperation()->walk<WalkOrder::PreOrder>([&](scf::IfOp branch) {
      for (unsigned i = 0; i < branch.getNumResults(); ++i)
        if (std::optional<Join> join = Join::at(branch, i))
          place(*join, numbers);
    });
  }

private:
  static void place(Join join, const llvm::DenseSet<Value> &numbers) {
    FusionOp kernel = join.kernel();
    if (!kernel)
      return;
    if (const char *obstacle = obstacleTo(join, kernel, numbers)) {
      if (auto remark =
              remarkMissed(kernel, RemarkCategory::InPlace, "own-branch"))
        remark << "the branch writes a buffer of its own" << because(obstacle);
      return;
    }
    join.own.replaceAllUsesWith(join.passed);
    join.own.erase();
    join.branch.getResult(join.result).replaceAllUsesWith(join.passed);
    if (auto remark =
            remarkDone(kernel, RemarkCategory::InPlace, "joined-branch"))
      remark << "the branch writes the buffer that the other branch passes on";
  }

  /// The reason why the kernel must not write to the buffer that is passed on;
  /// null if it may.
  static const char *obstacleTo(Join join, FusionOp kernel,
                                const llvm::DenseSet<Value> &numbers) {
    auto allocations = allocationsOf(join.passed);
    if (!allocations)
      return "the other branch passes on memory that is not a buffer of the "
             "function";
    if (numbers.contains(join.own) || numbers.contains(join.passed))
      return "sizes are computed from one of the buffers";
    for (memref::AllocOp former : *allocations) {
      if (!haveEqualSizes(former, join.own))
        return "the buffers may have different sizes";
      if (!isRunOnce(join.branch, former))
        return "a loop runs the branch again";
      if (const char *obstacle = obstacleInUses(former, join, kernel))
        return obstacle;
    }
    return nullptr;
  }

  /// Checks all uses of an allocation that may be the passed buffer, except
  /// those that the other branch passes it on to.
  static const char *obstacleInUses(memref::AllocOp former, const Join &join,
                                    FusionOp kernel) {
    llvm::DenseSet<Value> seen;
    SmallVector<Value> open = {former};
    auto follow = [&](Value alias) {
      if (seen.insert(alias).second)
        open.push_back(alias);
    };
    while (!open.empty())
      for (OpOperand &use : open.pop_back_val().getUses()) {
        Operation *user = use.getOwner();
        if (areExclusive(user, kernel))
          continue;
        if (isa<scf::YieldOp>(user)) {
          auto branch = dyn_cast<scf::IfOp>(user->getParentOp());
          if (!branch)
            return "a loop carries the buffer";
          follow(branch.getResult(use.getOperandNumber()));
        } else if (isa<memref::CastOp, memref::ReinterpretCastOp,
                       arith::SelectOp>(user)) {
          follow(user->getResult(0));
        } else if (user == kernel) {
          if (!isHarmless(use, join, kernel))
            return "the kernel reads other elements than the one it writes";
        } else if (!isa<FusionOp, memref::CopyOp, memref::DimOp,
                        memref::LoadOp>(user) ||
                   !comesFirst(user, kernel)) {
          return "another op reads the old value later";
        }
      }
    return nullptr;
  }

  /// True if the kernel may overwrite the memory that it reads by `use`.
  static bool isHarmless(OpOperand &use, const Join &join, FusionOp kernel) {
    unsigned number = use.getOperandNumber();
    if (use.get() != join.passed || number >= kernel.getInputs().size())
      return false;
    if (std::optional<PartialUpdate> update = PartialUpdate::of(kernel))
      return number == update->operand;
    return readsOwnElements(kernel, kernel.getBlock().getArgument(number));
  }
};
} // namespace
} // namespace tenon
