// Reductions over axes given by an operand, prefix sums, ArgMax and ArgMin.
#include "compiler/import/ArgReduce.h"
#include "compiler/import/tensorflow/graph/TfNodeContext.h"

using namespace mlir;

namespace tenon::tf {
namespace {

/// The axes in operand 1.
FailureOr<SmallVector<int64_t>> readAxes(NodeContext &c) {
  FailureOr<SmallVector<int64_t>> named = c.constantInput(1, "axes");
  if (failed(named))
    return failure();
  return c.axes(*named, c.g.rankOf(c.input(0)));
}

template <ReduceKind kind> LogicalResult reduce(NodeContext &c) {
  constexpr bool ofBools = kind == ReduceKind::And || kind == ReduceKind::Or;
  bool keep = c.boolAttr("keep_dims", false);
  FailureOr<SmallVector<int64_t>> axes = readAxes(c);
  if (failed(axes) || failed(ofBools ? c.expectBool(0) : c.expectNumber(0)))
    return failure();
  c.set(0, c.g.reduce(kind, c.input(0), *axes, keep));
  return success();
}

LogicalResult mean(NodeContext &c) {
  bool keep = c.boolAttr("keep_dims", false);
  FailureOr<SmallVector<int64_t>> axes = readAxes(c);
  if (failed(axes) || failed(c.expectNumber(0)))
    return failure();
  c.set(0, c.g.mean(c.input(0), *axes, keep));
  return success();
}

/// The square root of the sum of squares.
LogicalResult euclideanNorm(NodeContext &c) {
  GraphBuilder &g = c.g;
  bool keep = c.boolAttr("keep_dims", false);
  FailureOr<SmallVector<int64_t>> axes = readAxes(c);
  if (failed(axes) || failed(c.expectFloat(0)))
    return failure();
  Value squares = g.mul(c.input(0), c.input(0));
  c.set(0, g.make<SqrtOp>(g.reduce(ReduceKind::Add, squares, *axes, keep)));
  return success();
}

template <ReduceKind kind> LogicalResult arg(NodeContext &c) {
  mlir::Type element = c.elementAttr("output_type", DataType::I64);
  if (!element)
    return failure();
  FailureOr<int64_t> axis = c.numInputs() > 1 ? c.constantScalar(1, "an axis")
                                              : FailureOr<int64_t>(0);
  if (failed(axis))
    return failure();
  FailureOr<Value> place = argReduce(c, kind, *axis, /*last=*/false);
  if (failed(place))
    return failure();
  c.set(0, c.g.convert(*place, element));
  return success();
}

template <ReduceKind kind> LogicalResult cumulative(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value x = c.input(0);
  if (failed(c.expectNumber(0)))
    return failure();
  FailureOr<int64_t> named = c.constantScalar(1, "an axis");
  if (failed(named))
    return failure();
  FailureOr<int64_t> axis = c.axis(*named, g.rankOf(x));
  if (failed(axis))
    return failure();
  c.set(0, CumulativeOp::create(g.ops, g.loc, x.getType(), kind, x,
                                uint64_t(*axis), c.boolAttr("exclusive", false),
                                c.boolAttr("reverse", false)));
  return success();
}

LogicalResult topK(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value x = c.input(0);
  if (failed(c.expectNumber(0)) || failed(c.expectMinRank(0, 1)))
    return failure();
  FailureOr<Sizes> given = c.sizesInput(1);
  mlir::Type indexType = c.elementAttr("index_type", DataType::I32);
  if (failed(given) || !indexType)
    return failure();
  if (given->size() != 1)
    return c.error("expected one number k, got " + Twine(given->size()));
  int64_t dim = g.rankOf(x) - 1;
  Size k = given->front(), extent = g.size(x, dim);
  std::optional<int64_t> number = g.staticSize(k), whole = g.staticSize(extent);
  if (number && (*number < 0 || (whole && *number > *whole)))
    return c.error("expected k of 0 to the extent of " + textOf(x) + ", got " +
                   Twine(*number));
  c.check(k, g.index(0), extent, "k must not be above the extent");
  if (!number || !whole)
    k = g.min(g.max(k, g.index(0)), extent);
  auto [elements, positions] = g.topK(x, k, dim, true);
  c.set(0, elements);
  c.set(1, g.convert(positions, indexType));
  return success();
}

/// The axes over which the gradients of two broadcast operands are summed. An
/// axis of extent one may be omitted, because its sum is the element itself.
LogicalResult broadcastGradientArgs(NodeContext &c) {
  GraphBuilder &g = c.g;
  FailureOr<Sizes> a = c.sizesInput(0), b = c.sizesInput(1);
  if (failed(a) || failed(b))
    return failure();
  size_t rank = std::max(a->size(), b->size());
  SmallVector<int64_t> axes[2];
  for (size_t axis = 0; axis < rank; ++axis) {
    auto sizeOf = [&](const Sizes &sizes) -> std::optional<Size> {
      size_t missing = rank - sizes.size();
      return axis < missing ? std::optional<Size>() : sizes[axis - missing];
    };
    std::optional<Size> x = sizeOf(*a), y = sizeOf(*b);
    auto isOne = [](const std::optional<Size> &size) {
      return !size || GraphBuilder::staticSize(*size) == 1;
    };
    if (isOne(x))
      axes[0].push_back(int64_t(axis));
    if (isOne(y))
      axes[1].push_back(int64_t(axis));
    // The axes are chosen at import, assuming that a dynamic extent is not one.
    if (!isOne(x) && !isOne(y) && !GraphBuilder::same(*x, *y))
      c.check(*x, *y, *y,
              "extents that are combined must be equal where gradients are "
              "computed");
  }
  mlir::Type element = g.elementOf(c.input(0));
  for (size_t i : {0, 1})
    c.set(i, g.convert(g.ints(axes[i]), element));
  return success();
}

} // namespace

void registerReductionOps(OpRegistry &r) {
  r.add("BroadcastGradientArgs", 2, broadcastGradientArgs, {"r0", "r1"});
  r.add("Sum", 2, reduce<ReduceKind::Add>);
  r.add("Prod", 2, reduce<ReduceKind::Multiply>);
  r.add("Max", 2, reduce<ReduceKind::Maximum>);
  r.add("Min", 2, reduce<ReduceKind::Minimum>);
  r.add("Any", 2, reduce<ReduceKind::Or>);
  r.add("All", 2, reduce<ReduceKind::And>);
  r.add("Mean", 2, mean);
  r.add("EuclideanNorm", 2, euclideanNorm);
  r.add("ArgMax", 1, 2, arg<ReduceKind::Maximum>);
  r.add("ArgMin", 1, 2, arg<ReduceKind::Minimum>);
  r.add("Cumsum", 2, cumulative<ReduceKind::Add>);
  r.add("Cumprod", 2, cumulative<ReduceKind::Multiply>);
  r.add("TopKV2", 2, topK, {"values", "indices"});
}

} // namespace tenon::tf
