// Emits single elements of weights that are stored in another form: in panels,
// several in a word, or with fewer bits.
#include "passes/kernel/element/ElementEmitter.h"

#include "passes/kernel/element/StoredColumns.h"
#include "passes/kernel/numerics/Conversions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Value ElementEmitter::emitUnpack(UnpackOp op, ArrayRef<LaneIndex> indices) {
  SmallVector<LaneIndex> mapped(indices);
  LaneIndex column = mapped[op.getDim()];
  // Lanes could lie in two panels.
  if (column.stride != 0 && lanes != 1)
    return fail();
  int64_t last = tensorType(op.getOperand()).getRank() - 1;
  Value width = extent(op.getOperand(), last);
  mapped.erase(mapped.begin() + op.getDim());
  mapped.insert(mapped.begin(), {at().floorDiv(column.base, width), 0});
  mapped.push_back({at().remainder(column.base, width), 0});
  return emit(op.getOperand(), mapped);
}

Value ElementEmitter::emitPart(Value words, int64_t count, Type element,
                               ArrayRef<LaneIndex> indices) {
  SmallVector<LaneIndex> mapped(indices);
  LaneIndex &depth = mapped[mapped.size() - 2];
  // Lanes could lie in several parts of a word.
  if (depth.stride != 0 && lanes != 1)
    return fail();
  Location loc = kernel.loc();
  Value part = at().remainder(depth.base, at().constant(count));
  depth = {at().floorDiv(depth.base, at().constant(count)), 0};
  Value here = emit(words, mapped);
  if (failed())
    return fail();
  Value shift = arith::IndexCastOp::create(
      b, loc, b.getI32Type(), at().mul(part, at().constant(32 / count)));
  auto like = [&](Type element) -> Type {
    auto vector = dyn_cast<VectorType>(here.getType());
    return vector ? Type(vector.clone(element)) : element;
  };
  if (isa<VectorType>(here.getType()))
    shift = vector::BroadcastOp::create(b, loc, here.getType(), shift);
  Value bits = arith::ShRUIOp::create(b, loc, here, shift);
  bits = arith::TruncIOp::create(
      b, loc, like(b.getIntegerType(element.getIntOrFloatBitWidth())), bits);
  return isa<FloatType>(element)
             ? arith::BitcastOp::create(b, loc, like(element), bits)
             : bits;
}

Value ElementEmitter::emitDequantize(DequantizeOp op,
                                     ArrayRef<LaneIndex> indices) {
  Type element = tensorType(op.getOperand()).getElementType(),
       f32 = b.getF32Type();
  auto converted = [&](Value tensor, ArrayRef<LaneIndex> place) -> Value {
    Value value = emit(tensor, place);
    Type from = tensorType(tensor).getElementType();
    return failed() ? Value() : emitConvert(b, op.getLoc(), value, from, f32);
  };
  if (!op.getScales())
    return converted(op.getOperand(), indices);
  LaneIndex depth = indices[1];
  // Lanes could lie in two groups.
  if (depth.stride != 0 && lanes != 1)
    return fail();
  auto counted = [&](int64_t step) {
    SmallVector<LaneIndex> place(indices);
    place[1] = {at().floorDiv(depth.base, at().constant(step)), 0};
    return place;
  };
  Value scale = converted(op.getScales(), counted(*op.getGroup()));
  if (failed())
    return fail();
  Value integer;
  if (element.isInteger(8)) {
    integer = converted(op.getOperand(), indices);
  } else if (Value words = emit(op.getOperand(), counted(nibblesPerWord));
             !failed()) {
    integer =
        emitNibble(b, op.getLoc(), words,
                   at().remainder(depth.base, at().constant(nibblesPerWord)));
  }
  if (failed())
    return fail();
  return arith::MulFOp::create(b, op.getLoc(), integer, scale);
}

} // namespace tenon
