// Composite ops: verification and decomposition into primitives.
#include "dialects/tenon/InferShared.h"

#include <cmath>
#include <numbers>

using namespace mlir;

namespace tenon {

namespace {
/// Builds decompositions. Splats and broadcasts take the shape of one operand,
/// `model`.
struct Decomposer {
  OpBuilder &builder;
  Location loc;
  Value model; ///< the value whose shape splats and broadcasts take

  template <typename Op> Value make(Value a) {
    return Op::create(builder, loc, a);
  }
  template <typename Op> Value make(Value a, Value b) {
    return Op::create(builder, loc, a, b);
  }
  Value scalar(double number) {
    auto type = RankedTensorType::get({}, elementOf(model));
    return ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(type,
                               builder.getFloatAttr(elementOf(model), number)));
  }
  /// Repeats `value` to the model's shape; `dims` are the model's dimensions
  /// that `value` has.
  Value broadcast(Value value, Extents dims) {
    SmallVector<Value> dynamic;
    SmallVector<int64_t> sizes;
    dispatchIndexOpFoldResults(mixedSizes(builder, loc, model), dynamic, sizes);
    return BroadcastInDimOp::create(
        builder, loc, RankedTensorType::get(shapeOf(model), elementOf(value)),
        value, dims, dynamic, sizes);
  }
  Value splat(double number) { return broadcast(scalar(number), {}); }
  /// Reduces over `dims` and broadcasts the result back along them.
  Value reduceAndBroadcast(ReduceKind kind, Value value, Extents dims) {
    return broadcast(ReduceOp::create(builder, loc, kind, value, dims),
                     otherDims(dims));
  }
  SmallVector<int64_t> otherDims(Extents dims) {
    SmallVector<int64_t> others;
    for (int64_t i = 0, rank = shapeOf(model).size(); i < rank; ++i)
      if (!llvm::is_contained(dims, i))
        others.push_back(i);
    return others;
  }
};
} // namespace

template <typename Op> static LogicalResult verifyDim(Op op) {
  if (int64_t(op.getDim()) < 0 ||
      int64_t(op.getDim()) >= op.getType().getRank())
    return op.emitOpError("expected a dimension within rank ")
           << op.getType().getRank() << " (C1), got " << op.getDim();
  return success();
}

LogicalResult SoftmaxOp::verify() { return verifyDim(*this); }
LogicalResult LogSoftmaxOp::verify() { return verifyDim(*this); }

SmallVector<Value> SoftmaxOp::decompose(OpBuilder &builder) {
  Decomposer d{builder, getLoc(), getOperand()};
  int64_t dim = getDim();
  Value shifted =
      d.make<SubtractOp>(getOperand(), d.reduceAndBroadcast(ReduceKind::Maximum,
                                                            getOperand(), dim));
  Value powers = d.make<ExpFlushedOp>(shifted);
  return {d.make<DivideOp>(powers,
                           d.reduceAndBroadcast(ReduceKind::Add, powers, dim))};
}

SmallVector<Value> LogSoftmaxOp::decompose(OpBuilder &builder) {
  Decomposer d{builder, getLoc(), getOperand()};
  int64_t dim = getDim();
  Value shifted =
      d.make<SubtractOp>(getOperand(), d.reduceAndBroadcast(ReduceKind::Maximum,
                                                            getOperand(), dim));
  Value sum = ReduceOp::create(builder, getLoc(), ReduceKind::Add,
                               d.make<ExpFlushedOp>(shifted), ArrayRef(dim));
  return {d.make<SubtractOp>(
      shifted, d.broadcast(d.make<LogOp>(sum), d.otherDims(dim)))};
}

LogicalResult LayerNormOp::verify() {
  // layer_norm C1
  int64_t rank = getType().getRank(), axis = getAxis();
  if (axis < 0 || axis >= rank)
    return emitOpError("expected an axis within rank ")
           << rank << " (C1), got " << axis;
  // layer_norm C2
  Extents normalized = getType().getShape().drop_front(axis);
  if (!compatible(shapeOf(getScale()), normalized) ||
      !compatible(shapeOf(getBias()), normalized))
    return emitOpError(
               "expected scale and bias of the normalized shape (C2), got ")
           << getScale().getType() << " and " << getBias().getType();
  return success();
}

SmallVector<Value> LayerNormOp::decompose(OpBuilder &builder) {
  Decomposer d{builder, getLoc(), getOperand()};
  SmallVector<int64_t> dims;
  for (int64_t i = getAxis(); i < getType().getRank(); ++i)
    dims.push_back(i);
  // The number of normalized elements as a scalar of the element type. It is
  // exact for dynamic extents too.
  SizeBuilder sizes{builder, getLoc()};
  OpFoldResult count = sizes.constant(1);
  for (int64_t dim : dims)
    count = sizes.mul(count, mixedSize(builder, getLoc(), getOperand(), dim));
  Value number;
  if (auto known = getConstantIntValue(count)) {
    number = d.scalar(double(*known));
  } else {
    auto i64 = builder.getI64Type();
    Value cast =
        arith::IndexCastOp::create(builder, getLoc(), i64, sizes.value(count));
    Value scalar = tensor::FromElementsOp::create(
        builder, getLoc(), RankedTensorType::get({}, i64), cast);
    number = ConvertOp::create(builder, getLoc(), scalar,
                               TypeAttr::get(elementOf(getOperand())));
  }
  Value counts = d.broadcast(number, {});
  Value mean = d.make<DivideOp>(
      d.reduceAndBroadcast(ReduceKind::Add, getOperand(), dims), counts);
  Value centred = d.make<SubtractOp>(getOperand(), mean);
  Value squares = d.make<MultiplyOp>(centred, centred);
  Value variance = d.make<DivideOp>(
      d.reduceAndBroadcast(ReduceKind::Add, squares, dims), counts);
  Value deviation = d.make<SqrtOp>(
      d.make<AddOp>(variance, d.splat(getEpsilon().convertToDouble())));
  Value normal = d.make<DivideOp>(centred, deviation);
  Value scaled = d.make<MultiplyOp>(normal, d.broadcast(getScale(), dims));
  return {d.make<AddOp>(scaled, d.broadcast(getBias(), dims))};
}

SmallVector<Value> GeluOp::decompose(OpBuilder &builder) {
  Decomposer d{builder, getLoc(), getOperand()};
  Value x = getOperand(), inner;
  if (getTanh()) {
    Value cubed = d.make<MultiplyOp>(d.make<MultiplyOp>(x, x), x);
    Value sum = d.make<AddOp>(x, d.make<MultiplyOp>(cubed, d.splat(0.044715)));
    inner = d.make<TanhOp>(
        d.make<MultiplyOp>(sum, d.splat(std::sqrt(2.0 / std::numbers::pi))));
  } else {
    inner = d.make<ErfOp>(d.make<DivideOp>(x, d.splat(std::numbers::sqrt2)));
  }
  Value half = d.make<MultiplyOp>(x, d.splat(0.5));
  return {d.make<MultiplyOp>(half, d.make<AddOp>(inner, d.splat(1.0)))};
}

LogicalResult BatchNormOp::verify() {
  if (failed(verifyDim(*this)))
    return failure();
  // batch_norm C2
  for (Value vector : {getScale(), getOffset(), getMean(), getVariance()})
    if (!compatible(shapeOf(vector), {getType().getDimSize(getDim())}))
      return emitOpError("expected vectors of extent ")
             << getType().getDimSize(getDim()) << " (C2), got "
             << vector.getType();
  return success();
}

SmallVector<Value> BatchNormOp::decompose(OpBuilder &builder) {
  // Compute the factors per channel first: they depend on the statistics alone,
  // so constant statistics make them constants at compile time.
  Decomposer channel{builder, getLoc(), getVariance()};
  Value deviation = channel.make<SqrtOp>(channel.make<AddOp>(
      getVariance(), channel.splat(getEpsilon().convertToDouble())));
  Value scale = channel.make<DivideOp>(getScale(), deviation);
  Decomposer d{builder, getLoc(), getOperand()};
  int64_t dim = getDim();
  Value centred = d.make<SubtractOp>(getOperand(), d.broadcast(getMean(), dim));
  return {d.make<AddOp>(d.make<MultiplyOp>(centred, d.broadcast(scale, dim)),
                        d.broadcast(getOffset(), dim))};
}

#define TENON_REIFY_LIKE_OPERAND(Op)                                           \
  LogicalResult Op::reifyResultShapes(OpBuilder &builder,                      \
                                      ReifiedRankedShapedTypeDims &shapes) {   \
    return reifyLikeOperand(builder, getOperation(), shapes);                  \
  }
TENON_REIFY_LIKE_OPERAND(SoftmaxOp)
TENON_REIFY_LIKE_OPERAND(LogSoftmaxOp)
TENON_REIFY_LIKE_OPERAND(LayerNormOp)
TENON_REIFY_LIKE_OPERAND(GeluOp)
TENON_REIFY_LIKE_OPERAND(BatchNormOp)
#undef TENON_REIFY_LIKE_OPERAND

} // namespace tenon
