// Scatter kernels: copy the operand to the output unless they share memory,
// then apply the updates one after another in row-major order. The result for
// repeated positions depends on this order, so there is only one task.
#include "passes/cpu/index/IndexKernels.h"

#include "passes/kernel/element/ElementEmitter.h"

#include "passes/kernel/numerics/Conversions.h"
#include "passes/kernel/numerics/ElementwiseEmitter.h"

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
      emitter.store(at(tensor, place), elementOf(tensor), kernel.outputs[0],
                    place);
    });
  }

  void scatter(ScatterOp op) {
    Value updates = op.getUpdates();
    forEach(updates, [&](ArrayRef<Value> place) { applyUpdate(op, place); });
  }

  void updateSlice(DynamicUpdateSliceOp op) {
    SmallVector<OpFoldResult> offsets =
        getMixedValues(op.getStaticOffsets(), op.getOffsets(), b);
    SmallVector<Value> starts;
    for (auto [d, offset] : llvm::enumerate(offsets)) {
      Value last = index().sub(emitter.extent(op.getOperand(), d),
                               emitter.extent(op.getUpdate(), d));
      starts.push_back(index().max(index().min(emitter.index(offset), last),
                                   index().constant(0)));
    }
    forEach(op.getUpdate(), [&](ArrayRef<Value> place) {
      SmallVector<Value> target;
      for (auto [start, offset] : llvm::zip(starts, place))
        target.push_back(index().add(start, offset));
      emitter.store(at(op.getUpdate(), place), elementOf(op.getUpdate()),
                    kernel.outputs[0], target);
    });
  }

private:
  Value addressOf(Value memory) {
    return memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memory);
  }

  IndexBuilder index() { return {b, loc}; }
  static Type elementOf(Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getElementType();
  }

  Value at(Value tensor, ArrayRef<Value> place) {
    SmallVector<LaneIndex> indices;
    for (Value i : place)
      indices.push_back({i, 0});
    emitter.forget();
    return emitter.emit(tensor, indices);
  }

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
    int64_t rank = cast<RankedTensorType>(op.getOperand().getType()).getRank();
    SmallVector<Value> batch, window;
    for (auto [i, position] : llvm::enumerate(place))
      (llvm::is_contained(op.getUpdateWindowDims(), int64_t(i)) ? window
                                                                : batch)
          .push_back(position);
    int64_t vectorDim = op.getIndexVectorDim();
    bool explicitVector =
        vectorDim < cast<RankedTensorType>(op.getIndices().getType()).getRank();
    SmallVector<Value> target;
    Value inside;
    size_t nextWindow = 0;
    for (int64_t d = 0; d < rank; ++d) {
      bool dropped = llvm::is_contained(op.getInsertedDims(), d) ||
                     llvm::is_contained(op.getOperandBatchingDims(), d);
      Value position = dropped ? index().constant(0) : window[nextWindow++];
      if (const int64_t *found = llvm::find(op.getIndexMap(), d);
          found != op.getIndexMap().end()) {
        SmallVector<Value> where(batch);
        if (explicitVector)
          where.insert(where.begin() + vectorDim,
                       index().constant(found - op.getIndexMap().begin()));
        Value start = emitConvert(b, loc, at(op.getIndices(), where),
                                  elementOf(op.getIndices()), b.getI64Type());
        position = index().add(position, arith::IndexCastOp::create(
                                             b, loc, b.getIndexType(), start));
        Value fits =
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, position,
                                  emitter.extent(op.getOperand(), d));
        inside =
            inside ? Value(arith::AndIOp::create(b, loc, inside, fits)) : fits;
      } else if (const int64_t *found =
                     llvm::find(op.getOperandBatchingDims(), d);
                 found != op.getOperandBatchingDims().end()) {
        int64_t indicesDim =
            op.getIndicesBatchingDims()[found -
                                        op.getOperandBatchingDims().begin()];
        position = batch[indicesDim - (indicesDim > vectorDim ? 1 : 0)];
      }
      target.push_back(position);
    }
    OpBuilder::InsertionGuard guard(b);
    if (inside)
      b.setInsertionPointToStart(
          &scf::IfOp::create(b, loc, inside, false).getThenRegion().front());
    Value update = at(op.getUpdates(), place);
    Type element = elementOf(op.getOperand());
    if (op.getKind() != ScatterKind::Set) {
      Value old = memref::LoadOp::create(b, loc, kernel.outputs[0], target);
      if (element.isInteger(1))
        old = arith::TruncIOp::create(b, loc, b.getI1Type(), old);
      update = combine(op.getKind(), element, old, update);
    }
    emitter.store(update, element, kernel.outputs[0], target);
  }

  /// Combines f16 and bf16 in f32 and rounds after each update, as their
  /// elementwise ops do.
  Value combine(ScatterKind kind, Type element, Value old, Value update) {
    Type wide = isa<Float16Type, BFloat16Type>(element) ? Type(b.getF32Type())
                                                        : element;
    auto reduce = kind == ScatterKind::Add        ? ReduceKind::Add
                  : kind == ScatterKind::Multiply ? ReduceKind::Multiply
                  : kind == ScatterKind::Maximum  ? ReduceKind::Maximum
                                                  : ReduceKind::Minimum;
    Value combined = emitCombine(b, loc, reduce, wide,
                                 emitConvert(b, loc, old, element, wide),
                                 emitConvert(b, loc, update, element, wide));
    return emitConvert(b, loc, combined, wide, element);
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
