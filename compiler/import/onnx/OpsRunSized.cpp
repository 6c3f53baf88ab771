// Ops whose results have sizes that depend on values: counted in the run,
// bounded before it. And TopK, whose k may be a value.
#include "compiler/import/onnx/NodeContext.h"

using namespace mlir;

namespace tenon::onnx {

/// The number of true elements, bounded by `bound`.
static Size countTrue(GraphBuilder &g, Value flags, Size bound) {
  SmallVector<int64_t> all =
      llvm::to_vector(llvm::seq<int64_t>(0, GraphBuilder::rankOf(flags)));
  Value total =
      g.reduce(ReduceKind::Add, g.convert(flags, g.i64()), all, false);
  Value scalar = g.extractScalar(total);
  Value count = g.make<arith::IndexCastOp>(g.ops.getIndexType(), scalar);
  return g.bound(count, bound);
}

/// Positions of the true elements of a vector, [count].
static Value positionsOf(GraphBuilder &g, Value flags, Size count) {
  Value found = g.make<NonzeroOp>(
      RankedTensorType::get({ShapedType::kDynamic, 1}, g.i64()), flags,
      g.indexValue(count));
  g.recordSizes(found, {count, g.index(1)});
  return g.reshape(found, {count});
}

static LogicalResult nonZero(NodeContext &ctx) {
  GraphBuilder &g = ctx.g;
  Value value = ctx.input(0);
  if (GraphBuilder::rankOf(value) == 0)
    value = g.reshape(value, ArrayRef<int64_t>{1});
  Value flags = GraphBuilder::elementOf(value).isInteger(1)
                    ? value
                    : g.compare(CompareDirection::NE, value, 0.0);
  Size count = countTrue(g, flags, g.product(g.sizes(value)));
  int64_t rank = GraphBuilder::rankOf(value);
  Value found = g.make<NonzeroOp>(
      RankedTensorType::get({ShapedType::kDynamic, rank}, g.i64()), flags,
      g.indexValue(count));
  g.recordSizes(found, {count, g.index(rank)});
  ctx.set(0, g.transpose(found, {1, 0}));
  return success();
}

static LogicalResult compress(NodeContext &ctx) {
  GraphBuilder &g = ctx.g;
  if (failed(ctx.expectBool(1)) || failed(ctx.expectRank(1, 1)))
    return failure();
  Value value = ctx.input(0), flags = ctx.input(1);
  int64_t axis = 0;
  if (ctx.hasAttr("axis")) {
    FailureOr<int64_t> given =
        ctx.axis(ctx.intAttr("axis"), GraphBuilder::rankOf(value));
    if (failed(given))
      return failure();
    axis = *given;
  } else {
    value = g.reshape(value, {g.product(g.sizes(value))});
  }
  // Conditions may be shorter; what is beyond the extent selects nothing.
  Size extent = g.size(value, axis);
  Size length = g.min(g.size(flags, 0), extent);
  flags = g.sliceDim(flags, 0, g.index(0), length);
  Size count = countTrue(g, flags, length);
  ctx.set(0, g.take(value, positionsOf(g, flags, count), axis));
  return success();
}

/// A tensor of `count` elements, `updates` at `positions`.
static Value scatterVector(GraphBuilder &g, ScatterKind kind, Size count,
                           Value positions, Value updates) {
  Value zeros = g.splat(g.i64(), {count}, 0);
  SmallVector<int64_t> zero{0}, none;
  Value result =
      g.make<ScatterOp>(zeros.getType(), kind, zeros, positions, updates, none,
                        zero, none, none, zero, uint64_t(1));
  g.recordSizes(result, {count});
  return result;
}

/// Keys that `sort` takes: bools as numbers.
static Value sortable(GraphBuilder &g, Value value) {
  return GraphBuilder::elementOf(value).isInteger(1)
             ? g.convert(value, g.ops.getI8Type())
             : value;
}

static LogicalResult unique(NodeContext &ctx) {
  GraphBuilder &g = ctx.g;
  Value value = ctx.input(0);
  bool isSorted = ctx.intAttr("sorted", 1) != 0;
  int64_t axis = 0;
  if (ctx.hasAttr("axis")) {
    FailureOr<int64_t> given =
        ctx.axis(ctx.intAttr("axis"), GraphBuilder::rankOf(value));
    if (failed(given))
      return failure();
    axis = *given;
  } else {
    value = g.reshape(value, {g.product(g.sizes(value))});
  }
  // One row per item: items are equal when their rows are.
  Size items = g.size(value, axis);
  Value rows = g.swapDims(value, 0, axis);
  Sizes rest = g.sizes(rows);
  std::optional<int64_t> width =
      GraphBuilder::staticSize(g.product(ArrayRef(rest).drop_front()));
  if (!width || *width > 256)
    return ctx.unsupported("items of more than 256 or of unknown elements");
  rows = g.reshape(rows, {items, g.index(*width)});
  auto column = [&](int64_t i) {
    return g.reshape(g.sliceDim(rows, 1, g.index(i), g.index(1)), {items});
  };
  // Stable sorts from the last column to the first give the rows' order.
  Value order = g.iota(g.i64(), {items}, 0);
  for (int64_t i = *width - 1; i >= 0; --i) {
    Value keys = g.take(sortable(g, column(i)), order, 0);
    auto sort = SortOp::create(g.ops, g.loc, keys, uint64_t(0));
    g.recordSizes(sort.getPositions(), {items});
    order = g.take(order, sort.getPositions(), 0);
  }
  Value index = g.iota(g.i64(), {items}, 0);
  Value before = g.maximum(g.sub(index, 1.0), 0.0);
  Value isFirst = g.compare(CompareDirection::EQ, index, 0.0);
  for (int64_t i = 0; i < *width; ++i) {
    Value sorted = g.take(column(i), order, 0);
    isFirst = g.make<OrOp>(isFirst, g.compare(CompareDirection::NE, sorted,
                                              g.take(sorted, before, 0)));
  }
  Size count = countTrue(g, isFirst, items);
  Value ends = g.make<CumulativeOp>(
      RankedTensorType::get(GraphBuilder::shapeOf(isFirst), g.i64()),
      ReduceKind::Add, g.convert(isFirst, g.i64()), uint64_t(0));
  Value group = g.sub(ends, 1.0);
  // Per group: its first item (sorting was stable) and its number of items.
  Value firsts = g.take(order, positionsOf(g, isFirst, count), 0);
  Value ones = g.splat(g.i64(), {items}, 1);
  Value counts = scatterVector(g, ScatterKind::Add, count, group, ones);
  Value inverse = scatterVector(g, ScatterKind::Set, items, order, group);
  if (!isSorted) {
    auto byFirst = SortOp::create(g.ops, g.loc, firsts, uint64_t(0));
    Value place = byFirst.getPositions();
    g.recordSizes(place, {count});
    g.recordSizes(byFirst.getResult(), {count});
    Value rank = scatterVector(g, ScatterKind::Set, count, place,
                               g.iota(g.i64(), {count}, 0));
    firsts = byFirst.getResult();
    counts = g.take(counts, place, 0);
    inverse = g.take(rank, inverse, 0);
  }
  ctx.set(0, g.take(value, firsts, axis));
  ctx.set(1, firsts);
  ctx.set(2, inverse);
  ctx.set(3, counts);
  return success();
}

static LogicalResult topK(NodeContext &ctx) {
  GraphBuilder &g = ctx.g;
  Value value = ctx.input(0);
  int64_t rank = GraphBuilder::rankOf(value);
  FailureOr<int64_t> axis = ctx.axis(ctx.intAttr("axis", -1), rank);
  if (failed(axis) || failed(ctx.expectNumber(0)))
    return failure();
  bool largest = ctx.intAttr("largest", 1) != 0;
  ctx.ignoreAttrs({"sorted"}); // any order will do when it is 0
  Size k;
  if (ctx.opset < 10) {
    k = g.index(ctx.intAttr("k"));
    if (ctx.failed())
      return failure();
  } else {
    FailureOr<Sizes> given = ctx.sizesInput(1);
    if (failed(given))
      return failure();
    if (given->size() != 1)
      return ctx.error("expected one number k, got " + Twine(given->size()));
    k = given->front();
  }
  Size extent = g.size(value, *axis);
  std::optional<int64_t> number = GraphBuilder::staticSize(k),
                         whole = GraphBuilder::staticSize(extent);
  if (number && (*number < 0 || (whole && *number > *whole)))
    return ctx.error("expected k within [0, " +
                     (whole ? Twine(*whole) : Twine("extent")) + "], got " +
                     Twine(*number));
  ctx.check(k, g.index(0), extent, "k must not be above the extent");
  if (!number || !whole)
    k = g.min(g.max(k, g.index(0)), extent);
  Sizes sizes = g.sizes(value);
  auto sort = SortOp::create(g.ops, g.loc, value, uint64_t(*axis), largest);
  g.recordSizes(sort.getResult(), sizes);
  g.recordSizes(sort.getPositions(), sizes);
  ctx.set(0, g.sliceDim(sort.getResult(), *axis, g.index(0), k));
  ctx.set(1, g.sliceDim(sort.getPositions(), *axis, g.index(0), k));
  return success();
}

void registerRunSizedOps(OpRegistry &registry) {
  registry.add("Compress", 9, 2, 1, compress);
  registry.add("NonZero", 9, 1, 1, nonZero);
  registry.add("TopK", 1, 1, 2, topK);
  registry.add("TopK", 10, 2, 2, topK);
  registry.add("Unique", 11, 1, 4, unique);
}

} // namespace tenon::onnx
