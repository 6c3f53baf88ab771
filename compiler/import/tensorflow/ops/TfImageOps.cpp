// Convolutions of images and volumes, channels-last or channels-first.
#include "compiler/import/tensorflow/ops/TfWindows.h"

using namespace mlir;

namespace tenon::tf {
namespace {

/// The convolution of operand 0; `kernel` is [spatial..., features / groups,
/// outputs].
LogicalResult forward(NodeContext &c, Value kernel, int64_t groups,
                      bool first) {
  GraphBuilder &g = c.g;
  Value x = first ? g.toChannelsLast(c.input(0)) : c.input(0);
  int64_t spatial = g.rankOf(x) - 2;
  FailureOr<Windows> w =
      readSteps(c, g.shapeOf(kernel).take_front(spatial), first);
  if (failed(w) || failed(readPadding(c, *w, spatialSizes(g, x), first)))
    return failure();
  x = padDynamic(g, x, 0, *w);
  SmallVector<int64_t> ones(spatial, 1);
  FailureOr<Value> y = convolve(c, x, kernel, w->strides, paddingList(g, *w),
                                ones, w->dilations, groups);
  if (failed(y))
    return failure();
  c.set(0, first ? g.fromChannelsLast(*y) : *y);
  return success();
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
    return c.error(
        "expected the kernel's channels to divide the image's, got " +
        Twine(own) + " and " + Twine(features));
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
  // [h, w, channels, multiplier]: the outputs are ordered by channel, then by
  // multiple.
  Value grouped = c.g.reshape(
      kernel, ArrayRef<int64_t>{shape[0], shape[1], 1, shape[2] * shape[3]});
  return forward(c, grouped, shape[2], *first);
}

} // namespace

void registerImageOps(OpRegistry &r) {
  r.add("Conv2D", 2, convolution<2>);
  r.add("Conv3D", 2, convolution<3>);
  r.add("DepthwiseConv2dNative", 2, depthwise);
}

} // namespace tenon::tf
