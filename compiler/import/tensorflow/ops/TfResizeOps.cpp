// Resizing of images and of boxes cut from images. Each output pixel is an
// input pixel, or interpolated between four or sixteen.
#include "compiler/import/tensorflow/graph/TfNodeContext.h"

#include <array>

using namespace mlir;

namespace tenon::tf {
namespace {

/// The output height and width, and the mapping of pixel positions.
struct Resizing {
  Sizes wanted;
  bool aligned, half;
};

/// Reads the mapping of pixel positions, without sizes.
Resizing readCorrespondence(NodeContext &c) {
  return {{},
          c.boolAttr("align_corners", false),
          c.boolAttr("half_pixel_centers", false)};
}

FailureOr<Resizing> readResizing(NodeContext &c) {
  Resizing r = readCorrespondence(c);
  if (failed(c.expectNumber(0)) || failed(c.expectRank(0, 4)))
    return failure();
  FailureOr<Sizes> wanted = c.sizesInput(1);
  if (failed(wanted))
    return failure();
  if (wanted->size() != 2)
    return c.error("expected a height and a width, got " +
                   Twine(wanted->size()) + " numbers");
  wanted = c.extents(*wanted);
  if (failed(wanted))
    return failure();
  for (int64_t i : {0, 1})
    if (c.g.shapeOf(c.input(0))[i + 1] == 0 &&
        c.g.staticSize((*wanted)[i]).value_or(0) > 0)
      return c.error("expected pixels to resize, got " + textOf(c.input(0)));
  r.wanted = *wanted;
  return r;
}

/// The positions of `size` output pixels in an input extent `extent`, in f32 as
/// in TensorFlow. For `nearest`, the center of a pixel counts as its start.
Value places(GraphBuilder &g, const Resizing &r, Size extent, Size size,
             bool nearest) {
  Value from = g.convert(g.fromSize(extent, g.i64()), g.f32()),
        to = g.convert(g.fromSize(size, g.i64()), g.f32());
  if (r.aligned) {
    // A single pixel maps to the first one.
    Value single = g.compare(CompareDirection::LE, to, 1.0);
    from = g.select(single, from, g.sub(from, 1.0));
    to = g.select(single, to, g.sub(to, 1.0));
  }
  Value at = g.convert(g.iota(g.i64(), {size}, 0), g.f32());
  Value scale = g.div(from, to);
  if (!r.half)
    return g.mul(at, scale);
  Value middle = g.mul(g.add(at, 0.5), scale);
  return nearest ? middle : g.sub(middle, 0.5);
}

Value inside(GraphBuilder &g, Value index, Size extent) {
  Value last = g.fromSize(g.sub(extent, g.index(1)), g.i64());
  return g.maximum(g.minimum(index, last), 0.0);
}

LogicalResult resizeNearest(NodeContext &c) {
  GraphBuilder &g = c.g;
  FailureOr<Resizing> r = readResizing(c);
  if (failed(r))
    return failure();
  Value x = c.input(0);
  for (int64_t i = 0; i < 2; ++i) {
    Size extent = g.size(x, i + 1);
    Value place = places(g, *r, extent, r->wanted[i], true);
    place =
        r->aligned ? g.make<RoundNearestAfzOp>(place) : g.make<FloorOp>(place);
    x = g.take(x, inside(g, g.convert(place, g.i64()), extent), i + 1);
  }
  c.set(0, x);
  return success();
}

/// The output positions along one dimension of images: the pixel before each
/// position (i64) and the distance from this pixel.
struct Positions {
  Size extent; ///< extent of the images
  Value before, distance;
};

Positions positionsAlong(GraphBuilder &g, const Resizing &r, Value x,
                         int64_t dim) {
  Size extent = g.size(x, dim);
  Value place = places(g, r, extent, r.wanted[dim - 1], false);
  Value floor = g.make<FloorOp>(place);
  return {extent, g.convert(floor, g.i64()), g.sub(place, floor)};
}

/// Reshapes one number for each position along `dim` so that it broadcasts
/// against images.
Value alongDim(GraphBuilder &g, Value numbers, int64_t dim) {
  SmallVector<int64_t> after;
  for (int64_t k = 1; k < 4 - dim; ++k)
    after.push_back(k);
  return g.unsqueeze(numbers, after);
}

LogicalResult resizeBilinear(NodeContext &c) {
  GraphBuilder &g = c.g;
  FailureOr<Resizing> r = readResizing(c);
  if (failed(r))
    return failure();
  Value x = g.convert(c.input(0), g.f32());
  // Interpolate along rows first, then between rows.
  for (int64_t dim : {2, 1}) {
    Positions at = positionsAlong(g, *r, x, dim);
    Value a = g.take(x, inside(g, at.before, at.extent), dim);
    Value b = g.take(x, inside(g, g.add(at.before, 1.0), at.extent), dim);
    x = g.add(a, g.mul(g.sub(b, a), alongDim(g, at.distance, dim)));
  }
  c.set(0, x);
  return success();
}

/// The weights of the four pixels around a position, by Keys' cubic kernel with
/// slope `a` at distance one. The position is `part` pixels behind the second
/// of them; `part` is rounded to steps of 1/1024 as in TensorFlow.
std::array<Value, 4> cubicShares(GraphBuilder &g, Value part, double a) {
  constexpr double steps = 1024;
  Value near = g.div(g.make<RoundNearestEvenOp>(g.mul(part, steps)), steps);
  Value far = g.sub(g.splatLike(near, 1), near);
  auto within = [&](Value x) {
    Value inner = g.sub(g.mul(x, a + 2), a + 3);
    return g.add(g.mul(g.mul(inner, x), x), 1.0);
  };
  auto beyond = [&](Value x) {
    Value at = g.add(x, 1.0);
    Value inner = g.add(g.mul(g.sub(g.mul(at, a), 5 * a), at), 8 * a);
    return g.sub(g.mul(inner, at), 4 * a);
  };
  return {beyond(near), within(near), within(far), beyond(far)};
}

LogicalResult resizeBicubic(NodeContext &c) {
  GraphBuilder &g = c.g;
  FailureOr<Resizing> r = readResizing(c);
  if (failed(r))
    return failure();
  Value x = g.convert(c.input(0), g.f32());
  for (int64_t dim : {2, 1}) {
    Positions at = positionsAlong(g, *r, x, dim);
    std::array<Value, 4> shares =
        cubicShares(g, at.distance, r->half ? -0.5 : -0.75);
    Value first = g.sub(at.before, 1.0), total;
    std::array<Value, 4> pixels;
    for (size_t k = 0; k < 4; ++k) {
      Value pixel = g.add(first, double(k));
      pixels[k] = inside(g, pixel, at.extent);
      // With half-pixel centers, pixels beyond an edge have weight zero.
      // Otherwise the edge pixel replaces them.
      if (r->half)
        shares[k] = g.select(g.compare(CompareDirection::EQ, pixel, pixels[k]),
                             shares[k], g.splatLike(shares[k], 0));
      total = total ? g.add(total, shares[k]) : shares[k];
    }
    Value sum;
    for (size_t k = 0; k < 4; ++k) {
      Value share = r->half ? g.div(shares[k], total) : shares[k];
      Value part = g.mul(g.take(x, pixels[k], dim), alongDim(g, share, dim));
      sum = sum ? g.add(sum, part) : part;
    }
    x = sum;
  }
  c.set(0, x);
  return success();
}

//===-- Gradients -------------------------------------------------------===//

/// Multiplies `x` along `dim`, of extent `extent`, by the weights `shares`,
/// [extent, size]. The dimension gets the extent `size`.
Value distribute(GraphBuilder &g, Value x, Value shares, int64_t dim) {
  // The product has the new dimension last, so transpose it.
  Value product = g.dotGeneral(x, shares, {}, {}, {dim}, {0});
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < g.rankOf(x); ++i)
    order.push_back(i < dim ? i : i == dim ? g.rankOf(x) - 1 : i - 1);
  return g.transpose(product, order);
}

/// Computes the gradient with respect to images with the extents `originals`
/// from the incoming gradient, one dimension after the other.
LogicalResult resizeGrad(NodeContext &c, const Resizing &r,
                         ArrayRef<Size> originals, bool nearest) {
  GraphBuilder &g = c.g;
  Value dy = g.convert(c.input(0), nearest ? g.elementOf(c.input(0)) : g.f32());
  mlir::Type element = g.elementOf(dy);
  for (int64_t i : {0, 1}) {
    Size size = originals[i], count = g.size(dy, i + 1);
    Value place = places(g, r, size, count, nearest);
    Value number = g.iota(g.i64(), {count, size}, 1);
    auto isAt = [&](Value index) {
      return g.compare(CompareDirection::EQ,
                       g.unsqueeze(inside(g, index, size), {1}), number);
    };
    Value shares;
    if (nearest) {
      place =
          r.aligned ? g.make<RoundNearestAfzOp>(place) : g.make<FloorOp>(place);
      shares = g.convert(isAt(g.convert(place, g.i64())), element);
    } else {
      Value floor = g.make<FloorOp>(place), low = g.convert(floor, g.i64());
      Value part = g.unsqueeze(g.sub(place, floor), {1});
      Value zero = g.scalar(element, 0);
      shares =
          g.add(g.select(isAt(low), g.sub(g.splatLike(part, 1), part), zero),
                g.select(isAt(g.add(low, 1.0)), part, zero));
    }
    dy = distribute(g, dy, shares, i + 1);
  }
  c.set(0, dy);
  return success();
}

/// Operands: incoming gradient, image.
LogicalResult resizeBilinearGrad(NodeContext &c) {
  if (failed(c.expectFloat(0)) || failed(c.expectRank(0, 4)) ||
      failed(c.expectFloat(1)) || failed(c.expectRank(1, 4)))
    return failure();
  Resizing r = readCorrespondence(c);
  Size originals[] = {c.g.size(c.input(1), 1), c.g.size(c.input(1), 2)};
  if (failed(resizeGrad(c, r, originals, false)))
    return failure();
  c.set(0, c.g.convert(c.results[0].value, c.g.elementOf(c.input(1))));
  return success();
}

/// Operands: incoming gradient, the image's height and width.
LogicalResult resizeNearestGrad(NodeContext &c) {
  if (failed(c.expectFloat(0)) || failed(c.expectRank(0, 4)))
    return failure();
  FailureOr<Sizes> originals = c.extentsInput(1);
  if (failed(originals))
    return failure();
  if (originals->size() != 2)
    return c.error("expected a height and a width, got " +
                   Twine(originals->size()) + " numbers");
  return resizeGrad(c, readCorrespondence(c), *originals, true);
}

//===-- Boxes -----------------------------------------------------------===//

/// The positions of the `size` rows, or columns, into which each box is
/// resized: [boxes, size], in elements of an image with `extent` rows.
Value boxPlaces(GraphBuilder &g, Value start, Value end, Size extent,
                Size size) {
  Value last =
      g.convert(g.fromSize(g.sub(extent, g.index(1)), g.i64()), g.f32());
  Value steps =
      g.convert(g.fromSize(g.sub(size, g.index(1)), g.i64()), g.f32());
  Value single = g.compare(CompareDirection::LE, steps, 0.0);
  Value scale = g.div(g.mul(g.sub(end, start), last), g.maximum(steps, 1.0));
  Value at = g.convert(g.iota(g.i64(), {size}, 0), g.f32());
  Value spread = g.add(g.unsqueeze(g.mul(start, last), {1}),
                       g.mul(g.unsqueeze(scale, {1}), at));
  Value middle = g.mul(g.mul(g.add(start, end), 0.5), last);
  return g.select(single, g.unsqueeze(middle, {1}), spread);
}

/// Cuts boxes out of images and resizes them to one size. Boxes are [n, 4] (y1,
/// x1, y2, x2; 1 is the last pixel); operand 2 has the image of each box.
LogicalResult cropAndResize(NodeContext &c) {
  GraphBuilder &g = c.g;
  std::string method = c.stringAttr("method", "bilinear");
  double outside = c.floatAttr("extrapolation_value", 0);
  if (method != "bilinear" && method != "nearest")
    return c.error("expected method bilinear or nearest, got \"" + method +
                   "\"");
  if (failed(c.expectNumber(0)) || failed(c.expectRank(0, 4)) ||
      failed(c.expectFloat(1)) || failed(c.expectRank(1, 2)) ||
      failed(c.expectInteger(2)) || failed(c.expectRank(2, 1)))
    return failure();
  FailureOr<Sizes> crop = c.sizesInput(3);
  if (failed(crop))
    return failure();
  if (crop->size() != 2 || !g.staticSizes(*crop) ||
      *g.staticSize((*crop)[0]) < 1 || *g.staticSize((*crop)[1]) < 1)
    return c.unsupported("crops whose size is not known to be positive");
  Size count = g.size(c.input(1), 0);
  FailureOr<Value> corners = c.withSizes(1, {count, g.index(4)}, "boxes"),
                   images = c.withSizes(2, count, "an image per box");
  if (failed(corners) || failed(images))
    return failure();
  Value image = g.convert(c.input(0), g.f32());
  Sizes sizes = g.sizes(image);
  Value boxes = g.convert(*corners, g.f32());
  auto corner = [&](int64_t i) {
    return g.squeeze(g.sliceDim(boxes, 1, g.index(i), g.index(1)), {1});
  };
  Value number = g.convert(*images, g.i64());
  Value batch = g.make<CheckRangeOp>(
      number, g.splatLike(number, 0),
      g.broadcastTo(g.fromSize(sizes[0], g.i64()), g.sizes(number)),
      g.ops.getStringAttr(c.site()));
  Value y = boxPlaces(g, corner(0), corner(2), sizes[1], (*crop)[0]);
  Value x = boxPlaces(g, corner(1), corner(3), sizes[2], (*crop)[1]);
  auto isInside = [&](Value place, Size extent) {
    Value last =
        g.convert(g.fromSize(g.sub(extent, g.index(1)), g.i64()), g.f32());
    return g.binary<AndOp>(g.compare(CompareDirection::GE, place, 0.0),
                           g.compare(CompareDirection::LE, place, last));
  };
  // The table has one row for each pixel of all images.
  Value table = g.reshape(
      image, Sizes{g.product(ArrayRef(sizes).take_front(3)), sizes[3]});
  auto pixel = [&](Value row, Value column) {
    Value rows = inside(g, g.convert(row, g.i64()), sizes[1]);
    Value columns = inside(g, g.convert(column, g.i64()), sizes[2]);
    Value first = g.mul(batch, g.fromSize(sizes[1], g.i64()));
    Value line = g.mul(g.add(g.unsqueeze(first, {1}), rows),
                       g.fromSize(sizes[2], g.i64()));
    return g.take(table,
                  g.add(g.unsqueeze(line, {2}), g.unsqueeze(columns, {1})),
                  0); // [boxes, height, width, channels]
  };
  Value result;
  if (method == "nearest") {
    result = pixel(g.make<RoundNearestAfzOp>(y), g.make<RoundNearestAfzOp>(x));
  } else {
    Value top = g.make<FloorOp>(y), left = g.make<FloorOp>(x);
    Value bottom = g.make<CeilOp>(y), right = g.make<CeilOp>(x);
    Value down = g.unsqueeze(g.sub(y, top), {2, 3});
    Value across = g.unsqueeze(g.sub(x, left), {1, 3});
    auto between = [&](Value a, Value b, Value part) {
      return g.add(a, g.mul(g.sub(b, a), part));
    };
    result = between(between(pixel(top, left), pixel(top, right), across),
                     between(pixel(bottom, left), pixel(bottom, right), across),
                     down);
  }
  Value valid = g.binary<AndOp>(g.unsqueeze(isInside(y, sizes[1]), {2, 3}),
                                g.unsqueeze(isInside(x, sizes[2]), {1, 3}));
  c.set(0, g.select(valid, result, g.scalar(g.f32(), outside)));
  return success();
}

} // namespace

void registerResizeOps(OpRegistry &r) {
  r.add("ResizeNearestNeighbor", 2, resizeNearest);
  r.add("ResizeBilinear", 2, resizeBilinear);
  r.add("ResizeBicubic", 2, resizeBicubic);
  r.add("ResizeBilinearGrad", 2, resizeBilinearGrad);
  r.add("ResizeNearestNeighborGrad", 2, resizeNearestGrad);
  r.add("CropAndResize", 4, cropAndResize);
}

} // namespace tenon::tf
