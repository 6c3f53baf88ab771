// Positions from index vectors, windows and batching dimensions, as the
// StableHLO specification defines them.
#include "passes/kernel/index/UpdateTarget.h"

#include "dialects/tenon/PartialUpdate.h"
#include "passes/kernel/numerics/Conversions.h"
#include "passes/kernel/numerics/ElementwiseEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace tenon {

SmallVector<Value> sliceStart(Kernel &kernel, ElementEmitter &emitter,
                              DynamicUpdateSliceOp op) {
  IndexBuilder at{kernel.builder, kernel.loc()};
  SmallVector<OpFoldResult> offsets =
      getMixedValues(op.getStaticOffsets(), op.getOffsets(), kernel.builder);
  SmallVector<Value> starts;
  for (auto [d, offset] : llvm::enumerate(offsets)) {
    Value last = at.sub(emitter.extent(op.getOperand(), d),
                        emitter.extent(op.getUpdate(), d));
    starts.push_back(
        at.max(at.min(emitter.index(offset), last), at.constant(0)));
  }
  return starts;
}

bool hasOwnTargets(ScatterOp op, int64_t dim) {
  ArrayRef<int64_t> windows = op.getUpdateWindowDims();
  int64_t windowsBefore =
      llvm::count_if(windows, [&](int64_t window) { return window < dim; });
  if (!llvm::is_contained(windows, dim)) {
    int64_t indices = dim - windowsBefore;
    indices += indices >= int64_t(op.getIndexVectorDim());
    return llvm::is_contained(op.getIndicesBatchingDims(), indices);
  }
  int64_t target = 0;
  for (int64_t seen = 0;; ++target) {
    bool dropped = llvm::is_contained(op.getInsertedDims(), target) ||
                   llvm::is_contained(op.getOperandBatchingDims(), target);
    if (!dropped && seen++ == windowsBefore)
      break;
  }
  return !llvm::is_contained(op.getIndexMap(), target);
}

UpdateTarget scatterTarget(Kernel &kernel, ElementEmitter &emitter,
                           ScatterOp op, ArrayRef<Value> place) {
  OpBuilder &b = kernel.builder;
  Location loc = kernel.loc();
  IndexBuilder index{b, loc};
  int64_t rank = cast<RankedTensorType>(op.getOperand().getType()).getRank();
  SmallVector<Value> batch, window;
  for (auto [i, position] : llvm::enumerate(place))
    (llvm::is_contained(op.getUpdateWindowDims(), int64_t(i)) ? window : batch)
        .push_back(position);
  int64_t vectorDim = op.getIndexVectorDim();
  bool explicitVector =
      vectorDim < cast<RankedTensorType>(op.getIndices().getType()).getRank();
  UpdateTarget target;
  size_t nextWindow = 0;
  for (int64_t d = 0; d < rank; ++d) {
    bool dropped = llvm::is_contained(op.getInsertedDims(), d) ||
                   llvm::is_contained(op.getOperandBatchingDims(), d);
    Value position = dropped ? index.constant(0) : window[nextWindow++];
    if (const int64_t *found = llvm::find(op.getIndexMap(), d);
        found != op.getIndexMap().end()) {
      SmallVector<Value> where(batch);
      if (explicitVector)
        where.insert(where.begin() + vectorDim,
                     index.constant(found - op.getIndexMap().begin()));
      Value start =
          emitConvert(b, loc, elementAt(emitter, op.getIndices(), where),
                      elementTypeOf(op.getIndices()), b.getI64Type());
      position = index.add(position, arith::IndexCastOp::create(
                                         b, loc, b.getIndexType(), start));
      Value fits =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, position,
                                emitter.extent(op.getOperand(), d));
      target.inside =
          target.inside
              ? Value(arith::AndIOp::create(b, loc, target.inside, fits))
              : fits;
    } else if (const int64_t *found =
                   llvm::find(op.getOperandBatchingDims(), d);
               found != op.getOperandBatchingDims().end()) {
      int64_t indicesDim =
          op.getIndicesBatchingDims()[found -
                                      op.getOperandBatchingDims().begin()];
      position = batch[indicesDim - (indicesDim > vectorDim ? 1 : 0)];
    }
    target.place.push_back(position);
  }
  return target;
}

Value combineUpdate(OpBuilder &b, Location loc, ScatterKind kind, Type element,
                    Value old, Value update) {
  Type wide =
      isa<Float16Type, BFloat16Type>(element) ? Type(b.getF32Type()) : element;
  auto reduce = kind == ScatterKind::Add        ? ReduceKind::Add
                : kind == ScatterKind::Multiply ? ReduceKind::Multiply
                : kind == ScatterKind::Maximum  ? ReduceKind::Maximum
                                                : ReduceKind::Minimum;
  Value combined =
      emitCombine(b, loc, reduce, wide, emitConvert(b, loc, old, element, wide),
                  emitConvert(b, loc, update, element, wide));
  return emitConvert(b, loc, combined, wide, element);
}

void storeUpdate(Kernel &kernel, ElementEmitter &emitter, Operation *op,
                 ArrayRef<Value> place, ArrayRef<Value> target) {
  OpBuilder &b = kernel.builder;
  Location loc = kernel.loc();
  Type element = elementTypeOf(op->getOperand(0));
  Value update = elementAt(emitter, PartialUpdate{op, 0}.update(), place);
  auto scatter = dyn_cast<ScatterOp>(op);
  if (scatter && scatter.getKind() != ScatterKind::Set) {
    Value old = memref::LoadOp::create(b, loc, kernel.outputs[0], target);
    if (element.isInteger(1))
      old = arith::TruncIOp::create(b, loc, b.getI1Type(), old);
    update = combineUpdate(b, loc, scatter.getKind(), element, old, update);
  }
  emitter.store(update, element, kernel.outputs[0], target);
}

} // namespace tenon
