// Gradients of convolutions. The gradient of the image is a transposed
// convolution. The gradient of the kernel is one product per tap: the image's
// pixels under the tap times the incoming gradient.
#include "compiler/import/tensorflow/ops/TfWindows.h"
#include "dialects/tenon/ShapeRules.h"

using namespace mlir;

namespace tenon::tf {
namespace {

/// The most taps, for a depthwise kernel the most pairs of tap and multiple.
/// The gradient of each is a product of its own.
constexpr int64_t maxPlaces = 1024;

/// An incoming gradient, channels-last, and the windows of the forward
/// convolution over `extents`.
struct Backward {
  Value dy;
  Windows windows;
  Sizes extents;
  bool channelsFirst; ///< of the node's images
};

/// Reads the operands; `kernel` is the kernel's shape, [spatial..., inputs,
/// outputs].
FailureOr<Backward> readBackward(NodeContext &c, Value dy,
                                 ArrayRef<int64_t> kernel, Sizes extents,
                                 bool first) {
  FailureOr<Windows> w = readSteps(c, kernel.drop_back(2), first);
  if (failed(w) || failed(readPadding(c, *w, extents, first)))
    return failure();
  if (first)
    dy = c.g.toChannelsLast(dy);
  if (failed(expectWindows(c, dy, *w, extents)))
    return failure();
  return Backward{dy, *w, extents, first};
}

//===-- By the image ----------------------------------------------------===//

/// Converts the kernel [spatial..., inputs / groups, outputs] to that of the
/// backward convolution: [spatial..., outputs / groups, inputs] with the
/// spatial dimensions reversed.
Value turnedKernel(GraphBuilder &g, Value kernel, int64_t groups) {
  SmallVector<int64_t> shape(g.shapeOf(kernel)), split, order, turned;
  int64_t spatial = int64_t(shape.size()) - 2;
  int64_t inputs = shape[spatial], outputs = shape[spatial + 1];
  for (int64_t i = 0; i < spatial; ++i) {
    turned.push_back(i);
    order.push_back(i);
  }
  split.assign(shape.begin(), shape.begin() + spatial);
  split.append({inputs, groups, outputs / groups});
  order.append({spatial + 2, spatial + 1, spatial});
  shape[spatial] = outputs / groups;
  shape[spatial + 1] = groups * inputs;
  Value apart = g.reshape(g.reverse(kernel, turned), split);
  return g.reshape(g.transpose(apart, order), shape);
}

/// Computes the gradient of the image. `kernel` is [spatial..., inputs /
/// groups, outputs], all static.
LogicalResult byImage(NodeContext &c, const Backward &b, Value kernel,
                      int64_t groups) {
  GraphBuilder &g = c.g;
  const Windows &w = b.windows;
  Sizes low, high, count = g.sizes(b.dy);
  SmallVector<int64_t> padding, ones(w.rank(), 1);
  // The padding of the forward convolution shortens the result. If it is
  // static, this is part of the convolution's padding, else of a slice.
  for (size_t i = 0; i < w.rank(); ++i) {
    int64_t around = w.reach(i) - 1;
    Size spread =
        g.add(g.mul(g.sub(count[i + 1], g.index(1)), g.index(w.strides[i])),
              g.index(1));
    low.push_back(w.low[i]);
    high.push_back(
        g.sub(g.add(spread, g.index(around)), g.add(b.extents[i], low[i])));
    padding.append({around, around});
  }
  bool isStatic = g.staticSizes(low) && g.staticSizes(high);
  for (size_t i = 0; isStatic && i < w.rank(); ++i) {
    padding[2 * i] -= *g.staticSize(low[i]);
    padding[2 * i + 1] -= *g.staticSize(high[i]);
  }
  FailureOr<Value> dx = convolve(c, b.dy, turnedKernel(g, kernel, groups), ones,
                                 padding, w.strides, w.dilations, groups);
  if (failed(dx))
    return failure();
  if (!isStatic) {
    Sizes cutLow(w.rank() + 2, g.index(0)), cutHigh = cutLow;
    for (size_t i = 0; i < w.rank(); ++i) {
      cutLow[i + 1] = g.sub(g.index(0), low[i]);
      cutHigh[i + 1] = g.sub(g.index(0), high[i]);
    }
    dx = g.pad(*dx, g.scalar(g.elementOf(*dx), 0), cutLow, cutHigh);
    Sizes sizes = g.sizes(*dx);
    llvm::copy(b.extents, sizes.begin() + 1);
    g.recordSizes(*dx, sizes);
  }
  c.set(0, b.channelsFirst ? g.fromChannelsLast(*dx) : *dx);
  return success();
}

/// Operands: sizes of the image, kernel, incoming gradient.
template <int spatial, bool depthwise>
LogicalResult inputGradient(NodeContext &c) {
  GraphBuilder &g = c.g;
  if (failed(c.expectRank(1, spatial + 2)) ||
      failed(c.expectRank(2, spatial + 2)) || failed(c.expectNumber(1)) ||
      failed(c.expectSameElements({1, 2})))
    return failure();
  FailureOr<bool> first = channelsFirst(c, spatial);
  FailureOr<Sizes> sizes = c.sizesInput(0);
  if (failed(first) || failed(sizes))
    return failure();
  if (sizes->size() != spatial && sizes->size() != spatial + 2)
    return c.error("expected input_sizes of " + Twine(spatial + 2) +
                   " entries, got " + Twine(sizes->size()));
  Value kernel = c.input(1);
  SmallVector<int64_t> shape(g.shapeOf(kernel));
  if (llvm::any_of(shape, ShapedType::isDynamic))
    return c.unsupported("a kernel whose extents are not static");
  int64_t channels = shape[spatial], groups = 1;
  if (depthwise) {
    // The outputs are ordered by channel, then by multiple.
    groups = channels;
    shape = {shape[0], shape[1], 1, channels * shape[3]};
    kernel = g.reshape(kernel, shape);
  } else if (sizes->size() == spatial + 2) {
    Size named = (*sizes)[*first ? 1 : spatial + 1];
    int64_t all = g.staticSize(named).value_or(channels);
    if (channels < 1 || all % channels != 0 ||
        shape.back() % std::max<int64_t>(all / channels, 1) != 0)
      return c.error(
          "expected the kernel's channels to divide the image's, got " +
          Twine(all) + " and " + textOf(kernel));
    groups = all / channels;
  }
  if (groups < 1)
    return c.error("expected channels, got " + textOf(kernel));
  Sizes extents(sizes->size() == spatial
                    ? ArrayRef(*sizes)
                    : ArrayRef(*sizes).slice(*first ? 2 : 1, spatial));
  FailureOr<Sizes> checked = c.extents(extents);
  if (failed(checked))
    return failure();
  FailureOr<Backward> b = readBackward(c, c.input(2), shape, *checked, *first);
  return failed(b) ? failure() : byImage(c, *b, kernel, groups);
}

//===-- By the kernel ---------------------------------------------------===//

/// The pixels under one tap of the kernel, one for each window.
Value pixelsUnder(GraphBuilder &g, Value padded, const Backward &b,
                  ArrayRef<int64_t> place) {
  const Windows &w = b.windows;
  Sizes offsets = {g.index(0)}, strides = {g.index(1)},
        sizes = {g.size(padded, 0)}, counts = g.sizes(b.dy);
  for (size_t i = 0; i < w.rank(); ++i) {
    offsets.push_back(g.index(place[i] * w.dilations[i]));
    strides.push_back(g.index(w.strides[i]));
    sizes.push_back(counts[i + 1]);
  }
  offsets.push_back(g.index(0));
  strides.push_back(g.index(1));
  sizes.push_back(g.size(padded, int64_t(w.rank()) + 1));
  return g.slice(padded, offsets, sizes, strides);
}

/// The positions of all taps of a kernel in row-major order.
SmallVector<SmallVector<int64_t>> placesOf(ArrayRef<int64_t> window) {
  SmallVector<SmallVector<int64_t>> places = {{}};
  for (int64_t extent : window) {
    SmallVector<SmallVector<int64_t>> longer;
    for (const auto &place : places)
      for (int64_t at = 0; at < extent; ++at) {
        longer.push_back(place);
        longer.back().push_back(at);
      }
    places = std::move(longer);
  }
  return places;
}

/// Splits the last dimension of `x`: [..., groups * n] becomes [..., groups,
/// n].
Value inGroups(GraphBuilder &g, Value x, int64_t groups) {
  Sizes sizes = g.sizes(x);
  Size each = g.floorDiv(sizes.back(), g.index(groups));
  sizes.back() = g.index(groups);
  sizes.push_back(each);
  return g.reshape(x, sizes);
}

/// The gradient [inputs / groups, outputs] of one tap: pixels times the
/// incoming gradient, summed over batch and space.
Value productOver(GraphBuilder &g, Value pixels, Value dy, int64_t groups) {
  int64_t last = g.rankOf(dy) - 1;
  auto summed = llvm::to_vector(llvm::seq<int64_t>(0, last));
  if (groups == 1)
    return g.dotGeneral(pixels, dy, {}, {}, summed, summed);
  Value parts =
      g.dotGeneral(inGroups(g, pixels, groups), inGroups(g, dy, groups), {last},
                   {last}, summed, summed);
  Value joined = g.transpose(parts, {1, 0, 2});
  Sizes sizes = g.sizes(joined);
  return g.reshape(joined, Sizes{sizes[0], g.mul(sizes[1], sizes[2])});
}

/// The gradient [channels, multiples] of one tap of a depthwise kernel. Each
/// channel is summed separately over batch and space. Channels stay the last
/// dimension, because vectors run along it.
Value channelwiseSums(GraphBuilder &g, Value pixels, Value dy, int64_t channels,
                      int64_t multiples) {
  int64_t last = g.rankOf(dy) - 1;
  auto summed = llvm::to_vector(llvm::seq<int64_t>(0, last));
  SmallVector<Value> columns;
  for (int64_t i = 0; i < multiples; ++i) {
    Value own = g.sliceDim(dy, last, g.index(i), g.index(channels), multiples);
    Value sums = g.reduce(ReduceKind::Add, g.mul(pixels, own), summed, false);
    columns.push_back(g.unsqueeze(sums, {1}));
  }
  return g.concat(columns, 1);
}

/// The products of groups of taps, whose pixels are concatenated. A product
/// with few columns is slow, and one product of all taps needs memory for all
/// their pixels.
SmallVector<Value> productsOf(GraphBuilder &g, ArrayRef<Value> pixels, Value dy,
                              int64_t channels) {
  constexpr int64_t enoughColumns = 256;
  int64_t places = pixels.size();
  int64_t products =
      std::clamp(llvm::divideCeil(places * channels, enoughColumns),
                 uint64_t(1), uint64_t(places));
  SmallVector<Value> parts;
  for (int64_t i = 0; i < products; ++i) {
    int64_t from = places * i / products, to = places * (i + 1) / products;
    Value joined = g.concat(pixels.slice(from, to - from), g.rankOf(dy) - 1);
    parts.push_back(productOver(g, joined, dy, 1));
  }
  return parts;
}

/// Operands: image, sizes of the kernel, incoming gradient.
template <int spatial, bool depthwise>
LogicalResult filterGradient(NodeContext &c) {
  GraphBuilder &g = c.g;
  if (failed(c.expectRank(0, spatial + 2)) ||
      failed(c.expectRank(2, spatial + 2)) || failed(c.expectNumber(0)) ||
      failed(c.expectSameElements({0, 2})))
    return failure();
  FailureOr<bool> first = channelsFirst(c, spatial);
  FailureOr<SmallVector<int64_t>> shape =
      c.constantInput(1, "the sizes of a kernel");
  if (failed(first) || failed(shape))
    return failure();
  if (shape->size() != spatial + 2)
    return c.error("expected filter_sizes of " + Twine(spatial + 2) +
                   " entries, got " + Twine(shape->size()));
  Value x = *first ? g.toChannelsLast(c.input(0)) : c.input(0);
  FailureOr<Backward> b =
      readBackward(c, c.input(2), *shape, spatialSizes(g, x), *first);
  if (failed(b))
    return failure();
  int64_t features = g.shapeOf(x).back(), outputs = g.shapeOf(b->dy).back(),
          own = (*shape)[spatial], made = (*shape)[spatial + 1];
  if (ShapedType::isDynamic(features) || ShapedType::isDynamic(outputs))
    return c.unsupported("channels whose number is not known");
  bool fits = depthwise
                  ? own == features && own > 0 && made > 0 &&
                        outputs % own == 0 && outputs / own == made
                  : own > 0 && features % own == 0 && made == outputs &&
                        features >= own && outputs % (features / own) == 0;
  if (!fits)
    return c.error("expected filter_sizes that fit " + textOf(c.input(0)) +
                   " and " + textOf(c.input(2)) + ", got " + Twine(own) +
                   " and " + Twine(made) + " channels");
  Size batch = g.size(b->dy, 0), images = g.size(x, 0);
  if (!compatible(g.shapeOf(x)[0], g.shapeOf(b->dy)[0]))
    return c.error("expected a gradient per image, got " + textOf(c.input(2)) +
                   " for " + textOf(c.input(0)));
  c.check(batch, images, images, "there must be a gradient per image");
  const Windows &w = b->windows;
  // A depthwise kernel needs a sum for each multiple of each tap.
  int64_t count = depthwise ? std::min(made, maxPlaces + 1) : 1;
  for (int64_t extent : w.kernel)
    count = std::min(count * extent, maxPlaces + 1);
  if (count > maxPlaces)
    return c.unsupported("a kernel of more than " + Twine(maxPlaces) +
                         " places");
  Sizes low = {g.index(0)}, high = low;
  low.append(w.low);
  high.append(w.high);
  low.push_back(g.index(0));
  high.push_back(g.index(0));
  Value padded = g.pad(x, g.scalar(g.elementOf(x), 0), low, high);
  SmallVector<Value> pixels, parts;
  for (ArrayRef<int64_t> place : placesOf(w.kernel))
    pixels.push_back(pixelsUnder(g, padded, *b, place));
  int64_t groups = features / own;
  if (depthwise)
    for (Value part : pixels)
      parts.push_back(channelwiseSums(g, part, b->dy, own, made));
  else if (groups == 1)
    parts = productsOf(g, pixels, b->dy, own);
  else
    for (Value part : pixels)
      parts.push_back(productOver(g, part, b->dy, groups));
  c.set(0, g.reshape(g.concat(parts, 0), *shape));
  return success();
}

} // namespace

void registerImageGradientOps(OpRegistry &r) {
  r.add("Conv2DBackpropInput", 3, inputGradient<2, false>);
  r.add("Conv3DBackpropInputV2", 3, inputGradient<3, false>);
  r.add("DepthwiseConv2dNativeBackpropInput", 3, inputGradient<2, true>);
  r.add("Conv2DBackpropFilter", 3, filterGradient<2, false>);
  r.add("Conv3DBackpropFilterV2", 3, filterGradient<3, false>);
  r.add("DepthwiseConv2dNativeBackpropFilter", 3, filterGradient<2, true>);
}

} // namespace tenon::tf
