// Counting, and what is built of counts.
#include "compiler/import/RunSized.h"

using namespace mlir;

namespace tenon {

Size countTrue(GraphBuilder &g, Value flags, Size bound) {
  SmallVector<int64_t> all =
      llvm::to_vector(llvm::seq<int64_t>(0, GraphBuilder::rankOf(flags)));
  Value total =
      g.reduce(ReduceKind::Add, g.convert(flags, g.i64()), all, false);
  Value scalar = g.extractScalar(total);
  Value count = g.make<arith::IndexCastOp>(g.ops.getIndexType(), scalar);
  return g.bound(count, bound);
}

Value placesOf(GraphBuilder &g, Value flags, Size count) {
  int64_t rank = GraphBuilder::rankOf(flags);
  Value found = g.make<NonzeroOp>(
      RankedTensorType::get({ShapedType::kDynamic, rank}, g.i64()), flags,
      g.indexValue(count));
  g.recordSizes(found, {count, g.index(rank)});
  return found;
}

Value positionsOf(GraphBuilder &g, Value flags, Size count) {
  return g.reshape(placesOf(g, flags, count), {count});
}

Value scatterVector(GraphBuilder &g, ScatterKind kind, Size count,
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

FailureOr<UniqueItems> uniqueItems(NodeChecks &c, Value value, int64_t axis,
                                   bool isSorted) {
  GraphBuilder &g = c.g;
  // One row per item: items are equal when their rows are.
  Size items = g.size(value, axis);
  Value rows = g.swapDims(value, 0, axis);
  Sizes rest = g.sizes(rows);
  std::optional<int64_t> width =
      GraphBuilder::staticSize(g.product(ArrayRef(rest).drop_front()));
  if (!width || *width > 256)
    return c.unsupported("items of more than 256 or of unknown elements");
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
  return UniqueItems{g.take(value, firsts, axis), firsts, inverse, counts};
}

} // namespace tenon
