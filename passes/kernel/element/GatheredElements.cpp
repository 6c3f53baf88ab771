// Emits elements of gathers. If the lanes have starts of their own, each lane
// reads the place that its own start gives.
#include "passes/kernel/element/ElementEmitter.h"

#include "passes/kernel/numerics/Conversions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The position of each operand dimension in the index vectors; nothing for
/// dimensions that start at zero.
static std::optional<size_t> componentOf(GatherOp op, int64_t dim) {
  const int64_t *found = llvm::find(op.getStartIndexMap(), dim);
  if (found == op.getStartIndexMap().end())
    return std::nullopt;
  return found - op.getStartIndexMap().begin();
}

/// The place of one component of the index vector of `batch`.
static SmallVector<LaneIndex>
placeOfStart(GatherOp op, ArrayRef<LaneIndex> batch, Value component) {
  SmallVector<LaneIndex> place(batch);
  int64_t vectorDim = op.getIndexVectorDim();
  if (vectorDim < tensorType(op.getIndices()).getRank())
    place.insert(place.begin() + vectorDim, LaneIndex{component, 0});
  return place;
}

Value ElementEmitter::lastStart(GatherOp op, int64_t dim) {
  int64_t size = op.getSliceSizes()[dim];
  return size == -1
             ? at().constant(0)
             : at().sub(extent(op.getOperand(), dim), at().constant(size));
}

Value ElementEmitter::emitGather(GatherOp op, ArrayRef<LaneIndex> indices) {
  Location loc = kernel.loc();
  SmallVector<LaneIndex> batch, window;
  for (auto [i, index] : llvm::enumerate(indices))
    (llvm::is_contained(op.getOffsetDims(), int64_t(i)) ? window : batch)
        .push_back(index);
  bool apart = lanes != 1 && llvm::any_of(batch, [](const LaneIndex &index) {
                 return index.stride != 0;
               });
  int64_t vectorDim = op.getIndexVectorDim();
  SmallVector<LaneIndex> mapped;
  size_t nextWindow = 0;
  for (int64_t dim = 0; dim < tensorType(op.getOperand()).getRank(); ++dim) {
    bool dropped = llvm::is_contained(op.getCollapsedDims(), dim) ||
                   llvm::is_contained(op.getOperandBatchingDims(), dim);
    LaneIndex index =
        dropped ? LaneIndex{at().constant(0), 0} : window[nextWindow++];
    if (std::optional<size_t> component = componentOf(op, dim)) {
      if (!apart) {
        Value start = scalarOf(
            op.getIndices(),
            placeOfStart(op, batch, at().constant(int64_t(*component))));
        if (!start)
          return {};
        Type element = tensorType(op.getIndices()).getElementType();
        Value wide = emitConvert(b, loc, start, element, b.getI64Type());
        Value number =
            arith::IndexCastOp::create(b, loc, b.getIndexType(), wide);
        Value clamped =
            at().max(at().min(number, lastStart(op, dim)), at().constant(0));
        index.base = at().add(index.base, clamped);
      }
    } else if (const int64_t *found =
                   llvm::find(op.getOperandBatchingDims(), dim);
               found != op.getOperandBatchingDims().end()) {
      int64_t indicesDim =
          op.getIndicesBatchingDims()[found -
                                      op.getOperandBatchingDims().begin()];
      const LaneIndex &same =
          batch[indicesDim - (indicesDim > vectorDim ? 1 : 0)];
      if (apart && same.stride != 0)
        return fail();
      index.base = same.base;
    }
    mapped.push_back(index);
  }
  return apart ? emitGatherApart(op, batch, mapped)
               : emit(op.getOperand(), mapped);
}

/// Emits lanes that start at places of their own. `mapped` has the rest of
/// their places, which is the same for all. Fails if the machine has no
/// instruction for it or the operand is not one block of memory.
Value ElementEmitter::emitGatherApart(GatherOp op, ArrayRef<LaneIndex> batch,
                                      ArrayRef<LaneIndex> mapped) {
  Location loc = kernel.loc();
  auto argument = dyn_cast<BlockArgument>(op.getOperand());
  Type element = tensorType(op.getOperand()).getElementType();
  if (!argument || !element.isIntOrFloat() ||
      (element.getIntOrFloatBitWidth() != 32 &&
       element.getIntOrFloatBitWidth() != 64))
    return fail();
  Value memory = kernel.arguments.lookup(argument);
  auto memoryType = cast<MemRefType>(memory.getType());
  if (!memoryType.getLayout().isIdentity())
    return fail();
  auto wide = VectorType::get({lanes}, b.getI64Type());
  auto repeat = [&](Value index) {
    return Lanes(b, loc,
                 broadcastToLanes(arith::IndexCastOp::create(
                     b, loc, b.getI64Type(), index)));
  };
  Lanes offset(b, loc, emitInt(b, loc, wide, 0));
  Value stride = at().constant(1);
  SmallVector<Value> bases(mapped.size());
  for (int64_t dim = int64_t(mapped.size()) - 1; dim >= 0; --dim) {
    bases[dim] = mapped[dim].base;
    if (std::optional<size_t> component = componentOf(op, dim)) {
      Value start =
          emit(op.getIndices(),
               placeOfStart(op, batch, at().constant(int64_t(*component))));
      if (!start)
        return {};
      Type stored = tensorType(op.getIndices()).getElementType();
      Lanes number(b, loc, emitConvert(b, loc, start, stored, b.getI64Type()));
      Lanes last = repeat(lastStart(op, dim)), zero = number.bits(0);
      Lanes below = (number < last).select(number, last);
      offset = offset + (zero < below).select(below, zero) * repeat(stride);
    }
    stride = at().mul(stride, extent(memory, dim));
  }
  auto type = VectorType::get({lanes}, memoryType.getElementType());
  Value mask = laneMask;
  if (!mask)
    mask = arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(VectorType::get({lanes}, b.getI1Type()), true));
  Value none = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  return vector::GatherOp::create(b, loc, type, memory, bases, offset.get(),
                                  mask, none);
}

} // namespace tenon
