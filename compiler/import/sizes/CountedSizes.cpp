// Counts true elements, and builds results whose sizes are such counts.
#include "compiler/import/sizes/CountedSizes.h"

#include "compiler/import/graph/Branches.h"

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

/// `value` as keys for `sort`: bools become numbers.
static Value sortable(GraphBuilder &g, Value value) {
  return GraphBuilder::elementOf(value).isInteger(1)
             ? g.convert(value, g.ops.getI8Type())
             : value;
}

/// Sorts `order`, a list of row numbers of a [n, width] tensor, stably by the
/// elements of one column.
static Value sortedBy(GraphBuilder &g, Value rows, Size column, Value order) {
  Size items = g.size(rows, 0);
  Value keys = g.reshape(g.sliceDim(rows, 1, column, g.index(1)), {items});
  auto sort = SortOp::create(g.ops, g.loc, g.take(keys, order, 0), uint64_t(0));
  g.recordSizes(sort.getPositions(), {items});
  return g.take(order, sort.getPositions(), 0);
}

/// The positions of the rows of a [n, width] tensor in lexicographic order, by
/// stable sorts from the last column to the first.
static Value lexicographicOrder(GraphBuilder &g, Value rows) {
  Size items = g.size(rows, 0), width = g.size(rows, 1);
  Value order = g.iota(g.i64(), {items}, 0);
  constexpr int64_t maxUnrolled = 4;
  if (std::optional<int64_t> known = GraphBuilder::staticSize(width);
      known && *known <= maxUnrolled) {
    for (int64_t i = *known - 1; i >= 0; --i)
      order = sortedBy(g, rows, g.index(i), order);
    return order;
  }
  Size steps = stepsOver(g, width, {Sizes{items}});
  Size last = g.sub(width, g.index(1));
  auto loop =
      scf::ForOp::create(g.ops, g.loc, g.indexValue(g.index(0)),
                         g.indexValue(steps), g.indexValue(g.index(1)), order);
  OpBuilder::InsertionGuard guard(g.ops);
  g.ops.setInsertionPointToEnd(loop.getBody());
  Value carried = loop.getRegionIterArg(0);
  g.recordSizes(carried, {items});
  Value next = sortedBy(g, rows, g.sub(last, loop.getInductionVar()), carried);
  scf::YieldOp::create(g.ops, g.loc, next);
  g.recordSizes(loop.getResult(0), {items});
  return loop.getResult(0);
}

UniqueItems uniqueItems(GraphBuilder &g, Value value, int64_t axis,
                        bool isSorted) {
  // Makes one row of each item. Items are equal if their rows are equal, and
  // are ordered lexicographically.
  Size items = g.size(value, axis);
  SmallVector<int64_t> itemFirst{axis};
  for (int64_t dim = 0; dim < GraphBuilder::rankOf(value); ++dim)
    if (dim != axis)
      itemFirst.push_back(dim);
  Value rows = g.transpose(value, itemFirst);
  Sizes rest = g.sizes(rows);
  Size width = g.product(ArrayRef(rest).drop_front());
  rows = sortable(g, g.reshape(rows, {items, width}));
  Value order = lexicographicOrder(g, rows);
  Value index = g.iota(g.i64(), {items}, 0);
  Value before = g.maximum(g.sub(index, 1.0), 0.0);
  Value sorted = g.take(rows, order, 0);
  Value differs =
      g.compare(CompareDirection::NE, sorted, g.take(sorted, before, 0));
  Value isFirst = g.make<OrOp>(g.compare(CompareDirection::EQ, index, 0.0),
                               g.reduce(ReduceKind::Or, differs, {1}, false));
  Size count = countTrue(g, isFirst, items);
  Value ends = g.make<CumulativeOp>(
      RankedTensorType::get(GraphBuilder::shapeOf(isFirst), g.i64()),
      ReduceKind::Add, g.convert(isFirst, g.i64()), uint64_t(0));
  Value group = g.sub(ends, 1.0);
  // The first item of each group (the sort is stable) and the number of its
  // items.
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
