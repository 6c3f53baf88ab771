// Update elements that differ in an independent dimension have different
// targets: each such row of updates is a unit. If there are fewer units than
// threads, several threads share a unit. All of them go over its updates in
// order, and each one writes the targets that it owns.
#include "passes/gpu/DeviceUpdate.h"

#include "dialects/tenon/PartialUpdate.h"
#include "passes/kernel/KernelLoops.h"
#include "passes/kernel/index/UpdateTarget.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon {

/// Enough threads for all multiprocessors of a large device. More would read
/// the indices more often.
constexpr int64_t mostTasks = 16384;
/// Spreads neighbours: 2^32 divided by the golden ratio.
constexpr int64_t multiplier = 2654435769;

static Operation *updateOf(FusionOp fusion) {
  for (Operation &op : fusion.getBlock())
    if (isa<ScatterOp, DynamicUpdateSliceOp>(op))
      return &op;
  llvm_unreachable("a scatter kernel has an update");
}

namespace {
class DeviceUpdate : KernelLoops {
public:
  DeviceUpdate(Kernel &kernel, int64_t tasks)
      : KernelLoops(kernel), tasks(tasks), op(updateOf(kernel.fusion)),
        scatter(dyn_cast<ScatterOp>(op)), scalars(kernel, 1) {
    Value elements = PartialUpdate{op, 0}.update();
    int64_t rank = cast<RankedTensorType>(elements.getType()).getRank();
    for (int64_t d = 0; d < rank; ++d) {
      extents.push_back(scalars.extent(elements, d));
      bool isIndependent = !scatter || hasOwnTargets(scatter, d);
      (isIndependent ? independent : ordered).push_back(d);
    }
  }

  void emit() {
    if (auto slice = dyn_cast<DynamicUpdateSliceOp>(op))
      start = sliceStart(kernel, scalars, slice);
    Value units = at().constant(1), all = at().constant(tasks);
    Values unitExtents;
    for (int64_t d : independent) {
      unitExtents.push_back(extents[d]);
      units = at().mul(units, extents[d]);
    }
    Value sharers = countSharers(units);
    Value groups = at().floorDiv(all, sharers),
          group = at().floorDiv(kernel.begin, sharers);
    owner = at().remainder(kernel.begin, sharers);
    owners = sharers;
    // The last threads may be too few for a group.
    when(at().less(group, groups), [&] {
      auto loop = scf::ForOp::create(b, loc, group, units, groups);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Values place(extents.size());
      Values unit =
          unitExtents.empty()
              ? Values()
              : Values(at().delinearize(loop.getInductionVar(), unitExtents));
      for (auto [d, index] : llvm::zip_equal(independent, unit))
        place[d] = index;
      writeInOrder(place, ordered);
    });
  }

private:
  /// The number of threads that share a unit: not more than it has targets.
  Value countSharers(Value units) {
    Value one = at().constant(1);
    if (ordered.empty())
      return one;
    Value targets = one;
    for (int64_t d : scatter.getIndexMap())
      targets = at().mul(targets, scalars.extent(kernel.outputs[0], d));
    Value each = at().floorDiv(at().constant(tasks), at().max(units, one));
    return at().max(at().min(each, targets), one);
  }

  void writeInOrder(Values place, ArrayRef<int64_t> dims) {
    if (dims.empty())
      return write(place);
    forRange(at().constant(0), extents[dims.front()], 1, [&](Value index) {
      place[dims.front()] = index;
      writeInOrder(place, dims.drop_front());
    });
  }

  void write(ArrayRef<Value> place) {
    UpdateTarget target;
    if (scatter)
      target = scatterTarget(kernel, scalars, scatter, place);
    else
      for (auto [first, offset] : llvm::zip_equal(start, place))
        target.place.push_back(at().add(first, offset));
    Value isMine = target.inside;
    if (!ordered.empty()) {
      Value owned = owns(target.place);
      isMine =
          isMine ? Value(arith::AndIOp::create(b, loc, isMine, owned)) : owned;
    }
    if (!isMine)
      return store(place, target.place);
    when(isMine, [&] { store(place, target.place); });
  }

  /// True if this thread owns the target among the threads of its unit.
  Value owns(ArrayRef<Value> target) {
    Value number = at().constant(0);
    for (int64_t d : scatter.getIndexMap())
      number = at().add(at().mul(number, scalars.extent(kernel.outputs[0], d)),
                        target[d]);
    Type i32 = b.getI32Type(), i64 = b.getI64Type();
    Value spread = arith::MulIOp::create(
        b, loc, arith::IndexCastOp::create(b, loc, i32, number),
        arith::ConstantIntOp::create(b, loc, i32, multiplier));
    Value wide = arith::MulIOp::create(
        b, loc, arith::ExtUIOp::create(b, loc, i64, spread),
        arith::IndexCastOp::create(b, loc, i64, owners));
    Value theOwner = arith::ShRUIOp::create(
        b, loc, wide, arith::ConstantIntOp::create(b, loc, i64, 32));
    return arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::eq, theOwner,
        arith::IndexCastOp::create(b, loc, i64, owner));
  }

  void store(ArrayRef<Value> place, ArrayRef<Value> target) {
    ElementEmitter emitter(kernel, 1);
    storeUpdate(kernel, emitter, op, place, target);
  }

  int64_t tasks;
  Operation *op;
  ScatterOp scatter; ///< null for another op
  ElementEmitter scalars;
  SmallVector<int64_t> independent, ordered; ///< dimensions of the update
  Values extents;                            ///< of the update
  Values start;                              ///< of a slice
  /// The number of the thread among those that share its unit, and how many
  /// they are.
  Value owner, owners;
};
} // namespace

DeviceUpdatePlanAttr planDeviceUpdate(FusionOp fusion) {
  Operation *op = updateOf(fusion);
  auto update = cast<RankedTensorType>(PartialUpdate{op, 0}.update().getType()),
       result = cast<RankedTensorType>(op->getResult(0).getType());
  int64_t tasks = mostTasks;
  // No element of the output has two threads.
  if (result.hasStaticShape())
    tasks = std::clamp<int64_t>(result.getNumElements(), 1, mostTasks);
  bool isOrdered = false;
  if (auto scatter = dyn_cast<ScatterOp>(op))
    for (int64_t d = 0; d < update.getRank(); ++d)
      isOrdered |= !hasOwnTargets(scatter, d);
  if (!isOrdered && update.hasStaticShape())
    tasks = std::clamp<int64_t>(update.getNumElements(), 1, mostTasks);
  return DeviceUpdatePlanAttr::get(fusion.getContext(), tasks);
}

Value copiedBeforeUpdate(FusionOp fusion) {
  Value operand = updateOf(fusion)->getOperand(0);
  auto argument = dyn_cast<BlockArgument>(operand);
  if (argument &&
      fusion.getInputs()[argument.getArgNumber()] == fusion.getOutputs()[0])
    return {};
  return operand;
}

TaskCounter emitDeviceUpdate(Kernel &kernel, DeviceUpdatePlanAttr plan) {
  DeviceUpdate(kernel, plan.getTasks()).emit();
  return [tasks = plan.getTasks()](OpBuilder &b, Location loc,
                                   ArrayRef<OpFoldResult>) -> Value {
    return IndexBuilder{b, loc}.constant(tasks);
  };
}

} // namespace tenon
