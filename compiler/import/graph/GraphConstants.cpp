// The constants of the graph builder, and tensors made of sizes.
#include "compiler/import/graph/GraphBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace tenon {

Value GraphBuilder::constant(ElementsAttr value) {
  return make<ConstantOp>(value);
}

TypedAttr GraphBuilder::elementAttr(Type element, double value) {
  if (auto type = dyn_cast<FloatType>(element)) {
    APFloat number(value);
    bool lossy;
    number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &lossy);
    return FloatAttr::get(type, number);
  }
  auto type = cast<IntegerType>(element);
  unsigned width = type.getWidth();
  if (width == 1)
    return IntegerAttr::get(type, APInt(1, value != 0));
  llvm::APSInt number(width, type.isUnsigned());
  bool exact;
  APFloat(value).convertToInteger(number, APFloat::rmTowardZero, &exact);
  return IntegerAttr::get(type, number);
}

Value GraphBuilder::scalar(Type element, double value) {
  return constant(
      DenseElementsAttr::get(RankedTensorType::get({}, element),
                             Attribute(elementAttr(element, value))));
}

Value GraphBuilder::scalarInt(Type element, int64_t value) {
  if (isa<FloatType>(element))
    return scalar(element, double(value));
  APInt bits(64, uint64_t(value));
  auto type = cast<IntegerType>(element);
  auto attr = IntegerAttr::get(type, type.getWidth() == 1
                                         ? APInt(1, value != 0)
                                         : bits.trunc(type.getWidth()));
  return constant(DenseElementsAttr::get(RankedTensorType::get({}, element),
                                         Attribute(attr)));
}

Value GraphBuilder::splat(Type element, ArrayRef<Size> sizes, double value) {
  if (std::optional<SmallVector<int64_t>> shape = staticSizes(sizes))
    return constant(
        DenseElementsAttr::get(RankedTensorType::get(*shape, element),
                               Attribute(elementAttr(element, value))));
  return broadcastInDim(scalar(element, value), {}, sizes);
}

Value GraphBuilder::splatLike(Value like, double value) {
  return splat(elementOf(like), sizes(like), value);
}

Value GraphBuilder::ints(ArrayRef<int64_t> values) {
  return constant(DenseElementsAttr::get(
      RankedTensorType::get({int64_t(values.size())}, i64()), values));
}

Value GraphBuilder::floats(Type element, ArrayRef<double> values,
                           ArrayRef<int64_t> shape) {
  SmallVector<Attribute> elements;
  for (double value : values)
    elements.push_back(elementAttr(element, value));
  return constant(
      DenseElementsAttr::get(RankedTensorType::get(shape, element), elements));
}

double GraphBuilder::leastOf(Type element) {
  if (isa<FloatType>(element))
    return -std::numeric_limits<double>::infinity();
  unsigned width = element.getIntOrFloatBitWidth();
  return element.isUnsignedInteger() ? 0 : -std::ldexp(1.0, width - 1);
}

Value GraphBuilder::fromSize(Size size, Type element) {
  if (std::optional<int64_t> number = staticSize(size))
    return scalarInt(element, *number);
  Value whole = make<arith::IndexCastOp>(i64(), indexValue(size));
  Value tensor = make<tensor::FromElementsOp>(RankedTensorType::get({}, i64()),
                                              ValueRange(whole));
  return convert(tensor, element);
}

Value GraphBuilder::fromSizes(ArrayRef<Size> sizes) {
  if (std::optional<SmallVector<int64_t>> numbers = staticSizes(sizes))
    return ints(*numbers);
  SmallVector<Value> elements;
  for (Size size : sizes)
    elements.push_back(make<arith::IndexCastOp>(i64(), indexValue(size)));
  return make<tensor::FromElementsOp>(
      RankedTensorType::get({int64_t(sizes.size())}, i64()), elements);
}

Value GraphBuilder::extractScalar(Value tensor) {
  SmallVector<Value> zeros(rankOf(tensor), indexValue(index(0)));
  return make<tensor::ExtractOp>(tensor, zeros);
}

} // namespace tenon
