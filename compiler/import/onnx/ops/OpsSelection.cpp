// Ops whose result sizes depend on values. The run counts them; an upper bound
// is known before. And TopK, whose k may be known only at run time.
#include "compiler/import/onnx/graph/NodeContext.h"
#include "compiler/import/sizes/CountedSizes.h"

using namespace mlir;

namespace tenon::onnx {

static LogicalResult nonZero(NodeContext &ctx) {
  GraphBuilder &g = ctx.g;
  Value value = ctx.input(0);
  if (GraphBuilder::rankOf(value) == 0)
    value = g.reshape(value, ArrayRef<int64_t>{1});
  Value flags = GraphBuilder::elementOf(value).isInteger(1)
                    ? value
                    : g.compare(CompareDirection::NE, value, 0.0);
  Size count = countTrue(g, flags, g.product(g.sizes(value)));
  ctx.set(0, g.transpose(placesOf(g, flags, count), {1, 0}));
  return success();
}

/// The node's axis. Without one, reshapes `value` to a vector of all its
/// elements and returns 0.
static FailureOr<int64_t> axisOrFlat(NodeContext &ctx, Value &value) {
  GraphBuilder &g = ctx.g;
  if (ctx.hasAttr("axis"))
    return ctx.axis(ctx.intAttr("axis"), g.rankOf(value));
  value = g.reshape(value, {g.product(g.sizes(value))});
  return 0;
}

static LogicalResult compress(NodeContext &ctx) {
  GraphBuilder &g = ctx.g;
  if (failed(ctx.expectBool(1)) || failed(ctx.expectRank(1, 1)))
    return failure();
  Value value = ctx.input(0), flags = ctx.input(1);
  FailureOr<int64_t> axis = axisOrFlat(ctx, value);
  if (failed(axis))
    return failure();
  // The condition may be shorter than the extent: elements behind its end are
  // not selected. Entries behind the extent have no effect.
  Size extent = g.size(value, *axis);
  Size length = g.min(g.size(flags, 0), extent);
  flags = g.sliceDim(flags, 0, g.index(0), length);
  Size count = countTrue(g, flags, length);
  ctx.set(0, g.take(value, positionsOf(g, flags, count), *axis));
  return success();
}

static LogicalResult unique(NodeContext &ctx) {
  Value value = ctx.input(0);
  bool isSorted = ctx.intAttr("sorted", 1) != 0;
  FailureOr<int64_t> axis = axisOrFlat(ctx, value);
  if (failed(axis))
    return failure();
  UniqueItems items = uniqueItems(ctx.g, value, *axis, isSorted);
  ctx.set(0, items.items);
  ctx.set(1, items.firsts);
  ctx.set(2, items.inverse);
  ctx.set(3, items.counts);
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
  ctx.ignoreAttrs({"sorted"}); // if 0, any order is allowed
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
  auto [elements, positions] = g.topK(value, k, *axis, largest);
  ctx.set(0, elements);
  ctx.set(1, positions);
  return success();
}

void registerSelectionOps(OpRegistry &registry) {
  registry.add("Compress", 9, 2, 1, compress);
  registry.add("NonZero", 9, 1, 1, nonZero);
  registry.add("TopK", 1, 1, 2, topK);
  registry.add("TopK", 10, 2, 2, topK);
  registry.add("Unique", 11, 1, 4, unique);
}

} // namespace tenon::onnx
