// Pools combine the elements of windows or whole planes to one number;
// MaxUnpool scatters the numbers back. Values are pooled channels-last. Indices
// number the elements in the model's layout, so they are computed in that
// layout.
#include "compiler/import/onnx/graph/NodeContext.h"
#include "compiler/import/onnx/ops/Quantization.h"
#include "compiler/import/onnx/ops/Windows.h"
#include "dialects/tenon/ShapeRules.h"
#include "dialects/tenon/SizeLimit.h"

using namespace mlir;

namespace tenon::onnx {
namespace {

struct PoolInput {
  Value x;
  Windows windows;
};

FailureOr<PoolInput> readPool(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value x = c.input(0);
  if (failed(c.expectMinRank(0, 3)))
    return failure();
  FailureOr<SmallVector<int64_t>> kernel = readKernel(c, g.rankOf(x) - 2);
  if (failed(kernel))
    return failure();
  FailureOr<Windows> windows =
      readWindows(c, *kernel, ArrayRef(g.sizes(x)).drop_front(2));
  if (failed(windows))
    return failure();
  return PoolInput{x, *windows};
}

/// Window lists with entries for all dimensions; `first` is the number of the
/// first spatial one.
struct WindowLists {
  SmallVector<int64_t> window, strides, dilations, padding;
  SmallVector<int64_t> shape;

  WindowLists(GraphBuilder &g, Value x, const Windows &w, int64_t first) {
    int64_t rank = g.rankOf(x);
    SmallVector<int64_t> pads = w.paddingList(g);
    for (int64_t i = 0; i < rank; ++i) {
      int64_t at = i - first;
      bool spatial = at >= 0 && at < int64_t(w.rank());
      window.push_back(spatial ? w.kernel[at] : 1);
      strides.push_back(spatial ? w.strides[at] : 1);
      dilations.push_back(spatial ? w.dilations[at] : 1);
      padding.push_back(spatial ? pads[2 * at] : 0);
      padding.push_back(spatial ? pads[2 * at + 1] : 0);
    }
    shape = reduceWindowShape(g.shapeOf(x), window, strides, dilations, padding)
                .shape;
  }
};

Value reduceWindow(GraphBuilder &g, ReduceKind kind, Value x, const Windows &w,
                   int64_t first) {
  WindowLists lists(g, x, w, first);
  return ReduceWindowOp::create(
      g.ops, g.loc, RankedTensorType::get(lists.shape, g.elementOf(x)), kind, x,
      lists.window, lists.strides, lists.dilations, lists.padding);
}

/// Converts row-major numbers of the spatial elements of [N, C, spatial...] to
/// numbers with the first spatial dimension fastest.
Value columnMajor(GraphBuilder &g, Value index, ArrayRef<Size> spatial) {
  Value plane = g.fromSize(g.product(spatial), g.i64());
  Value at = g.binary<RemainderOp>(index, plane);
  Value result = g.sub(index, at);
  // Split off positions from the last dimension on. The stride of a dimension
  // is the product of the extents before it.
  for (size_t i = spatial.size(); i-- > 0;) {
    Value extent = g.fromSize(spatial[i], g.i64());
    Value stride = g.fromSize(g.product(spatial.take_front(i)), g.i64());
    result = g.add(result, g.mul(g.binary<RemainderOp>(at, extent), stride));
    at = g.div(at, extent);
  }
  return result;
}

bool isPositive(NodeContext &c, Value scale) {
  auto known = c.shapes.constantFloats(scale);
  return known && llvm::all_of(*known, [](double x) { return x > 0; });
}

LogicalResult maxPool(NodeContext &c) {
  GraphBuilder &g = c.g;
  bool columns = c.intAttr("storage_order", 0) != 0;
  if (failed(c.expectNumber(0)))
    return failure();
  FailureOr<PoolInput> pool = readPool(c);
  if (failed(pool))
    return failure();
  // Dequantized numbers have the order of their integers, which are smaller.
  std::optional<Dequantized> integers = dequantizedFrom(pool->x);
  if (integers && !c.wants(1) && g.elementOf(integers->integers).isInteger(8) &&
      (!integers->zero || g.rankOf(integers->zero) == 0) &&
      g.rankOf(integers->scale) == 0 && isPositive(c, integers->scale))
    pool->x = integers->integers;
  else
    integers.reset();
  Windows windows = pool->windows;
  double least = GraphBuilder::leastOf(g.elementOf(pool->x));
  Value x = padDynamic(g, g.toChannelsLast(pool->x), least, windows);
  Value most =
      g.fromChannelsLast(reduceWindow(g, ReduceKind::Maximum, x, windows, 1));
  c.set(0, integers ? dequantize(g, {most, integers->zero, integers->scale})
                    : most);
  if (!c.wants(1))
    return success();
  if (!pool->windows.staticPadding())
    return c.unsupported("indices of windows whose padding is not static");
  WindowLists lists(g, pool->x, pool->windows, 2);
  Value index = ArgReduceWindowOp::create(
      g.ops, g.loc, RankedTensorType::get(lists.shape, g.i64()),
      ReduceKind::Maximum, pool->x, lists.window, lists.strides,
      lists.dilations, lists.padding);
  if (columns)
    index = columnMajor(g, index, ArrayRef(g.sizes(pool->x)).drop_front(2));
  c.set(1, index);
  return success();
}

/// The number of elements in each window along a dimension, as a vector: only
/// data, or also the model's padding with `padding`.
Value windowCounts(GraphBuilder &g, mlir::Type element, Size extent,
                   const Windows &w, size_t i, bool padding) {
  Value ones = g.splat(element, {extent}, 1);
  Size zero = g.index(0);
  Value one = g.scalar(element, 1), none = g.scalar(element, 0);
  ones = g.pad(ones, padding ? one : none, {w.low[i]}, {w.high[i]});
  ones = g.pad(ones, none, {zero}, {w.extra[i]});
  Windows single;
  single.kernel = {w.kernel[i]};
  single.strides = {w.strides[i]};
  single.dilations = {w.dilations[i]};
  single.low = single.high = single.extra = Sizes{zero};
  return reduceWindow(g, ReduceKind::Add, ones, single, 0);
}

/// True if counting at import is cheap: at most 2^22 steps.
bool isBudgeted(ArrayRef<int64_t> known, const Windows &w, size_t i) {
  constexpr int64_t maxSteps = int64_t(1) << 22;
  int64_t padded = 0;
  for (int64_t extent : known)
    padded = saturatingAdd(padded, extent);
  return saturatingMul(padded / w.strides[i] + 1, w.kernel[i]) <= maxSteps;
}

/// The number of elements in each window if everything is static.
SmallVector<int64_t> staticCounts(int64_t extent, int64_t low, int64_t high,
                                  int64_t extra, const Windows &w, size_t i,
                                  bool padding) {
  SmallVector<int64_t> counts;
  int64_t first = padding ? 0 : low;
  int64_t last = low + extent + (padding ? high : 0);
  for (int64_t at = 0; at + w.reach(i) <= low + extent + high + extra;
       at += w.strides[i]) {
    int64_t count = 0;
    for (int64_t k = 0; k < w.kernel[i]; ++k) {
      int64_t position = at + k * w.dilations[i];
      count += position >= first && position < last;
    }
    counts.push_back(count);
  }
  return counts;
}

/// The number of elements in each window, in a shape that broadcasts against
/// [N, spatial..., C].
Value countsOf(GraphBuilder &g, mlir::Type element, ArrayRef<Size> extents,
               const Windows &w, bool padding) {
  double all = 1;
  Value product;
  for (size_t i = 0; i < w.rank(); ++i) {
    auto known = g.staticSizes(
        ArrayRef<Size>{extents[i], w.low[i], w.high[i], w.extra[i]});
    Value counts;
    if (known && isBudgeted(*known, w, i)) {
      SmallVector<int64_t> list = staticCounts(
          (*known)[0], (*known)[1], (*known)[2], (*known)[3], w, i, padding);
      if (llvm::all_equal(list)) {
        all *= list.empty() ? 1 : list.front();
        continue;
      }
      SmallVector<double> values(list.begin(), list.end());
      counts = g.floats(element, values, {int64_t(values.size())});
    } else {
      counts = windowCounts(g, element, extents[i], w, i, padding);
    }
    SmallVector<int64_t> ones;
    for (size_t k = i + 1; k <= w.rank(); ++k)
      ones.push_back(k - i);
    counts = g.unsqueeze(counts, ones);
    product = product ? g.mul(product, counts) : counts;
  }
  if (!product)
    return g.scalar(element, all);
  return all == 1 ? product : g.mul(product, all);
}

LogicalResult averagePool(NodeContext &c) {
  GraphBuilder &g = c.g;
  bool padding = c.intAttr("count_include_pad", 0) != 0;
  if (failed(c.expectFloat(0)))
    return failure();
  FailureOr<PoolInput> pool = readPool(c);
  if (failed(pool))
    return failure();
  mlir::Type element = g.elementOf(pool->x);
  Value counts = countsOf(g, element, ArrayRef(g.sizes(pool->x)).drop_front(2),
                          pool->windows, padding);
  Value x = padDynamic(g, g.toChannelsLast(pool->x), 0, pool->windows);
  Value sum = reduceWindow(g, ReduceKind::Add, x, pool->windows, 1);
  c.set(0, g.fromChannelsLast(g.div(sum, counts)));
  return success();
}

/// (sum of |x|^p)^(1 / p), where `sum` computes the sum.
Value pNorm(GraphBuilder &g, Value x, double p,
            function_ref<Value(Value)> sum) {
  if (p == 1)
    return sum(g.make<AbsOp>(x));
  if (p == 2)
    return g.make<SqrtOp>(sum(g.mul(x, x)));
  Value exponent = g.splatLike(x, p);
  Value total = sum(g.make<PowerOp>(g.make<AbsOp>(x), exponent));
  return g.make<PowerOp>(total, g.splatLike(total, 1 / p));
}

FailureOr<double> readPower(NodeContext &c) {
  double p = c.opset < 2 ? c.floatAttr("p", 2) : double(c.intAttr("p", 2));
  if (!(p > 0))
    return c.error("expected a positive p, got " + Twine(std::to_string(p)));
  return p;
}

LogicalResult lpPool(NodeContext &c) {
  GraphBuilder &g = c.g;
  FailureOr<double> p = readPower(c);
  if (failed(p) || failed(c.expectFloat(0)))
    return failure();
  FailureOr<PoolInput> pool = readPool(c);
  if (failed(pool))
    return failure();
  Value x = padDynamic(g, g.toChannelsLast(pool->x), 0, pool->windows);
  Value norm = pNorm(g, x, *p, [&](Value powers) {
    return reduceWindow(g, ReduceKind::Add, powers, pool->windows, 1);
  });
  c.set(0, g.fromChannelsLast(norm));
  return success();
}

SmallVector<int64_t> spatialDims(GraphBuilder &g, Value x) {
  return llvm::to_vector(llvm::seq<int64_t>(2, g.rankOf(x)));
}

LogicalResult globalAveragePool(NodeContext &c) {
  if (failed(c.expectFloat(0)) || failed(c.expectMinRank(0, 2)))
    return failure();
  c.set(0, c.g.mean(c.input(0), spatialDims(c.g, c.input(0)), true));
  return success();
}

LogicalResult globalMaxPool(NodeContext &c) {
  if (failed(c.expectNumber(0)) || failed(c.expectMinRank(0, 2)))
    return failure();
  c.set(0, c.g.reduce(ReduceKind::Maximum, c.input(0),
                      spatialDims(c.g, c.input(0)), true));
  return success();
}

LogicalResult globalLpPool(NodeContext &c) {
  GraphBuilder &g = c.g;
  FailureOr<double> p = readPower(c);
  if (failed(p) || failed(c.expectFloat(0)) || failed(c.expectMinRank(0, 2)))
    return failure();
  c.set(0, pNorm(g, c.input(0), *p, [&](Value powers) {
          return g.reduce(ReduceKind::Add, powers, spatialDims(g, c.input(0)),
                          true);
        }));
  return success();
}

/// Indices number the elements of the tensor that was pooled. If output_shape
/// is greater than that tensor, zeros follow behind it.
LogicalResult maxUnpool(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value x = c.input(0);
  if (failed(c.expectNumber(0)) || failed(c.expectInteger(1)) ||
      failed(c.expectMinRank(0, 3)))
    return failure();
  FailureOr<Value> indices = c.withSizes(1, g.sizes(x), "an index per element");
  if (failed(indices))
    return failure();
  int64_t rank = g.rankOf(x) - 2;
  FailureOr<SmallVector<int64_t>> kernel = readKernel(c, rank);
  FailureOr<SmallVector<int64_t>> pads = readPads(c, rank);
  Windows steps;
  if (failed(kernel) || failed(pads) || failed(readSteps(c, rank, steps)))
    return failure();
  Sizes sizes = g.sizes(x), pooled(sizes);
  for (int64_t i = 0; i < rank; ++i) {
    Size span =
        g.mul(g.sub(sizes[i + 2], g.index(1)), g.index(steps.strides[i]));
    int64_t rest = (*kernel)[i] - (*pads)[i] - (*pads)[i + rank];
    pooled[i + 2] = g.max(g.add(span, g.index(rest)), g.index(0));
  }
  Size count = g.product(sizes), total = g.product(pooled);
  Value flat = g.reshape(x, Sizes{count});
  Value at = g.checkedIndices(
      g.reshape(g.convert(*indices, g.i64()), Sizes{count}), total, c.site());
  Value zeros = g.splat(g.elementOf(x), {total}, 0);
  Value filled = ScatterOp::create(
      g.ops, g.loc, zeros.getType(), ScatterKind::Set, zeros,
      g.unsqueeze(at, {1}), flat, ArrayRef<int64_t>{}, ArrayRef<int64_t>{0},
      ArrayRef<int64_t>{}, ArrayRef<int64_t>{}, ArrayRef<int64_t>{0}, 1);
  g.recordSizes(filled, {total});
  Value result = g.reshape(filled, pooled);
  if (c.hasInput(2)) {
    FailureOr<Sizes> wanted = c.sizesInput(2);
    if (failed(wanted))
      return failure();
    if (int64_t(wanted->size()) != rank + 2)
      return c.error("expected output_shape of " + Twine(rank + 2) +
                     " entries, got " + Twine(wanted->size()));
    Sizes low(rank + 2, g.index(0)), high;
    for (int64_t i = 0; i < rank + 2; ++i)
      high.push_back(g.sub((*wanted)[i], pooled[i]));
    result = g.pad(result, g.scalar(g.elementOf(x), 0), low, high);
  }
  c.set(0, result);
  return success();
}

} // namespace

void registerPoolingOps(OpRegistry &r) {
  r.add("MaxPool", 1, 1, Arity(1, 2), maxPool);
  r.add("AveragePool", 1, 1, 1, averagePool);
  r.add("LpPool", 1, 1, 1, lpPool);
  r.add("GlobalAveragePool", 1, 1, 1, globalAveragePool);
  r.add("GlobalMaxPool", 1, 1, 1, globalMaxPool);
  r.add("GlobalLpPool", 1, 1, 1, globalLpPool);
  r.add("MaxUnpool", 9, Arity(2, 3), 1, maxUnpool);
}

} // namespace tenon::onnx
