// The mask compares an iota with the true extent. Fusion makes it a comparison
// of indices, so that it takes no memory.
#include "passes/shape/PaddingMask.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;

namespace tenon {

Value scalarConstant(OpBuilder &builder, Location loc, Type element,
                     double value) {
  auto type = RankedTensorType::get({}, element);
  Attribute number = isa<FloatType>(element)
                         ? Attribute(FloatAttr::get(element, value))
                         : Attribute(IntegerAttr::get(element, int64_t(value)));
  return ConstantOp::create(builder, loc, DenseElementsAttr::get(type, number));
}

std::optional<double> identityOf(ReduceKind kind, Type element) {
  double infinity = std::numeric_limits<double>::infinity();
  switch (kind) {
  case ReduceKind::Add:
    return 0;
  case ReduceKind::Multiply:
    return 1;
  case ReduceKind::Maximum:
    return isa<FloatType>(element) ? std::optional(-infinity) : std::nullopt;
  case ReduceKind::Minimum:
    return isa<FloatType>(element) ? std::optional(infinity) : std::nullopt;
  default:
    return std::nullopt;
  }
}

Value maskPadding(OpBuilder &builder, Location loc, Value value,
                  ArrayRef<int64_t> dims, Value size, ArrayRef<Value> sizes,
                  double identity) {
  auto type = cast<RankedTensorType>(value.getType());
  Value filled = BroadcastInDimOp::create(
      builder, loc, type,
      scalarConstant(builder, loc, type.getElementType(), identity),
      ArrayRef<int64_t>(), sizes, type.getShape());
  auto indexType = RankedTensorType::get(type.getShape(), builder.getI64Type());
  Value end = tensor::FromElementsOp::create(
      builder, loc, RankedTensorType::get({}, builder.getI64Type()),
      Value(arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                       size)));
  Value limit =
      BroadcastInDimOp::create(builder, loc, indexType, end,
                               ArrayRef<int64_t>(), sizes, type.getShape());
  for (int64_t d : dims) {
    Value position =
        IotaOp::create(builder, loc, indexType, d, sizes, type.getShape());
    Value isReal =
        CompareOp::create(builder, loc, CompareDirection::LT, position, limit);
    value = SelectOp::create(builder, loc, isReal, value, filled);
  }
  return value;
}

} // namespace tenon
