// Finds the values of small tensors for the importers by tracing their
// elements.
#include "compiler/import/sizes/ShapeValues.h"

#include "compiler/import/sizes/ElementTracer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tenon {

DenseElementsAttr ShapeValues::constantOf(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  if (auto constant = dyn_cast_if_present<ConstantOp>(op))
    return dyn_cast<DenseElementsAttr>(constant.getValue());
  auto type = GraphBuilder::typeOf(tensor);
  if (!op || !type.hasStaticShape())
    return {};
  if (isa<ReshapeOp>(op))
    if (DenseElementsAttr inner = constantOf(op->getOperand(0)))
      return inner.reshape(type);
  if (isa<BroadcastInDimOp>(op))
    if (DenseElementsAttr inner = constantOf(op->getOperand(0));
        inner && inner.isSplat())
      return DenseElementsAttr::get(type, inner.getSplatValue<Attribute>());
  return {};
}

static std::optional<double> knownFloat(Size number) {
  if (auto attribute = dyn_cast<Attribute>(number))
    if (auto value = dyn_cast<FloatAttr>(attribute))
      return value.getValueAsDouble();
  return std::nullopt;
}

std::optional<SmallVector<double>> ShapeValues::constantFloats(Value tensor) {
  DenseElementsAttr constant = constantOf(tensor);
  if (!constant) {
    Value vector = tensor;
    while (auto reshape = vector.getDefiningOp<ReshapeOp>())
      vector = reshape.getOperand();
    constant = vectors.lookup(vector);
  }
  SmallVector<double> result;
  if (constant && isa<FloatType>(constant.getElementType())) {
    for (Attribute element : constant.getValues<Attribute>())
      result.push_back(cast<FloatAttr>(element).getValueAsDouble());
    return result;
  }
  if (isa<FloatType>(GraphBuilder::elementOf(tensor))) {
    std::optional<Sizes> floats = trace(tensor);
    if (!floats)
      return std::nullopt;
    for (Size number : *floats) {
      std::optional<double> value = knownFloat(number);
      if (!value)
        return std::nullopt;
      result.push_back(*value);
    }
    return result;
  }
  std::optional<SmallVector<int64_t>> integers = constants(tensor);
  if (!integers)
    return std::nullopt;
  result.assign(integers->begin(), integers->end());
  return result;
}

std::optional<SmallVector<int64_t>> ShapeValues::constants(Value tensor) {
  std::optional<Sizes> sizes = elements(tensor);
  return sizes ? GraphBuilder::staticSizes(*sizes) : std::nullopt;
}

std::optional<Sizes> ShapeValues::elements(Value tensor) {
  if (!isa<IntegerType>(GraphBuilder::elementOf(tensor)))
    return std::nullopt;
  return trace(tensor);
}

std::optional<Sizes> ShapeValues::tracedElements(Value tensor) {
  auto refuse = [](Value) { return std::nullopt; };
  return ElementTracer(g, *this, memo, refuse).elements(tensor);
}

std::optional<Sizes> ShapeValues::trace(Value tensor) {
  auto read = [&](Value numbers) {
    return extractAll(numbers, GraphBuilder::typeOf(numbers).getNumElements());
  };
  return ElementTracer(g, *this, memo, read).elements(tensor);
}

Sizes ShapeValues::extractAll(Value tensor, int64_t count) {
  auto element = cast<IntegerType>(GraphBuilder::elementOf(tensor));
  OpBuilder::InsertionGuard guard(g.ops);
  g.ops.setInsertionPointAfterValue(tensor);
  // Scalars are signless, so a tensor with another type is converted first.
  Value source = element.isSignless() ? tensor : g.convert(tensor, g.i64());
  ArrayRef<int64_t> shape = GraphBuilder::shapeOf(source);
  Sizes result;
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<Value> position(shape.size());
    int64_t rest = i;
    for (int64_t dim = int64_t(shape.size()) - 1; dim >= 0; --dim) {
      position[dim] = g.indexValue(g.index(rest % shape[dim]));
      rest /= shape[dim];
    }
    position.push_back(source);
    g.placeAfter(position);
    position.pop_back();
    Value scalar = g.make<tensor::ExtractOp>(source, position);
    Type index = g.ops.getIndexType();
    Value number = element.getWidth() == 1
                       ? g.make<arith::IndexCastUIOp>(index, scalar)
                       : g.make<arith::IndexCastOp>(index, scalar);
    result.push_back(ranges.limit(number, tensor));
  }
  return result;
}

} // namespace tenon
