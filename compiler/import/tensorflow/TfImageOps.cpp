// Convolutions, pools and resizing of images, NHWC or NCHW.
#include "compiler/import/tensorflow/TfNodeContext.h"
#include "dialects/tenon/ShapeRules.h"

using namespace mlir;

namespace tenon::tf {
namespace {

/// Windows over the two spatial extents of an image that is channels-last.
struct Windows {
  SmallVector<int64_t> kernel, strides, dilations;
  Sizes low, high;
};

/// Whether the node's images are channels-first; nothing after a refusal.
FailureOr<bool> channelsFirst(NodeContext &c) {
  std::string format = c.stringAttr("data_format", "NHWC");
  if (format != "NHWC" && format != "NCHW")
    return c.unsupported("data_format " + format);
  return format == "NCHW";
}

/// A list with an entry per dimension of the image; those of batch and channels
/// must be one.
FailureOr<SmallVector<int64_t>> spatialList(NodeContext &c, StringRef name,
                                            bool first,
                                            ArrayRef<int64_t> otherwise) {
  SmallVector<int64_t> list = c.intsAttr(name, otherwise);
  if (list.size() != 4)
    return c.error("expected four entries in '" + name + "', got " +
                   Twine(list.size()));
  int64_t channels = first ? 1 : 3;
  if (list[0] != 1 || list[channels] != 1)
    return c.unsupported("'" + name + "' over batch or channels");
  SmallVector<int64_t> result = {list[first ? 2 : 1], list[first ? 3 : 2]};
  for (int64_t entry : result)
    if (entry < 1 || entry >= int64_t(1) << 31)
      return c.error("expected entries of '" + name +
                     "' of at least 1 and below 2^31, got " + Twine(entry));
  return result;
}

/// Works out the padding of `w` over `extents`.
LogicalResult readPadding(NodeContext &c, Windows &w, ArrayRef<Size> extents,
                          bool first) {
  GraphBuilder &g = c.g;
  std::string padding = c.stringAttr("padding", "VALID");
  SmallVector<int64_t> given;
  if (padding == "EXPLICIT") {
    given = c.intsAttr("explicit_paddings");
    if (given.size() != 8)
      return c.error("expected eight explicit_paddings, got " +
                     Twine(given.size()));
    given = SmallVector<int64_t>(ArrayRef(given).slice(first ? 4 : 2, 4));
  } else if (padding != "SAME" && padding != "VALID") {
    return c.error("expected padding SAME, VALID or EXPLICIT, got \"" +
                   padding + "\"");
  }
  for (size_t i = 0; i < 2; ++i) {
    int64_t reach = (w.kernel[i] - 1) * w.dilations[i] + 1;
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
      if (given[2 * i] < 0 || given[2 * i + 1] < 0)
        return c.error("expected explicit_paddings of at least 0");
      low = g.index(given[2 * i]);
      high = g.index(given[2 * i + 1]);
    }
    std::optional<int64_t> padded =
        g.staticSize(g.add(extents[i], g.add(low, high)));
    if (padded && reach > *padded)
      return c.error("expected a window that fits the padded extent " +
                     Twine(*padded) + ", got one that spans " + Twine(reach));
    w.low.push_back(low);
    w.high.push_back(high);
  }
  return success();
}

/// Padding that is not static is made by hand.
Value padDynamic(GraphBuilder &g, Value x, double value, Windows &w) {
  SmallVector<Size> all(w.low);
  all.append(w.high);
  if (g.staticSizes(all))
    return x;
  Sizes low = {g.index(0), w.low[0], w.low[1], g.index(0)},
        high = {g.index(0), w.high[0], w.high[1], g.index(0)};
  w.low = w.high = {g.index(0), g.index(0)};
  return g.pad(x, g.scalar(g.elementOf(x), value), low, high);
}

SmallVector<int64_t> paddingList(GraphBuilder &g, const Windows &w) {
  return {*g.staticSize(w.low[0]), *g.staticSize(w.high[0]),
          *g.staticSize(w.low[1]), *g.staticSize(w.high[1])};
}

/// `kernel` is [height, width, features / groups, outputs].
LogicalResult convolution(NodeContext &c, Value kernel, int64_t groups,
                          bool first) {
  GraphBuilder &g = c.g;
  Value x = first ? g.toChannelsLast(c.input(0)) : c.input(0);
  Windows w;
  w.kernel = SmallVector<int64_t>(g.shapeOf(kernel).take_front(2));
  if (llvm::any_of(w.kernel, ShapedType::isDynamic))
    return c.unsupported("a kernel whose spatial extents are not static");
  if (llvm::is_contained(w.kernel, 0))
    return c.error("expected a kernel with positive spatial extents, got " +
                   spell(kernel));
  auto strides = spatialList(c, "strides", first, {1, 1, 1, 1});
  auto dilations = spatialList(c, "dilations", first, {1, 1, 1, 1});
  if (failed(strides) || failed(dilations))
    return failure();
  w.strides = *strides;
  w.dilations = *dilations;
  Sizes sizes = g.sizes(x);
  if (failed(readPadding(c, w, {sizes[1], sizes[2]}, first)))
    return failure();
  x = padDynamic(g, x, 0, w);
  SmallVector<int64_t> ones = {1, 1}, padding = paddingList(g, w);
  ShapeOrError shape =
      convolutionShape(g.shapeOf(x), g.shapeOf(kernel), w.strides, padding,
                       ones, w.dilations, groups);
  if (!shape.ok())
    return c.error(shape.error);
  Value y = ConvolutionOp::create(
      g.ops, g.loc, RankedTensorType::get(shape.shape, g.elementOf(x)), x,
      kernel, w.strides, padding, ones, w.dilations, groups);
  c.set(0, first ? g.fromChannelsLast(y) : y);
  return success();
}

LogicalResult conv2d(NodeContext &c) {
  GraphBuilder &g = c.g;
  if (failed(c.expectNumber(0)) || failed(c.expectSame(0, 2)) ||
      failed(c.expectRank(0, 4)) || failed(c.expectRank(1, 4)))
    return failure();
  FailureOr<bool> first = channelsFirst(c);
  if (failed(first))
    return failure();
  int64_t features = g.shapeOf(c.input(0))[*first ? 1 : 3];
  int64_t own = g.shapeOf(c.input(1))[2];
  if (ShapedType::isDynamic(features) || ShapedType::isDynamic(own))
    return c.unsupported("channels whose number is not known");
  if (own < 1 || features % own != 0)
    return c.error("expected channels that the kernel's divide, got " +
                   Twine(features) + " and " + Twine(own));
  return convolution(c, c.input(1), features / own, *first);
}

LogicalResult depthwise(NodeContext &c) {
  GraphBuilder &g = c.g;
  if (failed(c.expectNumber(0)) || failed(c.expectSame(0, 2)) ||
      failed(c.expectRank(0, 4)) || failed(c.expectRank(1, 4)))
    return failure();
  FailureOr<bool> first = channelsFirst(c);
  if (failed(first))
    return failure();
  Value kernel = c.input(1);
  ArrayRef<int64_t> shape = g.shapeOf(kernel);
  if (llvm::any_of(shape, ShapedType::isDynamic))
    return c.unsupported("a kernel whose extents are not static");
  // [h, w, channels, multiplier]: outputs run over channels, then multiples.
  Value grouped = g.reshape(
      kernel, ArrayRef<int64_t>{shape[0], shape[1], 1, shape[2] * shape[3]});
  return convolution(c, grouped, shape[2], *first);
}

/// The gradient of a convolution by its input: a transposed convolution.
LogicalResult conv2dBackpropInput(NodeContext &c) {
  GraphBuilder &g = c.g;
  if (failed(c.expectRank(1, 4)) || failed(c.expectRank(2, 4)) ||
      failed(c.expectSame(1, 3)))
    return failure();
  FailureOr<bool> first = channelsFirst(c);
  if (failed(first))
    return failure();
  FailureOr<Sizes> wanted = c.sizesInput(0);
  if (failed(wanted))
    return failure();
  if (wanted->size() == 4)
    wanted = *first ? Sizes{(*wanted)[2], (*wanted)[3]}
                    : Sizes{(*wanted)[1], (*wanted)[2]};
  if (wanted->size() != 2)
    return c.error("expected input_sizes of four entries");
  Value x = *first ? g.toChannelsLast(c.input(2)) : c.input(2);
  Value kernel = c.input(1); // [h, w, out, in]
  Windows w;
  w.kernel = SmallVector<int64_t>(g.shapeOf(kernel).take_front(2));
  if (llvm::any_of(w.kernel, ShapedType::isDynamic) ||
      llvm::is_contained(w.kernel, 0))
    return c.unsupported("a kernel whose spatial extents are not static");
  auto strides = spatialList(c, "strides", *first, {1, 1, 1, 1});
  auto dilations = spatialList(c, "dilations", *first, {1, 1, 1, 1});
  if (failed(strides) || failed(dilations))
    return failure();
  w.strides = *strides;
  w.dilations = *dilations;
  if (failed(readPadding(c, w, *wanted, *first)))
    return failure();
  // Each padding of the forward convolution cuts what its window reached.
  Sizes extents = g.sizes(x);
  SmallVector<int64_t> padding;
  for (size_t i = 0; i < 2; ++i) {
    int64_t reach = (w.kernel[i] - 1) * w.dilations[i] + 1;
    Size low = g.sub(g.index(reach - 1), w.low[i]);
    Size spread =
        g.add(g.mul(g.sub(extents[i + 1], g.index(1)), g.index(w.strides[i])),
              g.index(1));
    Size high =
        g.sub(g.add((*wanted)[i], g.index(reach - 1)), g.add(spread, low));
    std::optional<int64_t> a = g.staticSize(low), b = g.staticSize(high);
    if (!a || !b)
      return c.unsupported("padding that depends on open extents");
    padding.append({*a, *b});
  }
  SmallVector<int64_t> ones = {1, 1};
  Value turned = g.transpose(g.reverse(kernel, {0, 1}), {0, 1, 3, 2});
  ShapeOrError shape = convolutionShape(g.shapeOf(x), g.shapeOf(turned), ones,
                                        padding, w.strides, w.dilations, 1);
  if (!shape.ok())
    return c.error(shape.error);
  Value y = ConvolutionOp::create(
      g.ops, g.loc, RankedTensorType::get(shape.shape, g.elementOf(x)), x,
      turned, ones, padding, w.strides, w.dilations, 1);
  c.set(0, *first ? g.fromChannelsLast(y) : y);
  return success();
}

//===-- Pools -----------------------------------------------------------===//

Value reduceWindow(GraphBuilder &g, ReduceKind kind, Value x,
                   const Windows &w) {
  SmallVector<int64_t> window = {1, w.kernel[0], w.kernel[1], 1},
                       strides = {1, w.strides[0], w.strides[1], 1},
                       ones = {1, 1, 1, 1}, padding = {0, 0};
  padding.append(paddingList(g, w));
  padding.append({0, 0});
  SmallVector<int64_t> shape =
      reduceWindowShape(g.shapeOf(x), window, strides, ones, padding).shape;
  return ReduceWindowOp::create(g.ops, g.loc,
                                RankedTensorType::get(shape, g.elementOf(x)),
                                kind, x, window, strides, ones, padding);
}

template <bool average> LogicalResult pool(NodeContext &c) {
  GraphBuilder &g = c.g;
  if (failed(c.expectNumber(0)) || failed(c.expectRank(0, 4)))
    return failure();
  FailureOr<bool> first = channelsFirst(c);
  if (failed(first))
    return failure();
  auto kernel = spatialList(c, "ksize", *first, {});
  auto strides = spatialList(c, "strides", *first, {});
  if (failed(kernel) || failed(strides))
    return failure();
  Value x = *first ? g.toChannelsLast(c.input(0)) : c.input(0);
  Windows w{*kernel, *strides, {1, 1}, {}, {}};
  Sizes sizes = g.sizes(x);
  if (failed(readPadding(c, w, {sizes[1], sizes[2]}, *first)))
    return failure();
  double least = 0;
  mlir::Type element = g.elementOf(x);
  if (!average)
    least = isa<FloatType>(element) ? -std::numeric_limits<double>::infinity()
            : element.isUnsignedInteger()
                ? 0
                : -std::ldexp(1.0, element.getIntOrFloatBitWidth() - 1);
  Windows unpadded = w;
  Value padded = padDynamic(g, x, least, w);
  Value y = reduceWindow(g, average ? ReduceKind::Add : ReduceKind::Maximum,
                         padded, w);
  if (average) {
    // Padding does not count.
    Value one =
        g.splat(element, {g.index(1), sizes[1], sizes[2], g.index(1)}, 1);
    one = padDynamic(g, one, 0, unpadded);
    Value counts = reduceWindow(g, ReduceKind::Add, one, unpadded);
    Value pair[] = {y, counts};
    if (failed(c.broadcast(pair)))
      return failure();
    y = g.div(pair[0], pair[1]);
  }
  c.set(0, *first ? g.fromChannelsLast(y) : y);
  return success();
}

/// The rows or columns of the source that stand nearest to each of `size`
/// places.
Value nearest(GraphBuilder &g, Size extent, Size size, bool aligned,
              bool half) {
  mlir::Type f32 = g.f32();
  Value from = g.convert(g.fromSize(extent, g.i64()), f32),
        to = g.convert(g.fromSize(size, g.i64()), f32);
  if (aligned) {
    from = g.sub(from, 1.0);
    to = g.maximum(g.sub(to, 1.0), 1.0);
  }
  Value at = g.convert(g.iota(g.i64(), {size}, 0), f32);
  if (half)
    at = g.add(at, 0.5);
  Value place = g.mul(at, g.div(from, to));
  place = aligned ? g.make<RoundNearestAfzOp>(place)
                  : Value(g.make<FloorOp>(place));
  Value last = g.fromSize(g.sub(extent, g.index(1)), g.i64());
  return g.maximum(g.minimum(g.convert(place, g.i64()), last), 0.0);
}

LogicalResult resizeNearest(NodeContext &c) {
  GraphBuilder &g = c.g;
  bool aligned = c.boolAttr("align_corners", false),
       half = c.boolAttr("half_pixel_centers", false);
  if (failed(c.expectRank(0, 4)))
    return failure();
  FailureOr<Sizes> wanted = c.sizesInput(1);
  if (failed(wanted))
    return failure();
  if (wanted->size() != 2)
    return c.error("expected a height and a width, got " +
                   Twine(wanted->size()) + " numbers");
  Value x = c.input(0);
  for (int64_t i = 0; i < 2; ++i)
    x = g.take(x, nearest(g, g.size(x, i + 1), (*wanted)[i], aligned, half),
               i + 1);
  c.set(0, x);
  return success();
}

LogicalResult resizeBilinear(NodeContext &c) {
  GraphBuilder &g = c.g;
  bool aligned = c.boolAttr("align_corners", false),
       half = c.boolAttr("half_pixel_centers", false);
  if (failed(c.expectRank(0, 4)))
    return failure();
  FailureOr<Sizes> wanted = c.sizesInput(1);
  if (failed(wanted))
    return failure();
  if (wanted->size() != 2)
    return c.error("expected a height and a width, got " +
                   Twine(wanted->size()) + " numbers");
  Value x = g.convert(c.input(0), g.f32());
  for (int64_t i = 0; i < 2; ++i) {
    Size extent = g.size(x, i + 1), size = (*wanted)[i];
    Value from = g.convert(g.fromSize(extent, g.i64()), g.f32()),
          to = g.convert(g.fromSize(size, g.i64()), g.f32());
    if (aligned) {
      from = g.sub(from, 1.0);
      to = g.maximum(g.sub(to, 1.0), 1.0);
    }
    Value at = g.convert(g.iota(g.i64(), {size}, 0), g.f32());
    Value scale = g.div(from, to);
    Value place =
        half ? g.sub(g.mul(g.add(at, 0.5), scale), 0.5) : g.mul(at, scale);
    Value floor = g.make<FloorOp>(place);
    Value part = g.sub(place, floor);
    Value last = g.fromSize(g.sub(extent, g.index(1)), g.i64());
    Value low = g.convert(floor, g.i64());
    Value high = g.add(low, 1.0);
    auto inside = [&](Value index) {
      return g.maximum(g.minimum(index, last), 0.0);
    };
    SmallVector<int64_t> after;
    for (int64_t k = 1; k < 3 - i; ++k)
      after.push_back(k);
    part = g.unsqueeze(part, after);
    Value a = g.take(x, inside(low), i + 1), b = g.take(x, inside(high), i + 1);
    x = g.add(a, g.mul(g.sub(b, a), part));
  }
  c.set(0, x);
  return success();
}

} // namespace

void registerImageOps(OpRegistry &r) {
  r.add("Conv2D", 2, conv2d);
  r.add("DepthwiseConv2dNative", 2, depthwise);
  r.add("Conv2DBackpropInput", 3, conv2dBackpropInput);
  r.add("MaxPool", 1, pool<false>);
  r.add("AvgPool", 1, pool<true>);
  r.add("ResizeNearestNeighbor", 2, resizeNearest);
  r.add("ResizeBilinear", 2, resizeBilinear);
}

} // namespace tenon::tf
