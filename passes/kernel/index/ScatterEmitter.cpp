// Scatter kernels: copy the operand to the output unless they share memory,
// then apply the updates one after another in row-major order. The result for
// repeated positions depends on this order, so there is only one task.
#include "passes/kernel/index/IndexKernels.h"
#include "passes/kernel/index/UpdateTarget.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon {

namespace {
class ScatterWriter {
public:
  explicit ScatterWriter(Kernel &kernel)
      : kernel(kernel), b(kernel.builder), loc(kernel.loc()),
        emitter(kernel, 1) {}

  /// Copies `tensor` to the output unless it is stored there.
  void copy(Value tensor) {
    OpBuilder::InsertionGuard guard(b);
    if (Value memory = kernel.arguments.lookup(tensor);
        memory && isa<MemRefType>(memory.getType())) {
      Value isElsewhere = arith::CmpIOp::create(
          b, loc, arith::CmpIPredicate::ne, addressOf(memory),
          addressOf(kernel.outputs[0]));
      b.setInsertionPointToStart(
          scf::IfOp::create(b, loc, isElsewhere, false).thenBlock());
    }
    forEach(tensor, [&](ArrayRef<Value> place) {
      emitter.store(elementAt(emitter, tensor, place), elementTypeOf(tensor),
                    kernel.outputs[0], place);
    });
  }

  void scatter(ScatterOp op) {
    Value updates = op.getUpdates();
    forEach(updates, [&](ArrayRef<Value> place) { applyUpdate(op, place); });
  }

  void updateSlice(DynamicUpdateSliceOp op) {
    SmallVector<Value> starts = sliceStart(kernel, emitter, op);
    forEach(op.getUpdate(), [&](ArrayRef<Value> place) {
      SmallVector<Value> target;
      for (auto [start, offset] : llvm::zip(starts, place))
        target.push_back(index().add(start, offset));
      storeUpdate(kernel, emitter, op, place, target);
    });
  }

private:
  Value addressOf(Value memory) {
    return memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memory);
  }

  IndexBuilder index() { return {b, loc}; }

  void forEach(Value tensor, llvm::function_ref<void(ArrayRef<Value>)> body) {
    SmallVector<Value> place;
    OpBuilder::InsertionGuard guard(b);
    for (int64_t d = 0; d < cast<RankedTensorType>(tensor.getType()).getRank();
         ++d) {
      auto loop =
          scf::ForOp::create(b, loc, index().constant(0),
                             emitter.extent(tensor, d), index().constant(1));
      place.push_back(loop.getInductionVar());
      b.setInsertionPointToStart(loop.getBody());
    }
    body(place);
  }

  void applyUpdate(ScatterOp op, ArrayRef<Value> place) {
    UpdateTarget target = scatterTarget(kernel, emitter, op, place);
    OpBuilder::InsertionGuard guard(b);
    if (target.inside)
      b.setInsertionPointToStart(
          &scf::IfOp::create(b, loc, target.inside, false)
               .getThenRegion()
               .front());
    storeUpdate(kernel, emitter, op, place, target.place);
  }

  Kernel &kernel;
  OpBuilder &b;
  Location loc;
  ElementEmitter emitter;
};
} // namespace

TaskCounter emitScatter(Kernel &kernel) {
  ScatterWriter writer(kernel);
  for (Operation &op : kernel.fusion.getBlock()) {
    if (auto scatter = dyn_cast<ScatterOp>(op)) {
      writer.copy(scatter.getOperand());
      writer.scatter(scatter);
    } else if (auto update = dyn_cast<DynamicUpdateSliceOp>(op)) {
      writer.copy(update.getOperand());
      writer.updateSlice(update);
    }
  }
  return oneTask();
}

} // namespace tenon
