// Reads the attributes of pools into windows.
#include "compiler/import/tensorflow/ops/TfPools.h"

#include "dialects/tenon/ShapeRules.h"

using namespace mlir;

namespace tenon::tf {

WindowLists::WindowLists(GraphBuilder &g, Value x, const Windows &w) {
  window.append(w.kernel);
  window.push_back(1);
  strides.append(w.strides);
  strides.push_back(1);
  ones.assign(w.rank() + 2, 1);
  padding.append(paddingList(g, w));
  padding.append({0, 0});
  shape = reduceWindowShape(g.shapeOf(x), window, strides, ones, padding).shape;
}

/// Records the sizes of `pooled`: one element per window over `x`, and the
/// batch of `x`. Later size checks use them.
static Value sized(GraphBuilder &g, Value pooled, Value x, const Windows &w) {
  Sizes sizes = g.sizes(x);
  for (size_t i = 0; i < w.rank(); ++i)
    sizes[i + 1] = windowCount(g, w, i, sizes[i + 1]);
  g.recordSizes(pooled, sizes);
  return pooled;
}

Value reduceWindow(GraphBuilder &g, ReduceKind kind, Value x,
                   const Windows &w) {
  WindowLists lists(g, x, w);
  Value pooled = ReduceWindowOp::create(
      g.ops, g.loc, RankedTensorType::get(lists.shape, g.elementOf(x)), kind, x,
      lists.window, lists.strides, lists.ones, lists.padding);
  return sized(g, pooled, x, w);
}

Value argWindow(GraphBuilder &g, Value x, const Windows &w) {
  WindowLists lists(g, x, w);
  return ArgReduceWindowOp::create(g.ops, g.loc,
                                   RankedTensorType::get(lists.shape, g.i64()),
                                   ReduceKind::Maximum, x, lists.window,
                                   lists.strides, lists.ones, lists.padding);
}

FailureOr<Windows> readPoolWindows(NodeContext &c, bool first,
                                   ArrayRef<Size> extents) {
  int64_t spatial = extents.size();
  auto kernel = spatialList(c, "ksize", first, spatial, 0);
  auto strides = spatialList(c, "strides", first, spatial, 0);
  if (failed(kernel) || failed(strides))
    return failure();
  Windows w{*kernel, *strides, SmallVector<int64_t>(spatial, 1), {}, {}};
  if (failed(readPadding(c, w, extents, first)))
    return failure();
  return w;
}

FailureOr<Pool> readPool(NodeContext &c, int64_t spatial) {
  if (failed(c.expectNumber(0)) || failed(c.expectRank(0, spatial + 2)))
    return failure();
  FailureOr<bool> first = channelsFirst(c, spatial);
  if (failed(first))
    return failure();
  Value x = *first ? c.g.toChannelsLast(c.input(0)) : c.input(0);
  FailureOr<Windows> w = readPoolWindows(c, *first, spatialSizes(c.g, x));
  if (failed(w))
    return failure();
  return Pool{x, *w, *first};
}

Value windowSizes(GraphBuilder &g, mlir::Type element, ArrayRef<Size> extents,
                  Windows w) {
  Sizes sizes = {g.index(1)};
  sizes.append(extents.begin(), extents.end());
  sizes.push_back(g.index(1));
  Value one = padDynamic(g, g.splat(element, sizes, 1), 0, w);
  return reduceWindow(g, ReduceKind::Add, one, w);
}

FailureOr<int64_t> channelRadius(NodeContext &c) {
  int64_t radius = c.intAttr("depth_radius", 5);
  if (failed(c.expectFloat(0)) || failed(c.expectRank(0, 4)))
    return failure();
  if (radius < 0 || radius >= 1 << 20)
    return c.error(
        "expected a depth_radius of at least 0 and below 2^20, got " +
        Twine(radius));
  return radius;
}

Value overNearChannels(GraphBuilder &g, Value x, int64_t radius) {
  SmallVector<int64_t> window = {1, 1, 1, 2 * radius + 1}, ones(4, 1),
                       padding = {0, 0, 0, 0, 0, 0, radius, radius};
  Value sum = ReduceWindowOp::create(g.ops, g.loc, x.getType(), ReduceKind::Add,
                                     x, window, ones, ones, padding);
  g.recordSizes(sum, g.sizes(x));
  return sum;
}

Value responseBase(NodeContext &c, Value x, int64_t radius) {
  GraphBuilder &g = c.g;
  Value sum = overNearChannels(g, g.mul(x, x), radius);
  return g.add(g.mul(sum, c.floatAttr("alpha", 1)), c.floatAttr("bias", 1));
}

} // namespace tenon::tf
