// Pools of images and volumes, and responses normalized over nearby channels.
#include "compiler/import/tensorflow/TfWindows.h"
#include "dialects/tenon/ShapeRules.h"

using namespace mlir;

namespace tenon::tf {
namespace {

/// Lists with entries for batch and channels too.
struct WindowLists {
  SmallVector<int64_t> window = {1}, strides = {1}, ones = {1},
                       padding = {0, 0}, shape;

  WindowLists(GraphBuilder &g, Value x, const Windows &w) {
    window.append(w.kernel);
    window.push_back(1);
    strides.append(w.strides);
    strides.push_back(1);
    ones.assign(w.rank() + 2, 1);
    padding.append(paddingList(g, w));
    padding.append({0, 0});
    shape =
        reduceWindowShape(g.shapeOf(x), window, strides, ones, padding).shape;
  }
};

Value reduceWindow(GraphBuilder &g, ReduceKind kind, Value x,
                   const Windows &w) {
  WindowLists lists(g, x, w);
  return ReduceWindowOp::create(
      g.ops, g.loc, RankedTensorType::get(lists.shape, g.elementOf(x)), kind, x,
      lists.window, lists.strides, lists.ones, lists.padding);
}

struct Pool {
  Value x; ///< channels-last
  Windows windows;
  bool first;
};

FailureOr<Pool> readPool(NodeContext &c, int64_t spatial) {
  if (failed(c.expectNumber(0)) || failed(c.expectRank(0, spatial + 2)))
    return failure();
  FailureOr<bool> first = channelsFirst(c, spatial);
  if (failed(first))
    return failure();
  auto kernel = spatialList(c, "ksize", *first, spatial, 0);
  auto strides = spatialList(c, "strides", *first, spatial, 0);
  if (failed(kernel) || failed(strides))
    return failure();
  Value x = *first ? c.g.toChannelsLast(c.input(0)) : c.input(0);
  SmallVector<int64_t> ones(spatial, 1);
  Windows w{*kernel, *strides, ones, {}, {}};
  if (failed(readPadding(c, w, spatialSizes(c.g, x), *first)))
    return failure();
  return Pool{x, w, *first};
}

template <int spatial> LogicalResult maxPool(NodeContext &c) {
  GraphBuilder &g = c.g;
  FailureOr<Pool> pool = readPool(c, spatial);
  if (failed(pool))
    return failure();
  Value x = padDynamic(g, pool->x, GraphBuilder::leastOf(g.elementOf(pool->x)),
                       pool->windows);
  Value y = reduceWindow(g, ReduceKind::Maximum, x, pool->windows);
  c.set(0, pool->first ? g.fromChannelsLast(y) : y);
  return success();
}

/// The sum over the number of elements: padding does not count.
template <int spatial> LogicalResult averagePool(NodeContext &c) {
  GraphBuilder &g = c.g;
  FailureOr<Pool> pool = readPool(c, spatial);
  if (failed(pool) || failed(c.expectFloat(0)))
    return failure();
  Sizes sizes = {g.index(1)};
  sizes.append(spatialSizes(g, pool->x));
  sizes.push_back(g.index(1));
  Windows unpadded = pool->windows;
  Value one =
      padDynamic(g, g.splat(g.elementOf(pool->x), sizes, 1), 0, unpadded);
  Value x = padDynamic(g, pool->x, 0, pool->windows);
  Value pair[] = {reduceWindow(g, ReduceKind::Add, x, pool->windows),
                  reduceWindow(g, ReduceKind::Add, one, unpadded)};
  if (failed(c.broadcast(pair)))
    return failure();
  Value y = g.div(pair[0], pair[1]);
  c.set(0, pool->first ? g.fromChannelsLast(y) : y);
  return success();
}

/// The greatest elements and where they stand in their image, or among all.
LogicalResult maxPoolWithArgmax(NodeContext &c) {
  GraphBuilder &g = c.g;
  mlir::Type element = c.elementAttr("Targmax", DataType::I64);
  bool wholeBatch = c.boolAttr("include_batch_in_index", false);
  FailureOr<Pool> pool = readPool(c, 2);
  if (failed(pool) || !element)
    return failure();
  SmallVector<Size> all(pool->windows.low);
  all.append(pool->windows.high);
  if (!g.staticSizes(all))
    return c.unsupported("positions in windows whose padding is not static");
  c.set(0, reduceWindow(g, ReduceKind::Maximum, pool->x, pool->windows));
  WindowLists lists(g, pool->x, pool->windows);
  Value at = ArgReduceWindowOp::create(
      g.ops, g.loc, RankedTensorType::get(lists.shape, g.i64()),
      ReduceKind::Maximum, pool->x, lists.window, lists.strides, lists.ones,
      lists.padding);
  if (!wholeBatch) {
    Size image = g.product(ArrayRef(g.sizes(pool->x)).drop_front());
    at = g.binary<RemainderOp>(at, g.fromSize(image, g.i64()));
  }
  c.set(1, g.convert(at, element));
  return success();
}

/// The elements of each window as channels: one strided slice per place in the
/// window.
LogicalResult extractPatches(NodeContext &c) {
  GraphBuilder &g = c.g;
  if (failed(c.expectNumber(0)) || failed(c.expectRank(0, 4)))
    return failure();
  auto kernel = spatialList(c, "ksizes", false, 2, 0);
  auto strides = spatialList(c, "strides", false, 2, 0);
  auto rates = spatialList(c, "rates", false, 2, 0);
  if (failed(kernel) || failed(strides) || failed(rates))
    return failure();
  constexpr int64_t mostPlaces = 1024;
  if ((*kernel)[0] > mostPlaces || (*kernel)[1] > mostPlaces ||
      (*kernel)[0] * (*kernel)[1] > mostPlaces)
    return c.unsupported("patches of more than " + Twine(mostPlaces) +
                         " pixels");
  Windows w{*kernel, *strides, *rates, {}, {}};
  Value x = c.input(0);
  if (failed(readPadding(c, w, spatialSizes(g, x), false)))
    return failure();
  Sizes low = {g.index(0), w.low[0], w.low[1], g.index(0)},
        high = {g.index(0), w.high[0], w.high[1], g.index(0)};
  x = g.pad(x, g.scalar(g.elementOf(x), 0), low, high);
  SmallVector<Value> places;
  for (int64_t i = 0; i < w.kernel[0]; ++i)
    for (int64_t j = 0; j < w.kernel[1]; ++j) {
      int64_t at[] = {i * w.dilations[0], j * w.dilations[1]};
      Value part = x;
      for (int64_t d = 0; d < 2; ++d) {
        Size span = g.sub(g.size(x, d + 1), g.index(w.reach(d)));
        Size count =
            g.max(g.add(g.floorDiv(span, g.index(w.strides[d])), g.index(1)),
                  g.index(0));
        part = g.sliceDim(part, d + 1, g.index(at[d]), count, w.strides[d]);
      }
      places.push_back(part);
    }
  c.set(0, g.concat(places, 3));
  return success();
}

/// x / (bias + alpha * sum of squares of nearby channels) ^ beta.
LogicalResult localResponse(NodeContext &c) {
  GraphBuilder &g = c.g;
  int64_t radius = c.intAttr("depth_radius", 5);
  if (failed(c.expectFloat(0)) || failed(c.expectRank(0, 4)))
    return failure();
  if (radius < 0 || radius >= 1 << 20)
    return c.error(
        "expected a depth_radius of at least 0 and below 2^20, got " +
        Twine(radius));
  Value x = c.input(0), squares = g.mul(x, x);
  SmallVector<int64_t> window = {1, 1, 1, 2 * radius + 1}, ones(4, 1),
                       padding = {0, 0, 0, 0, 0, 0, radius, radius};
  Value sum = ReduceWindowOp::create(g.ops, g.loc, x.getType(), ReduceKind::Add,
                                     squares, window, ones, ones, padding);
  g.recordSizes(sum, g.sizes(x));
  Value base =
      g.add(g.mul(sum, c.floatAttr("alpha", 1)), c.floatAttr("bias", 1));
  c.set(0, g.div(x, g.make<PowerOp>(
                        base, g.splatLike(base, c.floatAttr("beta", 0.5)))));
  return success();
}

} // namespace

void registerPoolOps(OpRegistry &r) {
  r.add("MaxPool", 1, maxPool<2>);
  r.add("MaxPool3D", 1, maxPool<3>);
  r.add("AvgPool", 1, averagePool<2>);
  r.add("AvgPool3D", 1, averagePool<3>);
  r.add("MaxPoolWithArgmax", 1, maxPoolWithArgmax, {"output", "argmax"});
  r.add("ExtractImagePatches", 1, extractPatches);
  r.add("LRN", 1, localResponse);
}

} // namespace tenon::tf
