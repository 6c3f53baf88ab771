// Shared by all kernel emitters: types in kernels and index arithmetic.
#include "passes/kernel/Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tenon {

TaskCounter oneTask() {
  return [](OpBuilder &b, Location loc, ArrayRef<OpFoldResult>) -> Value {
    return IndexBuilder{b, loc}.constant(1);
  };
}

MemRefType kernelMemRef(Type type) {
  auto shaped = cast<ShapedType>(type);
  Type element = shaped.getElementType();
  if (auto integer = dyn_cast<IntegerType>(element))
    element =
        IntegerType::get(type.getContext(), std::max(8u, integer.getWidth()));
  return MemRefType::get(shaped.getShape(), element);
}

int64_t Kernel::lanes() {
  int64_t widest = 1;
  for (BlockArgument argument : fusion.getBlock().getArguments())
    if (auto tensor = dyn_cast<RankedTensorType>(argument.getType()))
      widest = std::max<int64_t>(widest, tensor.getElementTypeBitWidth() / 8);
  for (Value output : outputs)
    widest = std::max<int64_t>(
        widest,
        cast<MemRefType>(output.getType()).getElementTypeBitWidth() / 8);
  return std::max<int64_t>(
      4, std::min<int64_t>(machine.lanes(4), machine.lanes(widest)));
}

Value IndexBuilder::constant(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

static std::optional<int64_t> known(Value value) {
  return getConstantIntValue(value);
}

Value IndexBuilder::add(Value a, Value b) {
  if (known(a) && known(b))
    return constant(*known(a) + *known(b));
  return builder.createOrFold<arith::AddIOp>(loc, a, b);
}
Value IndexBuilder::sub(Value a, Value b) {
  if (known(a) && known(b))
    return constant(*known(a) - *known(b));
  return builder.createOrFold<arith::SubIOp>(loc, a, b);
}
Value IndexBuilder::mul(Value a, Value b) {
  if (known(a) && known(b))
    return constant(*known(a) * *known(b));
  return builder.createOrFold<arith::MulIOp>(loc, a, b);
}
Value IndexBuilder::min(Value a, Value b) {
  if (known(a) && known(b))
    return constant(std::min(*known(a), *known(b)));
  return builder.createOrFold<arith::MinSIOp>(loc, a, b);
}
Value IndexBuilder::max(Value a, Value b) {
  if (known(a) && known(b))
    return constant(std::max(*known(a), *known(b)));
  return builder.createOrFold<arith::MaxSIOp>(loc, a, b);
}
Value IndexBuilder::floorDiv(Value a, Value b) {
  if (known(b) == 1)
    return a;
  return builder.createOrFold<arith::DivUIOp>(loc, a, b);
}
Value IndexBuilder::remainder(Value a, Value b) {
  if (known(b) == 1)
    return constant(0);
  return builder.createOrFold<arith::RemUIOp>(loc, a, b);
}
Value IndexBuilder::ceilDiv(Value a, int64_t b) {
  return floorDiv(add(a, constant(b - 1)), constant(b));
}
Value IndexBuilder::less(Value a, Value b) {
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, a,
                                             b);
}

Value IndexBuilder::product(ArrayRef<OpFoldResult> sizes) {
  Value result = constant(1);
  for (OpFoldResult size : sizes)
    result = mul(result, getValueOrCreateConstantIndexOp(builder, loc, size));
  return result;
}

SmallVector<Value> IndexBuilder::delinearize(Value linear,
                                             ArrayRef<Value> extents) {
  SmallVector<Value> indices(extents.size());
  for (int64_t i = int64_t(extents.size()) - 1; i >= 0; --i) {
    if (i == 0) {
      indices[0] = linear;
      break;
    }
    indices[i] = remainder(linear, extents[i]);
    linear = floorDiv(linear, extents[i]);
  }
  return indices;
}

SmallVector<Value> IndexBuilder::successor(ArrayRef<Value> indices,
                                           ArrayRef<Value> extents,
                                           Value advances) {
  SmallVector<Value> next(indices);
  Value carry = advances;
  for (int64_t d = int64_t(next.size()) - 1; d >= 0; --d) {
    Value advanced = add(next[d], constant(1));
    if (carry)
      advanced =
          arith::SelectOp::create(builder, loc, carry, advanced, next[d]);
    if (d == 0) {
      next[d] = advanced;
      break;
    }
    // An index that did not advance is already below its extent.
    carry = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                  advanced, extents[d]);
    next[d] =
        arith::SelectOp::create(builder, loc, carry, constant(0), advanced);
  }
  return next;
}

EmittedOps::EmittedOps(OpBuilder &builder)
    : block(builder.getInsertionBlock()), end(builder.getInsertionPoint()),
      before(end == block->begin() ? nullptr : &*std::prev(end)) {}

void EmittedOps::erase() {
  while (end != block->begin() && &*std::prev(end) != before)
    std::prev(end)->erase();
}

} // namespace tenon
