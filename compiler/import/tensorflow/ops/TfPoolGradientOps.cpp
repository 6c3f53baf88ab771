// Gradients of pools: the gradient of a window goes to its greatest element, or
// in equal parts to all its elements.
#include "compiler/import/tensorflow/ops/TfPools.h"
#include "dialects/tenon/ShapeRules.h"

using namespace mlir;

namespace tenon::tf {
namespace {

/// The row-major number of each element, i64.
Value numbersOf(GraphBuilder &g, Value x) {
  Sizes sizes = g.sizes(x);
  return g.reshape(g.iota(g.i64(), {g.product(sizes)}, 0), sizes);
}

/// Sums `updates` into a tensor of `sizes` at the row-major numbers `at`.
Value scatterSums(GraphBuilder &g, Value updates, Value at,
                  ArrayRef<Size> sizes) {
  Size count = g.product(g.sizes(updates));
  SmallVector<int64_t> none, zero = {0};
  Value sums = g.splat(g.elementOf(updates), Sizes{g.product(sizes)}, 0);
  Value result = g.make<ScatterOp>(sums.getType(), ScatterKind::Add, sums,
                                   g.reshape(at, Sizes{count}),
                                   g.reshape(updates, Sizes{count}), none, zero,
                                   none, none, zero, uint64_t(1));
  g.recordSizes(result, Sizes{g.product(sizes)});
  return g.reshape(result, sizes);
}

/// For each element of `x`, sums the gradients of the windows whose greatest
/// element it is. `at` has, for each window, the number of its greatest
/// element.
Value collectSums(GraphBuilder &g, Value x, Value dy, Value at,
                  const Windows &w) {
  Sizes sizes = g.sizes(x);
  Value numbers = numbersOf(g, x);
  Value spread = spreadWindows(g, dy, 0, w, spatialSizes(g, x));
  Value owners = spreadWindows(g, at, -1, w, spatialSizes(g, x));
  Sizes strides(sizes.size(), g.index(1)), offsets(sizes.size(), g.index(0));
  Value sum;
  SmallVector<int64_t> place(w.rank(), 0);
  while (true) {
    for (size_t i = 0; i < w.rank(); ++i)
      offsets[i + 1] = g.index(place[i]);
    Value mine = g.compare(CompareDirection::EQ,
                           g.slice(owners, offsets, sizes, strides), numbers);
    Value part = g.select(mine, g.slice(spread, offsets, sizes, strides),
                          g.splat(g.elementOf(dy), sizes, 0));
    sum = sum ? g.add(sum, part) : part;
    size_t i = 0;
    while (i < w.rank() && ++place[i] == w.kernel[i])
      place[i++] = 0;
    if (i == w.rank())
      return sum;
  }
}

/// Removes the padding that was added for dynamic extents.
Value cutPadding(GraphBuilder &g, Value padded, const Windows &w,
                 ArrayRef<Size> sizes) {
  Sizes low(sizes.size(), g.index(0)), high = low;
  for (size_t i = 0; i < w.rank(); ++i) {
    low[i + 1] = g.sub(g.index(0), w.low[i]);
    high[i + 1] = g.sub(g.index(0), w.high[i]);
  }
  Value cut = g.pad(padded, g.scalar(g.elementOf(padded), 0), low, high);
  g.recordSizes(cut, sizes);
  return cut;
}

/// Operand `i`, an incoming gradient with one element per window,
/// channels-last.
FailureOr<Value> incomingGradient(NodeContext &c, size_t i, const Pool &pool) {
  if (failed(c.expectRank(i, c.g.rankOf(pool.x))))
    return failure();
  Value dy = pool.channelsFirst ? c.g.toChannelsLast(c.input(i)) : c.input(i);
  int64_t channels = c.g.rankOf(dy) - 1;
  for (int64_t dim : {int64_t(0), channels}) {
    if (!compatible(c.g.shapeOf(dy)[dim], c.g.shapeOf(pool.x)[dim]))
      return c.error("expected a gradient like the pool of " + textOf(pool.x) +
                     ", got " + textOf(dy));
    Size wanted = c.g.size(pool.x, dim);
    c.check(c.g.size(dy, dim), wanted, wanted,
            "the gradient must have the images' batch and channels");
  }
  if (failed(expectWindows(c, dy, pool.windows, spatialSizes(c.g, pool.x))))
    return failure();
  return dy;
}

/// Operands: images, their pool, incoming gradient.
template <int spatial> LogicalResult maxPoolGrad(NodeContext &c) {
  GraphBuilder &g = c.g;
  FailureOr<Pool> pool = readPool(c, spatial);
  if (failed(pool) || failed(c.expectSameElements()))
    return failure();
  FailureOr<Value> dy = incomingGradient(c, 2, *pool);
  if (failed(dy))
    return failure();
  Windows w = pool->windows, before = w;
  Value x =
      padDynamic(g, pool->x, GraphBuilder::leastOf(g.elementOf(pool->x)), w);
  Value at = argWindow(g, x, w);
  g.recordSizes(at, g.sizes(*dy));
  // Large windows: scattering each window's gradient costs less than searching
  // all windows of every element.
  constexpr int64_t maxSearched = 16;
  int64_t searched = 1;
  for (int64_t extent : w.kernel)
    searched = std::min(searched * extent, maxSearched + 1);
  Value dx = searched > maxSearched ? scatterSums(g, *dy, at, g.sizes(x))
                                    : collectSums(g, x, *dy, at, w);
  if (x != pool->x)
    dx = cutPadding(g, dx, before, g.sizes(pool->x));
  c.set(0, pool->channelsFirst ? g.fromChannelsLast(dx) : dx);
  return success();
}

/// Operands: images, incoming gradient, positions of the greatest elements.
LogicalResult maxPoolGradWithArgmax(NodeContext &c) {
  GraphBuilder &g = c.g;
  bool wholeBatch = c.boolAttr("include_batch_in_index", false);
  FailureOr<Pool> pool = readPool(c, 2);
  if (failed(pool) || failed(c.expectSameElements({0, 1})) ||
      failed(c.expectInteger(2)))
    return failure();
  FailureOr<Value> dy = incomingGradient(c, 1, *pool),
                   places = incomingGradient(c, 2, *pool);
  if (failed(dy) || failed(places))
    return failure();
  Sizes sizes = g.sizes(pool->x), of = g.sizes(*dy);
  Size image = g.product(ArrayRef(sizes).drop_front());
  Value high = g.broadcastTo(
      g.fromSize(wholeBatch ? g.product(sizes) : image, g.i64()), of);
  Value at = g.convert(*places, g.i64());
  at = g.make<CheckRangeOp>(at, g.splatLike(at, 0), high,
                            g.ops.getStringAttr(c.site()));
  if (!wholeBatch)
    at = g.add(at, g.mul(g.iota(g.i64(), of, 0), g.fromSize(image, g.i64())));
  c.set(0, scatterSums(g, *dy, at, sizes));
  return success();
}

/// Operands: sizes of the images, incoming gradient.
template <int spatial> LogicalResult averagePoolGrad(NodeContext &c) {
  GraphBuilder &g = c.g;
  FailureOr<bool> first = channelsFirst(c, spatial);
  if (failed(first) || failed(c.expectFloat(1)) ||
      failed(c.expectRank(1, spatial + 2)))
    return failure();
  FailureOr<Sizes> sizes = c.extentsInput(0);
  if (failed(sizes))
    return failure();
  if (sizes->size() != spatial + 2)
    return c.error("expected sizes of " + Twine(spatial + 2) +
                   " entries, got " + Twine(sizes->size()));
  Sizes extents(ArrayRef(*sizes).slice(*first ? 2 : 1, spatial));
  FailureOr<Windows> w = readPoolWindows(c, *first, extents);
  if (failed(w))
    return failure();
  Value dy = *first ? g.toChannelsLast(c.input(1)) : c.input(1);
  if (failed(expectWindows(c, dy, *w, extents)))
    return failure();
  Value counts = windowSizes(g, g.elementOf(dy), extents, *w);
  Sizes places = g.sizes(dy);
  Value spread = spreadWindows(g, g.div(dy, counts), 0, *w, extents);
  Windows over = *w;
  over.strides.assign(spatial, 1);
  over.low.assign(spatial, g.index(0));
  over.high = over.low;
  Value dx = reduceWindow(g, ReduceKind::Add, spread, over);
  llvm::copy(extents, places.begin() + 1);
  g.recordSizes(dx, places);
  c.set(0, *first ? g.fromChannelsLast(dx) : dx);
  return success();
}

/// Operands: incoming gradient dy, images x, their responses y. With n the base
/// that localResponse raises to a power, the result is dy n^-beta - 2 alpha
/// beta x s, where s is the sum of dy y / n over the nearby channels.
LogicalResult localResponseGrad(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value operands[] = {c.input(0), c.input(1), c.input(2)};
  FailureOr<int64_t> radius = channelRadius(c);
  if (failed(radius) || failed(c.expectSameElements()) ||
      failed(c.expectOneShape(operands)))
    return failure();
  auto [dy, x, y] = operands;
  double alpha = c.floatAttr("alpha", 1), beta = c.floatAttr("beta", 0.5);
  Value base = responseBase(c, x, *radius);
  Value direct = g.mul(dy, g.make<PowerOp>(base, g.splatLike(base, -beta)));
  Value near = overNearChannels(g, g.div(g.mul(dy, y), base), *radius);
  c.set(0, g.sub(direct, g.mul(g.mul(x, near), 2 * alpha * beta)));
  return success();
}

} // namespace

void registerPoolGradientOps(OpRegistry &r) {
  r.add("MaxPoolGrad", 3, maxPoolGrad<2>);
  r.add("MaxPool3DGrad", 3, maxPoolGrad<3>);
  r.add("MaxPoolGradWithArgmax", 3, maxPoolGradWithArgmax);
  r.add("AvgPoolGrad", 2, averagePoolGrad<2>);
  r.add("AvgPool3DGrad", 2, averagePoolGrad<3>);
  r.add("LRNGrad", 3, localResponseGrad);
}

} // namespace tenon::tf
