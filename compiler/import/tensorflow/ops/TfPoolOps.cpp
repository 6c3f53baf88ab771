// Pools of images and volumes, and local response normalization.
#include "compiler/import/tensorflow/ops/TfPools.h"

using namespace mlir;

namespace tenon::tf {
namespace {

template <int spatial> LogicalResult maxPool(NodeContext &c) {
  GraphBuilder &g = c.g;
  FailureOr<Pool> pool = readPool(c, spatial);
  if (failed(pool))
    return failure();
  Value x = padDynamic(g, pool->x, GraphBuilder::leastOf(g.elementOf(pool->x)),
                       pool->windows);
  Value y = reduceWindow(g, ReduceKind::Maximum, x, pool->windows);
  c.set(0, pool->channelsFirst ? g.fromChannelsLast(y) : y);
  return success();
}

/// The sum divided by the number of elements without padding.
template <int spatial> LogicalResult averagePool(NodeContext &c) {
  GraphBuilder &g = c.g;
  FailureOr<Pool> pool = readPool(c, spatial);
  if (failed(pool) || failed(c.expectFloat(0)))
    return failure();
  Value counts = windowSizes(g, g.elementOf(pool->x), spatialSizes(g, pool->x),
                             pool->windows);
  Value x = padDynamic(g, pool->x, 0, pool->windows);
  Value pair[] = {reduceWindow(g, ReduceKind::Add, x, pool->windows), counts};
  if (failed(c.broadcast(pair)))
    return failure();
  Value y = g.div(pair[0], pair[1]);
  c.set(0, pool->channelsFirst ? g.fromChannelsLast(y) : y);
  return success();
}

/// The greatest elements, and their positions in their image or in the whole
/// batch.
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
  Value at = argWindow(g, pool->x, pool->windows);
  if (!wholeBatch) {
    Size image = g.product(ArrayRef(g.sizes(pool->x)).drop_front());
    at = g.binary<RemainderOp>(at, g.fromSize(image, g.i64()));
  }
  c.set(1, g.convert(at, element));
  return success();
}

/// The elements of each window as channels: one strided slice for each position
/// in the window.
LogicalResult extractPatches(NodeContext &c) {
  GraphBuilder &g = c.g;
  if (failed(c.expectNumber(0)) || failed(c.expectRank(0, 4)))
    return failure();
  auto kernel = spatialList(c, "ksizes", false, 2, 0);
  auto strides = spatialList(c, "strides", false, 2, 0);
  auto rates = spatialList(c, "rates", false, 2, 0);
  if (failed(kernel) || failed(strides) || failed(rates))
    return failure();
  constexpr int64_t maxPlaces = 1024;
  if ((*kernel)[0] > maxPlaces || (*kernel)[1] > maxPlaces ||
      (*kernel)[0] * (*kernel)[1] > maxPlaces)
    return c.unsupported("patches of more than " + Twine(maxPlaces) +
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
  FailureOr<int64_t> radius = channelRadius(c);
  if (failed(radius))
    return failure();
  Value x = c.input(0), base = responseBase(c, x, *radius);
  c.set(0,
        c.g.div(x, c.g.make<PowerOp>(
                       base, c.g.splatLike(base, c.floatAttr("beta", 0.5)))));
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
