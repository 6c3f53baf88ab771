// Reads the attributes of windows, and computes checked steps and padding.
#include "compiler/import/tensorflow/ops/TfWindows.h"

#include "dialects/tenon/ShapeRules.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace tenon::tf {

FailureOr<bool> channelsFirst(NodeContext &c, int64_t spatial) {
  StringRef last = spatial == 3 ? "NDHWC" : "NHWC";
  StringRef first = spatial == 3 ? "NCDHW" : "NCHW";
  std::string format = c.stringAttr("data_format", last);
  if (format != last && format != first)
    return c.unsupported("data_format " + format);
  return format == first;
}

FailureOr<SmallVector<int64_t>> spatialList(NodeContext &c, StringRef name,
                                            bool first, int64_t spatial,
                                            int64_t otherwise) {
  SmallVector<int64_t> list(otherwise ? spatial + 2 : 0, otherwise);
  list = c.intsAttr(name, list);
  if (int64_t(list.size()) != spatial + 2)
    return c.error("expected " + Twine(spatial + 2) + " entries in '" + name +
                   "', got " + Twine(list.size()));
  if (list[0] != 1 || list[first ? 1 : spatial + 1] != 1)
    return c.unsupported("'" + name + "' over batch or channels");
  SmallVector<int64_t> result(
      ArrayRef(list).slice(first ? 2 : 1, size_t(spatial)));
  for (int64_t entry : result)
    if (entry < 1 || entry >= int64_t(1) << 31)
      return c.error("expected entries of '" + name +
                     "' of at least 1 and below 2^31, got " + Twine(entry));
  return result;
}

FailureOr<Windows> readSteps(NodeContext &c, ArrayRef<int64_t> window,
                             bool first) {
  if (llvm::any_of(window, ShapedType::isDynamic))
    return c.unsupported("a kernel whose spatial extents are not static");
  for (int64_t extent : window)
    if (extent < 1 || extent >= int64_t(1) << 31)
      return c.error("expected a kernel with positive spatial extents below "
                     "2^31, got " +
                     Twine(extent));
  int64_t spatial = window.size();
  auto strides = spatialList(c, "strides", first, spatial, 1);
  auto dilations = spatialList(c, "dilations", first, spatial, 1);
  if (failed(strides) || failed(dilations))
    return failure();
  return Windows{SmallVector<int64_t>(window), *strides, *dilations, {}, {}};
}

FailureOr<Value> convolve(NodeContext &c, Value x, Value kernel,
                          ArrayRef<int64_t> strides, ArrayRef<int64_t> padding,
                          ArrayRef<int64_t> spreading,
                          ArrayRef<int64_t> dilations, int64_t groups) {
  GraphBuilder &g = c.g;
  ShapeOrError shape =
      convolutionShape(g.shapeOf(x), g.shapeOf(kernel), strides, padding,
                       spreading, dilations, groups);
  if (!shape.ok())
    return c.error(shape.error);
  return Value(ConvolutionOp::create(
      g.ops, g.loc, RankedTensorType::get(shape.shape, g.elementOf(x)), x,
      kernel, strides, padding, spreading, dilations, groups));
}

LogicalResult readPadding(NodeContext &c, Windows &w, ArrayRef<Size> extents,
                          bool first) {
  GraphBuilder &g = c.g;
  std::string padding = c.stringAttr("padding", "VALID");
  SmallVector<int64_t> given;
  if (padding == "EXPLICIT") {
    given = c.intsAttr("explicit_paddings");
    if (given.size() != 2 * w.rank() + 4)
      return c.error("expected " + Twine(2 * w.rank() + 4) +
                     " explicit_paddings, got " + Twine(given.size()));
    given = SmallVector<int64_t>(
        ArrayRef(given).slice(first ? 4 : 2, 2 * w.rank()));
  } else if (padding != "SAME" && padding != "VALID") {
    return c.error("expected padding SAME, VALID or EXPLICIT, got \"" +
                   padding + "\"");
  }
  for (size_t i = 0; i < w.rank(); ++i) {
    int64_t reach = w.reach(i);
    Size low = g.index(0), high = g.index(0);
    if (padding == "SAME") {
      Size outputs = g.ceilDiv(extents[i], g.index(w.strides[i]));
      Size span =
          g.add(g.mul(g.sub(outputs, g.index(1)), g.index(w.strides[i])),
                g.index(reach));
      Size total = g.max(g.sub(span, extents[i]), g.index(0));
      low = g.floorDiv(total, g.index(2));
      high = g.sub(total, low);
    } else if (!given.empty()) {
      for (int64_t size : {given[2 * i], given[2 * i + 1]})
        if (size < 0 || size >= int64_t(1) << 31)
          return c.error("expected explicit_paddings of at least 0 and below "
                         "2^31, got " +
                         Twine(size));
      low = g.index(given[2 * i]);
      high = g.index(given[2 * i + 1]);
    }
    std::optional<int64_t> padded =
        g.staticSize(g.add(extents[i], g.add(low, high)));
    if (padded && reach > *padded && g.staticSize(extents[i]) != 0)
      return c.error("expected a window that fits the padded extent " +
                     Twine(*padded) + ", got one that spans " + Twine(reach));
    w.low.push_back(low);
    w.high.push_back(high);
  }
  return success();
}

Sizes spatialSizes(GraphBuilder &g, Value x) {
  Sizes sizes = g.sizes(x);
  return Sizes(sizes.begin() + 1, sizes.end() - 1);
}

Value padDynamic(GraphBuilder &g, Value x, double value, Windows &w) {
  SmallVector<Size> all(w.low);
  all.append(w.high);
  if (g.staticSizes(all))
    return x;
  Sizes low = {g.index(0)}, high = low;
  low.append(w.low);
  high.append(w.high);
  low.push_back(g.index(0));
  high.push_back(g.index(0));
  w.low.assign(w.rank(), g.index(0));
  w.high = w.low;
  return g.pad(x, g.scalar(g.elementOf(x), value), low, high);
}

Value spreadWindows(GraphBuilder &g, Value x, double value, const Windows &w,
                    ArrayRef<Size> extents) {
  Sizes low = {g.index(0)}, high = low, sizes = g.sizes(x);
  SmallVector<int64_t> interior = {0};
  for (size_t i = 0; i < w.rank(); ++i) {
    Size around = g.index(w.reach(i) - 1), count = sizes[i + 1];
    Size spread =
        g.max(g.add(g.mul(g.sub(count, g.index(1)), g.index(w.strides[i])),
                    g.index(1)),
              g.index(0));
    Size whole = g.add(extents[i], around);
    low.push_back(g.sub(around, w.low[i]));
    high.push_back(g.sub(whole, g.add(spread, low.back())));
    interior.push_back(w.strides[i] - 1);
    sizes[i + 1] = whole;
  }
  low.push_back(g.index(0));
  high.push_back(g.index(0));
  interior.push_back(0);
  SmallVector<int64_t> fixed[2], shape;
  SmallVector<Value> open[2];
  dispatchIndexOpFoldResults(low, open[0], fixed[0]);
  dispatchIndexOpFoldResults(high, open[1], fixed[1]);
  for (Size size : sizes)
    shape.push_back(g.staticSize(size).value_or(ShapedType::kDynamic));
  Value spread = g.make<PadOp>(RankedTensorType::get(shape, g.elementOf(x)), x,
                               g.scalar(g.elementOf(x), value), open[0],
                               open[1], fixed[0], fixed[1], interior);
  g.recordSizes(spread, sizes);
  return spread;
}

Size windowCount(GraphBuilder &g, const Windows &w, size_t i, Size extent) {
  Size padded = g.add(extent, g.add(w.low[i], w.high[i]));
  Size span = g.sub(padded, g.index(w.reach(i)));
  return g.max(g.add(g.floorDiv(span, g.index(w.strides[i])), g.index(1)),
               g.index(0));
}

LogicalResult expectWindows(NodeContext &c, Value x, const Windows &w,
                            ArrayRef<Size> extents) {
  GraphBuilder &g = c.g;
  for (size_t i = 0; i < w.rank(); ++i) {
    Size wanted = windowCount(g, w, i, extents[i]), found = g.size(x, i + 1);
    std::optional<int64_t> a = g.staticSize(wanted), b = g.staticSize(found);
    if (a && b && *a != *b)
      return c.error("expected a gradient of " + Twine(*a) +
                     " places along spatial dimension " + Twine(i) + ", got " +
                     Twine(*b));
    c.check(found, wanted, wanted,
            "the gradient must have a place per window along spatial "
            "dimension " +
                Twine(i));
  }
  return success();
}

SmallVector<int64_t> paddingList(GraphBuilder &g, const Windows &w) {
  SmallVector<int64_t> list;
  for (size_t i = 0; i < w.rank(); ++i)
    list.append({*g.staticSize(w.low[i]), *g.staticSize(w.high[i])});
  return list;
}

} // namespace tenon::tf
