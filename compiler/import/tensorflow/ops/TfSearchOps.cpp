// Ops that search: positions of true elements, distinct elements, bounds of
// values.
#include "compiler/import/sizes/CountedSizes.h"
#include "compiler/import/tensorflow/graph/TfNodeContext.h"
#include "dialects/tenon/ShapeRules.h"

using namespace mlir;

namespace tenon::tf {
namespace {

using enum CompareDirection;

LogicalResult where(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value x = c.input(0);
  if (failed(c.expectMinRank(0, 1)))
    return failure();
  Value flags = g.elementOf(x).isInteger(1) ? x : g.compare(NE, x, 0.0);
  c.set(0, placesOf(g, flags, countTrue(g, flags, g.product(g.sizes(flags)))));
  return success();
}

/// Distinct elements in the order of their first occurrence.
LogicalResult unique(NodeContext &c) {
  GraphBuilder &g = c.g;
  mlir::Type element = c.elementAttr("out_idx", DataType::I32);
  if (!element || failed(c.expectMinRank(0, 1)))
    return failure();
  int64_t axis = 0;
  bool isFlat = c.numInputs() == 1;
  if (!isFlat) {
    FailureOr<SmallVector<int64_t>> named = c.constantInput(1, "an axis");
    if (failed(named))
      return failure();
    isFlat = named->empty();
    if (named->size() > 1)
      return c.error("expected one axis, got " + Twine(named->size()));
    if (!isFlat) {
      FailureOr<int64_t> dim = c.axis(named->front(), g.rankOf(c.input(0)));
      if (failed(dim))
        return failure();
      axis = *dim;
    }
  }
  if (isFlat && failed(c.expectRank(0, 1)))
    return failure();
  UniqueItems items = uniqueItems(g, c.input(0), axis, false);
  c.set(0, items.items);
  c.set(1, g.convert(items.inverse, element));
  c.set(2, g.convert(items.counts, element));
  return success();
}

/// The elements of the first list that are not in the second, and their
/// positions.
LogicalResult listDiff(NodeContext &c) {
  GraphBuilder &g = c.g;
  mlir::Type element = c.elementAttr("out_idx", DataType::I32);
  if (!element || failed(c.expectRank(0, 1)) || failed(c.expectRank(1, 1)) ||
      failed(c.expectSameElements({0, 1})))
    return failure();
  Value same =
      g.compare(EQ, g.unsqueeze(c.input(0), {1}), g.unsqueeze(c.input(1), {0}));
  Value kept = g.make<NotOp>(g.reduce(ReduceKind::Or, same, {1}, false));
  Value at = positionsOf(g, kept, countTrue(g, kept, g.size(c.input(0), 0)));
  c.set(0, g.take(c.input(0), at, 0));
  c.set(1, g.convert(at, element));
  return success();
}

/// True for a row if its target is among its k greatest elements: fewer than k
/// are greater.
LogicalResult inTopK(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value rows = c.input(0);
  if (failed(c.expectFloat(0)) || failed(c.expectRank(0, 2)) ||
      failed(c.expectInteger(1)) || failed(c.expectRank(1, 1)))
    return failure();
  Value k = g.scalarInt(g.i64(), c.intAttr("k", 0));
  if (c.numInputs() == 3) {
    if (failed(c.expectInteger(2)) || failed(c.expectRank(2, 0)))
      return failure();
    k = g.convert(c.input(2), g.i64());
  }
  FailureOr<Value> targets =
      c.withSizes(1, g.size(rows, 0), "a target per row");
  if (failed(targets))
    return failure();
  Value target = g.unsqueeze(g.convert(*targets, g.i64()), {1});
  Value isTarget = g.compare(EQ, target, g.iota(g.i64(), g.sizes(rows), 1));
  // A target outside the row gives NaN, which is never among the greatest.
  Value chosen = g.select(isTarget, rows, g.splatLike(rows, 0));
  Value found = g.reduce(ReduceKind::Or, isTarget, {1}, false);
  Value score = g.reduce(ReduceKind::Add, chosen, {1}, true);
  Value above =
      g.reduce(ReduceKind::Add, g.convert(g.compare(GT, rows, score), g.i64()),
               {1}, false);
  Value finite = g.compare(LT, g.make<AbsOp>(g.squeeze(score, {1})),
                           std::numeric_limits<double>::infinity());
  Value within = g.compare(LT, above, k);
  c.set(0, g.binary<AndOp>(g.binary<AndOp>(within, finite), found));
  return success();
}

/// For each element the number of boundaries that are not above it.
LogicalResult bucketize(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value x = c.input(0);
  if (failed(c.expectNumber(0)))
    return failure();
  const Attr *attr = c.node.find("boundaries");
  const auto *list = attr ? std::get_if<List>(attr) : nullptr;
  if (!list)
    return c.error("expected attribute 'boundaries' to be a list");
  SmallVector<double> bounds(list->floats.begin(), list->floats.end());
  if (!llvm::is_sorted(bounds))
    return c.error("expected ascending boundaries");
  // Compare in f64, which represents every f32 and i32 exactly.
  int64_t rank = g.rankOf(x), count = int64_t(bounds.size());
  Value wide = g.unsqueeze(g.convert(x, g.ops.getF64Type()), {rank});
  Value limits = g.floats(g.ops.getF64Type(), bounds, {count});
  Value reached = g.compare(GE, wide, limits);
  c.set(0, g.reduce(ReduceKind::Add, g.convert(reached, g.ops.getI32Type()),
                    {rank}, false));
  return success();
}

/// Operands: rows of ascending numbers, and values. The result is the position
/// of each value in its row: before equal numbers (lower bound) or behind them
/// (upper bound).
template <bool upper> LogicalResult bound(NodeContext &c) {
  GraphBuilder &g = c.g;
  mlir::Type element = c.elementAttr("out_type", DataType::I32);
  if (!element || failed(c.expectNumber(0)) || failed(c.expectRank(0, 2)) ||
      failed(c.expectRank(1, 2)) || failed(c.expectSameElements({0, 1})))
    return failure();
  FailureOr<Value> values =
      c.withSizes(1, {g.size(c.input(0), 0), g.size(c.input(1), 1)},
                  "as many rows of values");
  if (failed(values))
    return failure();
  Value passed = g.compare(upper ? LE : LT, g.unsqueeze(c.input(0), {1}),
                           g.unsqueeze(*values, {2}));
  c.set(0, g.reduce(ReduceKind::Add, g.convert(passed, element), {2}, false));
  return success();
}

/// The inverse of a permutation: the position of each number from 0 on.
LogicalResult invertPermutation(NodeContext &c) {
  GraphBuilder &g = c.g;
  if (failed(c.expectInteger(0)) || failed(c.expectRank(0, 1)))
    return failure();
  Size count = g.size(c.input(0), 0);
  Value at = g.convert(c.input(0), g.i64());
  Value high = g.broadcastTo(g.fromSize(count, g.i64()), {count});
  at = g.make<CheckRangeOp>(at, g.splatLike(at, 0), high,
                            g.ops.getStringAttr(c.site()));
  Value inverse = scatterVector(g, ScatterKind::Set, count, at,
                                g.iota(g.i64(), {count}, 0));
  c.set(0, g.convert(inverse, g.elementOf(c.input(0))));
  return success();
}

/// Selects boxes in descending order of score that overlap no selected box by
/// more than a threshold. Operands: boxes [n, 4], scores [n], the greatest
/// number of boxes, the overlap threshold, the least score. Version 4 can pad
/// the result with zeros, and also returns the number of boxes.
LogicalResult nonMaxSuppression(NodeContext &c) {
  GraphBuilder &g = c.g;
  bool padded = c.boolAttr("pad_to_max_output_size", false);
  for (auto [i, rank] : {std::pair(0, 2), {1, 1}, {3, 0}})
    if (failed(c.expectFloat(i)) || failed(c.expectRank(i, rank)))
      return failure();
  Value least = g.scalar(g.f32(), -std::numeric_limits<double>::infinity());
  if (c.numInputs() > 4) {
    if (failed(c.expectFloat(4)) || failed(c.expectRank(4, 0)))
      return failure();
    least = g.convert(c.input(4), g.f32());
  }
  FailureOr<Sizes> most = c.sizesInput(2);
  if (failed(most))
    return failure();
  ArrayRef<int64_t> boxes = g.shapeOf(c.input(0));
  if (most->size() != 1 || !compatible(boxes[1], 4) ||
      !compatible(boxes[0], g.shapeOf(c.input(1))[0]))
    return c.error("expected boxes [n,4] with scores [n] and one number, got " +
                   textOf(c.input(0)) + " and " + textOf(c.input(1)));
  Size limit = g.max(most->front(), g.index(0));
  Size rows = g.min(limit, g.size(c.input(0), 0));
  auto op = NonMaxSuppressionOp::create(
      g.ops, g.loc,
      RankedTensorType::get(
          {g.staticSize(rows).value_or(ShapedType::kDynamic), 3}, g.i64()),
      RankedTensorType::get({}, g.i64()),
      g.unsqueeze(g.convert(c.input(0), g.f32()), {0}),
      g.unsqueeze(g.convert(c.input(1), g.f32()), {0, 1}), g.indexValue(limit),
      g.convert(c.input(3), g.f32()), least, false);
  Value selected = op->getResult(0), count = op->getResult(1);
  g.recordSizes(selected, {rows, g.index(3)});
  Value at =
      g.convert(g.squeeze(g.sliceDim(selected, 1, g.index(2), g.index(1)), {1}),
                g.ops.getI32Type());
  if (padded) {
    Value taken = g.compare(LT, g.iota(g.i64(), {rows}, 0), count);
    at = g.select(taken, at, g.splatLike(at, 0));
    at = g.pad(at, g.scalar(g.ops.getI32Type(), 0), {g.index(0)},
               {g.sub(limit, rows)});
  } else {
    std::optional<Sizes> number = c.shapes.elements(count);
    at = g.sliceDim(at, 0, g.index(0), g.bound(number->front(), rows));
  }
  c.set(0, at);
  c.set(1, g.convert(count, g.ops.getI32Type()));
  return success();
}

} // namespace

void registerSearchOps(OpRegistry &r) {
  r.add("Where", 1, where);
  r.add("Unique", 1, unique, {"y", "idx"});
  r.add("UniqueV2", 2, unique, {"y", "idx"});
  r.add("UniqueWithCounts", 1, unique, {"y", "idx", "count"});
  r.add("UniqueWithCountsV2", 2, unique, {"y", "idx", "count"});
  r.add("ListDiff", 2, listDiff, {"out", "idx"});
  r.add("InTopK", 2, inTopK);
  r.add("InTopKV2", 3, inTopK);
  r.add("Bucketize", 1, bucketize);
  r.add("LowerBound", 2, bound<false>);
  r.add("UpperBound", 2, bound<true>);
  r.add("NonMaxSuppressionV2", 4, nonMaxSuppression);
  r.add("NonMaxSuppressionV3", 5, nonMaxSuppression);
  r.add("NonMaxSuppressionV4", 5, nonMaxSuppression,
        {"selected_indices", "valid_outputs"});
  r.add("InvertPermutation", 1, invertPermutation);
}

} // namespace tenon::tf
