// The movement ops and computations of the graph builder. GraphConstants.cpp
// has the constants, GraphSizes.cpp the sizes.
#include "compiler/import/graph/GraphBuilder.h"

using namespace mlir;

namespace tenon {

RankedTensorType GraphBuilder::typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Type GraphBuilder::elementOf(Value value) {
  return typeOf(value).getElementType();
}

int64_t GraphBuilder::rankOf(Value value) { return typeOf(value).getRank(); }

ArrayRef<int64_t> GraphBuilder::shapeOf(Value value) {
  return typeOf(value).getShape();
}

/// 0, 1, ..., n - 1.
static SmallVector<int64_t> upTo(int64_t n) {
  return llvm::to_vector(llvm::seq<int64_t>(0, n));
}

//===-- Movement --------------------------------------------------------===//

/// Splits sizes into the static ones (kDynamic for others) and the values of
/// the dynamic ones.
static std::pair<SmallVector<int64_t>, SmallVector<Value>>
split(ArrayRef<Size> sizes) {
  SmallVector<int64_t> numbers;
  SmallVector<Value> values;
  for (Size size : sizes) {
    std::optional<int64_t> number = GraphBuilder::staticSize(size);
    numbers.push_back(number ? *number : ShapedType::kDynamic);
    if (!number)
      values.push_back(cast<Value>(size));
  }
  return {numbers, values};
}

Value GraphBuilder::reshape(Value value, ArrayRef<Size> sizes) {
  Sizes from = this->sizes(value);
  if (from.size() == sizes.size() &&
      llvm::all_of(llvm::zip(from, sizes), [](auto pair) {
        return same(std::get<0>(pair), std::get<1>(pair));
      }))
    return value;
  auto [numbers, values] = split(sizes);
  Value result = make<ReshapeOp>(
      RankedTensorType::get(numbers, elementOf(value)), value, values, numbers);
  recordSizes(result, sizes);
  return result;
}

Value GraphBuilder::reshape(Value value, ArrayRef<int64_t> shape) {
  return reshape(value, indices(shape));
}

Value GraphBuilder::unsqueeze(Value value, ArrayRef<int64_t> dims) {
  Sizes sizes, old = this->sizes(value);
  size_t next = 0;
  for (int64_t i = 0, rank = old.size() + dims.size(); i < rank; ++i)
    sizes.push_back(llvm::is_contained(dims, i) ? index(1) : old[next++]);
  return reshape(value, sizes);
}

Value GraphBuilder::squeeze(Value value, ArrayRef<int64_t> dims) {
  Sizes kept;
  for (auto [i, size] : llvm::enumerate(sizes(value)))
    if (!llvm::is_contained(dims, int64_t(i)))
      kept.push_back(size);
  return reshape(value, kept);
}

Value GraphBuilder::transpose(Value value, ArrayRef<int64_t> permutation) {
  if (llvm::is_sorted(permutation))
    return value;
  Sizes from = sizes(value), to;
  for (int64_t dim : permutation)
    to.push_back(from[dim]);
  Value result = make<TransposeOp>(value, permutation);
  recordSizes(result, to);
  return result;
}

Value GraphBuilder::swapDims(Value value, int64_t a, int64_t b) {
  SmallVector<int64_t> permutation = upTo(rankOf(value));
  std::swap(permutation[a], permutation[b]);
  return transpose(value, permutation);
}

Value GraphBuilder::slice(Value value, ArrayRef<Size> offsets,
                          ArrayRef<Size> sizes, ArrayRef<Size> strides) {
  Sizes whole = this->sizes(value);
  bool identity = true;
  for (size_t i = 0; i < whole.size(); ++i)
    identity &= same(offsets[i], index(0)) && same(sizes[i], whole[i]) &&
                same(strides[i], index(1));
  if (identity)
    return value;
  auto [staticOffsets, dynamicOffsets] = split(offsets);
  auto [staticBox, dynamicBox] = split(sizes);
  auto [staticStrides, dynamicStrides] = split(strides);
  Value result = make<SliceOp>(
      RankedTensorType::get(staticBox, elementOf(value)), value, dynamicOffsets,
      dynamicBox, dynamicStrides, staticOffsets, staticBox, staticStrides);
  recordSizes(result, sizes);
  return result;
}

Value GraphBuilder::sliceDim(Value value, int64_t dim, Size offset, Size size,
                             int64_t stride) {
  Sizes offsets(rankOf(value), index(0)), strides(rankOf(value), index(1));
  Sizes box = sizes(value);
  offsets[dim] = offset;
  box[dim] = size;
  strides[dim] = index(stride);
  return slice(value, offsets, box, strides);
}

std::pair<Value, Value> GraphBuilder::topK(Value value, Size k, int64_t dim,
                                           bool descending) {
  Sizes result = sizes(value);
  result[dim] = k;
  SmallVector<int64_t> shape = split(result).first;
  auto top =
      TopKOp::create(ops, loc, RankedTensorType::get(shape, elementOf(value)),
                     RankedTensorType::get(shape, i64()), value, indexValue(k),
                     uint64_t(dim), !descending);
  recordSizes(top.getResult(), result);
  recordSizes(top.getPositions(), result);
  return {top.getResult(), top.getPositions()};
}

Value GraphBuilder::pad(Value operand, Value value, ArrayRef<Size> low,
                        ArrayRef<Size> high) {
  Sizes result = sizes(operand);
  bool identity = true;
  for (size_t i = 0; i < result.size(); ++i) {
    identity &= same(low[i], index(0)) && same(high[i], index(0));
    result[i] = add(add(result[i], low[i]), high[i]);
  }
  if (identity)
    return operand;
  auto [staticLow, dynamicLow] = split(low);
  auto [staticHigh, dynamicHigh] = split(high);
  SmallVector<int64_t> interior(result.size(), 0);
  Value padded = make<PadOp>(
      RankedTensorType::get(split(result).first, elementOf(operand)), operand,
      value, dynamicLow, dynamicHigh, staticLow, staticHigh, interior);
  recordSizes(padded, result);
  return padded;
}

Value GraphBuilder::concat(ArrayRef<Value> values, int64_t dim) {
  if (values.size() == 1)
    return values[0];
  // All operands have equal extents except along `dim`, so prefer a static one.
  Sizes result = sizes(values[0]);
  for (Value value : values.drop_front())
    for (auto [i, size] : llvm::enumerate(sizes(value))) {
      if (int64_t(i) == dim)
        result[i] = add(result[i], size);
      else if (staticSize(size))
        result[i] = size;
    }
  Value joined = make<ConcatenateOp>(ValueRange(values), dim);
  recordSizes(joined, result);
  return joined;
}

Value GraphBuilder::reverse(Value value, ArrayRef<int64_t> dims) {
  if (dims.empty())
    return value;
  Sizes from = sizes(value);
  Value result = make<ReverseOp>(value.getType(), value, dims);
  recordSizes(result, from);
  return result;
}

Value GraphBuilder::iota(Type element, ArrayRef<Size> sizes, int64_t dim) {
  auto [numbers, values] = split(sizes);
  Value result = make<IotaOp>(RankedTensorType::get(numbers, element),
                              uint64_t(dim), values, numbers);
  recordSizes(result, sizes);
  return result;
}

Value GraphBuilder::broadcastInDim(Value value, ArrayRef<int64_t> dims,
                                   ArrayRef<Size> sizes) {
  Sizes from = this->sizes(value);
  bool identity = from.size() == sizes.size();
  for (size_t i = 0; identity && i < from.size(); ++i)
    identity = same(from[i], sizes[i]);
  if (identity)
    return value;
  auto [numbers, values] = split(sizes);
  Value result =
      make<BroadcastInDimOp>(RankedTensorType::get(numbers, elementOf(value)),
                             value, dims, values, numbers);
  recordSizes(result, sizes);
  return result;
}

Value GraphBuilder::broadcastTo(Value value, ArrayRef<Size> sizes) {
  SmallVector<int64_t> dims;
  int64_t missing = int64_t(sizes.size()) - rankOf(value);
  for (int64_t i = missing; i < int64_t(sizes.size()); ++i)
    dims.push_back(i);
  return broadcastInDim(value, dims, sizes);
}

std::optional<Sizes> GraphBuilder::broadcastSizes(ArrayRef<Sizes> shapes) {
  size_t rank = 0;
  for (const Sizes &shape : shapes)
    rank = std::max(rank, shape.size());
  Sizes result(rank, index(1));
  for (const Sizes &shape : shapes)
    for (size_t i = 0; i < shape.size(); ++i) {
      Size &mine = result[rank - shape.size() + i];
      Size other = shape[i];
      std::optional<int64_t> a = staticSize(mine), b = staticSize(other);
      if (same(mine, other) || b == 1)
        continue;
      if (a == 1)
        mine = other;
      else if (a && b)
        return std::nullopt;
      else if (b)
        mine = other; // the unknown extent is b or one
      else if (!a)
        mine =
            select(cmp(arith::CmpIPredicate::eq, mine, index(1)), other, mine);
    }
  return result;
}

std::optional<Sizes> GraphBuilder::broadcastSizes(ArrayRef<Value> values) {
  SmallVector<Sizes> shapes;
  for (Value value : values)
    shapes.push_back(sizes(value));
  return broadcastSizes(shapes);
}

bool GraphBuilder::broadcast(MutableArrayRef<Value> values) {
  std::optional<Sizes> common = broadcastSizes(ArrayRef<Value>(values));
  if (!common)
    return false;
  for (Value &value : values)
    value = broadcastTo(value, *common);
  return true;
}

Value GraphBuilder::toChannelsLast(Value value) {
  SmallVector<int64_t> permutation{0};
  for (int64_t i = 2; i < rankOf(value); ++i)
    permutation.push_back(i);
  permutation.push_back(1);
  return transpose(value, permutation);
}

Value GraphBuilder::fromChannelsLast(Value value) {
  SmallVector<int64_t> permutation{0, rankOf(value) - 1};
  for (int64_t i = 1; i + 1 < rankOf(value); ++i)
    permutation.push_back(i);
  return transpose(value, permutation);
}

//===-- Computation -----------------------------------------------------===//

Value GraphBuilder::add(Value a, Value b) { return binary<AddOp>(a, b); }
Value GraphBuilder::sub(Value a, Value b) { return binary<SubtractOp>(a, b); }
Value GraphBuilder::mul(Value a, Value b) { return binary<MultiplyOp>(a, b); }
Value GraphBuilder::div(Value a, Value b) { return binary<DivideOp>(a, b); }
Value GraphBuilder::maximum(Value a, Value b) {
  return binary<MaximumOp>(a, b);
}
Value GraphBuilder::minimum(Value a, Value b) {
  return binary<MinimumOp>(a, b);
}
Value GraphBuilder::add(Value a, double b) { return add(a, splatLike(a, b)); }
Value GraphBuilder::sub(Value a, double b) { return sub(a, splatLike(a, b)); }
Value GraphBuilder::mul(Value a, double b) { return mul(a, splatLike(a, b)); }
Value GraphBuilder::div(Value a, double b) { return div(a, splatLike(a, b)); }
Value GraphBuilder::maximum(Value a, double b) {
  return maximum(a, splatLike(a, b));
}
Value GraphBuilder::minimum(Value a, double b) {
  return minimum(a, splatLike(a, b));
}

Value GraphBuilder::compare(CompareDirection direction, Value a, Value b) {
  Value operands[] = {a, b};
  [[maybe_unused]] bool fits = broadcast(operands);
  assert(fits && "compare needs operands that can be broadcast");
  return make<CompareOp>(direction, operands[0], operands[1]);
}

Value GraphBuilder::compare(CompareDirection direction, Value a, double b) {
  return compare(direction, a, splatLike(a, b));
}

Value GraphBuilder::select(Value condition, Value whenTrue, Value whenFalse) {
  Value operands[] = {condition, whenTrue, whenFalse};
  [[maybe_unused]] bool fits = broadcast(operands);
  assert(fits && "select needs operands that can be broadcast");
  return make<SelectOp>(operands[0], operands[1], operands[2]);
}

Value GraphBuilder::clamp(Value value, double low, double high) {
  return make<ClampOp>(splatLike(value, low), value, splatLike(value, high));
}

/// The value of a constant of rank 0 of integers of at most 32 bits.
static std::optional<int64_t> knownInteger(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto element = dyn_cast<IntegerType>(GraphBuilder::elementOf(value));
  if (!constant || GraphBuilder::rankOf(value) != 0 || !element ||
      element.getWidth() == 1 || element.getWidth() > 32)
    return std::nullopt;
  auto number = constant.getValue().getSplatValue<APInt>();
  return element.isUnsignedInteger() ? int64_t(number.getZExtValue())
                                     : number.getSExtValue();
}

Value GraphBuilder::convert(Value value, Type element) {
  if (elementOf(value) == element)
    return value;
  if (std::optional<int64_t> number = knownInteger(value);
      number && !element.isInteger(1))
    return isa<FloatType>(element) ? scalar(element, double(*number))
                                   : scalarInt(element, *number);
  Sizes from = sizes(value);
  Value result = make<ConvertOp>(value, TypeAttr::get(element));
  recordSizes(result, from);
  return result;
}

Value GraphBuilder::reduce(ReduceKind kind, Value value, ArrayRef<int64_t> dims,
                           bool keepDims) {
  SmallVector<int64_t> order(dims);
  llvm::sort(order);
  Sizes kept, reduced;
  for (auto [i, size] : llvm::enumerate(sizes(value))) {
    bool leaves = llvm::is_contained(order, int64_t(i));
    if (!leaves)
      reduced.push_back(size);
    kept.push_back(leaves ? index(1) : size);
  }
  Value result = value;
  if (!order.empty()) {
    result = make<ReduceOp>(kind, value, order);
    recordSizes(result, reduced);
  }
  return keepDims ? reshape(result, kept) : result;
}

Value GraphBuilder::mean(Value value, ArrayRef<int64_t> dims, bool keepDims) {
  Sizes counted;
  for (int64_t dim : dims)
    counted.push_back(size(value, dim));
  Value sum = reduce(ReduceKind::Add, value, dims, keepDims);
  return div(sum, fromSize(product(counted), elementOf(value)));
}

Value GraphBuilder::dotGeneral(Value lhs, Value rhs, ArrayRef<int64_t> lhsBatch,
                               ArrayRef<int64_t> rhsBatch,
                               ArrayRef<int64_t> lhsContract,
                               ArrayRef<int64_t> rhsContract, Type result) {
  Sizes left = sizes(lhs), right = sizes(rhs), sizes;
  for (auto [a, b] : llvm::zip(lhsBatch, rhsBatch))
    sizes.push_back(staticSize(left[a]) ? left[a] : right[b]);
  for (int64_t i = 0; i < rankOf(lhs); ++i)
    if (!llvm::is_contained(lhsBatch, i) && !llvm::is_contained(lhsContract, i))
      sizes.push_back(left[i]);
  for (int64_t i = 0; i < rankOf(rhs); ++i)
    if (!llvm::is_contained(rhsBatch, i) && !llvm::is_contained(rhsContract, i))
      sizes.push_back(right[i]);
  Type element = result ? result : elementOf(lhs);
  Value product = make<DotGeneralOp>(
      RankedTensorType::get(split(sizes).first, element), lhs, rhs, lhsBatch,
      rhsBatch, lhsContract, rhsContract);
  recordSizes(product, sizes);
  return product;
}

Value GraphBuilder::matmul(Value lhs, Value rhs) {
  return dotGeneral(lhs, rhs, {}, {}, {1}, {0});
}

Value GraphBuilder::take(Value operand, Value indices, int64_t dim) {
  int64_t rank = rankOf(operand), indexRank = rankOf(indices);
  Sizes sizes;
  SmallVector<int64_t> offsetDims, sliceSizes;
  Sizes from = this->sizes(operand), chosen = this->sizes(indices);
  for (int64_t i = 0; i < rank; ++i) {
    sliceSizes.push_back(i == dim ? 1 : -1);
    if (i == dim) {
      sizes.append(chosen);
      continue;
    }
    offsetDims.push_back(i < dim ? i : i - 1 + indexRank);
    sizes.push_back(from[i]);
  }
  Value result = make<GatherOp>(
      RankedTensorType::get(split(sizes).first, elementOf(operand)), operand,
      indices, offsetDims, ArrayRef<int64_t>{dim}, ArrayRef<int64_t>{},
      ArrayRef<int64_t>{}, ArrayRef<int64_t>{dim}, uint64_t(indexRank),
      sliceSizes);
  recordSizes(result, sizes);
  return result;
}

Value GraphBuilder::checkedIndices(Value indices, Size extent, StringRef site) {
  Type element = elementOf(indices);
  Sizes shape = sizes(indices);
  Value high = broadcastTo(fromSize(extent, element), shape);
  Value zero = splatLike(indices, 0);
  Value negative = compare(CompareDirection::LT, indices, zero);
  Value counted = select(negative, add(indices, high), indices);
  return make<CheckRangeOp>(counted, zero, high, ops.getStringAttr(site));
}

Value GraphBuilder::dynamicUpdateSlice(Value operand, Value update,
                                       ArrayRef<Size> offsets) {
  // The body of a loop of zero steps may write an element into an empty
  // operand, which stays empty.
  if (llvm::is_contained(shapeOf(operand), 0))
    return operand;
  auto [numbers, values] = split(offsets);
  Sizes from = sizes(operand);
  Value result = make<DynamicUpdateSliceOp>(operand.getType(), operand, update,
                                            values, numbers);
  recordSizes(result, from);
  return result;
}

} // namespace tenon
