// Convolutions of images and volumes, channels-last or channels-first.
#include "compiler/import/tensorflow/TfWindows.h"
#include "dialects/tenon/ShapeRules.h"

using namespace mlir;

namespace tenon::tf {
namespace {

/// The spatial extents of `kernel`, [spatial..., inputs, outputs].
FailureOr<SmallVector<int64_t>> kernelWindow(NodeContext &c, Value kernel,
                                             int64_t spatial) {
  SmallVector<int64_t> window(c.g.shapeOf(kernel).take_front(spatial));
  if (llvm::any_of(window, ShapedType::isDynamic))
    return c.unsupported("a kernel whose spatial extents are not static");
  if (llvm::is_contained(window, 0))
    return c.error("expected a kernel with positive spatial extents, got " +
                   spell(kernel));
  return window;
}

/// Kernel, strides and dilations; no padding yet.
FailureOr<Windows> readSteps(NodeContext &c, Value kernel, bool first,
                             int64_t spatial) {
  FailureOr<SmallVector<int64_t>> window = kernelWindow(c, kernel, spatial);
  auto strides = spatialList(c, "strides", first, spatial, 1);
  auto dilations = spatialList(c, "dilations", first, spatial, 1);
  if (failed(window) || failed(strides) || failed(dilations))
    return failure();
  return Windows{*window, *strides, *dilations, {}, {}};
}

/// A convolution whose strides, for the forward one, or spreading, for the
/// backward one, are other than one.
LogicalResult finish(NodeContext &c, Value x, Value kernel,
                     ArrayRef<int64_t> strides, ArrayRef<int64_t> padding,
                     ArrayRef<int64_t> spreading, ArrayRef<int64_t> dilations,
                     int64_t groups, bool first) {
  GraphBuilder &g = c.g;
  ShapeOrError shape =
      convolutionShape(g.shapeOf(x), g.shapeOf(kernel), strides, padding,
                       spreading, dilations, groups);
  if (!shape.ok())
    return c.error(shape.error);
  Value y = ConvolutionOp::create(
      g.ops, g.loc, RankedTensorType::get(shape.shape, g.elementOf(x)), x,
      kernel, strides, padding, spreading, dilations, groups);
  c.set(0, first ? g.fromChannelsLast(y) : y);
  return success();
}

/// `kernel` is [spatial..., features / groups, outputs].
LogicalResult forward(NodeContext &c, Value kernel, int64_t groups,
                      bool first) {
  GraphBuilder &g = c.g;
  Value x = first ? g.toChannelsLast(c.input(0)) : c.input(0);
  int64_t spatial = g.rankOf(x) - 2;
  FailureOr<Windows> w = readSteps(c, kernel, first, spatial);
  if (failed(w) || failed(readPadding(c, *w, spatialSizes(g, x), first)))
    return failure();
  x = padDynamic(g, x, 0, *w);
  SmallVector<int64_t> ones(spatial, 1);
  return finish(c, x, kernel, w->strides, paddingList(g, *w), ones,
                w->dilations, groups, first);
}

LogicalResult expectImages(NodeContext &c, int64_t rank) {
  if (failed(c.expectNumber(0)) || failed(c.expectSameElements({0, 1})) ||
      failed(c.expectRank(0, rank)) || failed(c.expectRank(1, rank)))
    return failure();
  return success();
}

template <int spatial> LogicalResult convolution(NodeContext &c) {
  GraphBuilder &g = c.g;
  FailureOr<bool> first = channelsFirst(c, spatial);
  if (failed(first) || failed(expectImages(c, spatial + 2)))
    return failure();
  int64_t features = g.shapeOf(c.input(0))[*first ? 1 : spatial + 1];
  int64_t own = g.shapeOf(c.input(1))[spatial];
  if (ShapedType::isDynamic(features) || ShapedType::isDynamic(own))
    return c.unsupported("channels whose number is not known");
  if (own < 1 || features % own != 0)
    return c.error("expected channels that the kernel's divide, got " +
                   Twine(features) + " and " + Twine(own));
  return forward(c, c.input(1), features / own, *first);
}

LogicalResult depthwise(NodeContext &c) {
  FailureOr<bool> first = channelsFirst(c, 2);
  if (failed(first) || failed(expectImages(c, 4)))
    return failure();
  Value kernel = c.input(1);
  ArrayRef<int64_t> shape = c.g.shapeOf(kernel);
  if (llvm::any_of(shape, ShapedType::isDynamic))
    return c.unsupported("a kernel whose extents are not static");
  // [h, w, channels, multiplier]: outputs run over channels, then multiples.
  Value grouped = c.g.reshape(
      kernel, ArrayRef<int64_t>{shape[0], shape[1], 1, shape[2] * shape[3]});
  return forward(c, grouped, shape[2], *first);
}

/// The gradient of a convolution by its input, a transposed convolution: sizes,
/// kernel [spatial..., outputs, inputs], image.
template <int spatial> LogicalResult backward(NodeContext &c) {
  GraphBuilder &g = c.g;
  if (failed(c.expectRank(1, spatial + 2)) ||
      failed(c.expectRank(2, spatial + 2)) || failed(c.expectNumber(1)) ||
      failed(c.expectSameElements({1, 2})))
    return failure();
  FailureOr<bool> first = channelsFirst(c, spatial);
  FailureOr<Sizes> wanted = c.sizesInput(0);
  if (failed(first) || failed(wanted))
    return failure();
  if (wanted->size() == spatial + 2)
    wanted = Sizes(ArrayRef(*wanted).slice(*first ? 2 : 1, spatial));
  if (wanted->size() != spatial)
    return c.error("expected input_sizes of " + Twine(spatial + 2) +
                   " entries, got " + Twine(wanted->size()));
  Value x = *first ? g.toChannelsLast(c.input(2)) : c.input(2);
  Value kernel = c.input(1);
  FailureOr<Windows> w = readSteps(c, kernel, *first, spatial);
  if (failed(w) || failed(readPadding(c, *w, *wanted, *first)))
    return failure();
  // Each padding of the forward convolution cuts what its window reached.
  Sizes extents = spatialSizes(g, x);
  SmallVector<int64_t> padding, dims, swap;
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t around = w->reach(i) - 1;
    Size low = g.sub(g.index(around), w->low[i]);
    Size spread =
        g.add(g.mul(g.sub(extents[i], g.index(1)), g.index(w->strides[i])),
              g.index(1));
    Size high = g.sub(g.add((*wanted)[i], g.index(around)), g.add(spread, low));
    std::optional<int64_t> a = g.staticSize(low), b = g.staticSize(high);
    if (!a || !b)
      return c.unsupported("padding that depends on open extents");
    padding.append({*a, *b});
    dims.push_back(i);
    swap.push_back(i);
  }
  swap.append({spatial + 1, spatial});
  Value turned = g.transpose(g.reverse(kernel, dims), swap);
  SmallVector<int64_t> ones(spatial, 1);
  return finish(c, x, turned, ones, padding, w->strides, w->dilations, 1,
                *first);
}

} // namespace

void registerImageOps(OpRegistry &r) {
  r.add("Conv2D", 2, convolution<2>);
  r.add("Conv3D", 2, convolution<3>);
  r.add("DepthwiseConv2dNative", 2, depthwise);
  r.add("Conv2DBackpropInput", 3, backward<2>);
  r.add("Conv3DBackpropInputV2", 3, backward<3>);
}

} // namespace tenon::tf
