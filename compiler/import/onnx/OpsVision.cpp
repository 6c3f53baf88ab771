// Sampling images at computed places, and boxes: GridSample, RoiAlign,
// NonMaxSuppression. Pixels are fetched channels-last, one gather per corner.
#include "compiler/import/onnx/NodeContext.h"
#include "dialects/tenon/ShapeRules.h"

using namespace mlir;

namespace tenon::onnx {
namespace {

/// A neighbour of a place along one dimension.
struct Tap {
  Value index;  ///< i64, within the extent
  Value weight; ///< float, or null for one
  Value inside; ///< bool, or null when it always is
};

Value both(GraphBuilder &g, Value a, Value b) {
  return !a ? b : !b ? a : g.binary<AndOp>(a, b);
}

Value product(GraphBuilder &g, Value a, Value b) {
  return !a ? b : !b ? a : g.mul(a, b);
}

//===-- GridSample ------------------------------------------------------===//

enum class Outside { Zeros, Border, Reflection };

/// Where places lie along one dimension.
struct GridDim {
  GraphBuilder &g;
  Value extent; ///< rank 0, float
  Outside outside;
  bool alignCorners;

  /// The greatest index, as a rank-0 float.
  Value last() const { return g.sub(extent, 1.0); }

  /// [-1, 1] to elements.
  Value denormalize(Value x) const {
    Value shifted = g.add(x, 1.0);
    if (alignCorners)
      return g.mul(g.div(shifted, 2.0), last());
    return g.div(g.sub(g.mul(shifted, extent), 1.0), 2.0);
  }

  Value limit(Value x) const { return g.minimum(g.maximum(x, 0.0), last()); }

  /// Mirrored at the outer elements' centers or edges until it is within.
  Value reflect(Value x) const {
    double first = alignCorners ? 0 : -0.5;
    Value range = alignCorners ? last() : extent;
    Value distance = g.make<AbsOp>(g.sub(x, first));
    Value turns = g.make<FloorOp>(g.div(distance, range));
    Value rest = g.sub(distance, g.mul(turns, range));
    Value half = g.mul(turns, 0.5);
    Value even = g.compare(CompareDirection::EQ, half, g.make<FloorOp>(half));
    Value folded = g.add(g.select(even, rest, g.sub(range, rest)), first);
    // One element mirrors itself.
    return g.select(g.compare(CompareDirection::GT, range, 0.0), folded,
                    g.splatLike(x, 0));
  }

  Value settle(Value x) const {
    if (outside == Outside::Border)
      return limit(x);
    return outside == Outside::Reflection ? reflect(x) : x;
  }

  Tap tap(Value at, Value weight) const {
    Tap tap;
    tap.weight = weight;
    if (outside == Outside::Zeros)
      tap.inside = g.binary<AndOp>(g.compare(CompareDirection::GE, at, 0.0),
                                   g.compare(CompareDirection::LE, at, last()));
    if (outside == Outside::Reflection)
      at = reflect(at);
    tap.index = g.convert(limit(at), g.i64());
    return tap;
  }

  SmallVector<Tap> taps(Value x, StringRef mode) const {
    x = settle(x);
    if (mode == "nearest")
      return {tap(g.make<RoundNearestEvenOp>(x), {})};
    Value base = g.make<FloorOp>(x), t = g.sub(x, base);
    Value rest = g.sub(g.splatLike(t, 1), t);
    if (mode == "linear")
      return {tap(base, rest), tap(g.add(base, 1.0), t)};
    // Keys' cubic with a = -0.75.
    constexpr double a = -0.75;
    auto near = [&](Value d) { // |d| <= 1
      Value inner = g.sub(g.mul(d, a + 2), a + 3);
      return g.add(g.mul(g.mul(inner, d), d), 1.0);
    };
    auto far = [&](Value d) { // 1 <= |d| <= 2
      Value inner = g.sub(g.mul(d, a), 5 * a);
      inner = g.add(g.mul(inner, d), 8 * a);
      return g.sub(g.mul(inner, d), 4 * a);
    };
    return {tap(g.sub(base, 1.0), far(g.add(t, 1.0))), tap(base, near(t)),
            tap(g.add(base, 1.0), near(rest)),
            tap(g.add(base, 2.0), far(g.add(rest, 1.0)))};
  }
};

/// Rows of `table`, [N, places, C], at `index`, [N, P].
Value takeRows(GraphBuilder &g, Value table, Value index) {
  SmallVector<int64_t> shape{g.shapeOf(index)[0], g.shapeOf(index)[1],
                             g.shapeOf(table)[2]};
  Value rows = GatherOp::create(
      g.ops, g.loc, RankedTensorType::get(shape, g.elementOf(table)), table,
      g.unsqueeze(index, {2}), ArrayRef<int64_t>{2}, ArrayRef<int64_t>{1},
      ArrayRef<int64_t>{0}, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{1},
      uint64_t(2), ArrayRef<int64_t>{1, 1, -1});
  g.recordSizes(rows, {g.size(index, 0), g.size(index, 1), g.size(table, 2)});
  return rows;
}

LogicalResult gridSample(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value x = c.input(0);
  std::string mode = c.stringAttr("mode", c.opset < 20 ? "bilinear" : "linear");
  std::string padding = c.stringAttr("padding_mode", "zeros");
  bool align = c.intAttr("align_corners", 0) != 0;
  if (mode == "bilinear")
    mode = "linear";
  if (mode == "bicubic")
    mode = "cubic";
  if (mode != "linear" && mode != "cubic" && mode != "nearest")
    return c.error("expected mode linear, cubic or nearest, got \"" + mode +
                   "\"");
  if (padding != "zeros" && padding != "border" && padding != "reflection")
    return c.error("expected padding_mode zeros, border or reflection, got "
                   "\"" +
                   padding + "\"");
  if (failed(c.expectFloat(0)) || failed(c.expectFloat(1)) ||
      failed(c.expectMinRank(0, 3)))
    return failure();
  int64_t rank = g.rankOf(x), spatial = rank - 2;
  if (failed(c.expectRank(1, rank)))
    return failure();
  Sizes gridSizes = g.sizes(c.input(1));
  gridSizes.front() = g.size(x, 0);
  gridSizes.back() = g.index(spatial);
  FailureOr<Value> grid = c.withSizes(1, gridSizes, "a grid");
  if (failed(grid))
    return failure();
  if (spatial > 3)
    return c.unsupported("sampling of more than three spatial dimensions");
  Outside outside = padding == "zeros"    ? Outside::Zeros
                    : padding == "border" ? Outside::Border
                                          : Outside::Reflection;
  mlir::Type element = g.elementOf(x), real = g.elementOf(*grid);
  Sizes sizes = g.sizes(x);
  Sizes outer(gridSizes.begin() + 1, gridSizes.end() - 1);
  Size places = g.product(outer);
  Size planes = g.product(ArrayRef(sizes).drop_front(2));
  Value table =
      g.reshape(g.toChannelsLast(x), Sizes{sizes[0], planes, sizes[1]});
  Value points = g.reshape(*grid, Sizes{sizes[0], places, g.index(spatial)});

  // All combinations of the dimensions' taps.
  SmallVector<Tap> corners{Tap{}};
  for (int64_t i = 0; i < spatial; ++i) {
    // Coordinates stand in reverse: x, the last dimension's, first.
    Value x = g.squeeze(
        g.sliceDim(points, 2, g.index(spatial - 1 - i), g.index(1)), {2});
    GridDim dim{g, g.convert(g.fromSize(sizes[i + 2], g.i64()), real), outside,
                align};
    Value extent = g.fromSize(sizes[i + 2], g.i64());
    SmallVector<Tap> next, taps = dim.taps(dim.denormalize(x), mode);
    for (const Tap &corner : corners)
      for (const Tap &tap : taps)
        next.push_back({corner.index
                            ? g.add(g.mul(corner.index, extent), tap.index)
                            : tap.index,
                        product(g, corner.weight, tap.weight),
                        both(g, corner.inside, tap.inside)});
    corners = next;
  }
  Value total;
  for (const Tap &corner : corners) {
    Value pixel = takeRows(g, table, corner.index);
    if (corner.inside)
      pixel = g.select(g.unsqueeze(corner.inside, {2}), pixel,
                       g.scalar(element, 0));
    if (corner.weight)
      pixel = g.mul(pixel, g.unsqueeze(g.convert(corner.weight, element), {2}));
    total = total ? g.add(total, pixel) : pixel;
  }
  Sizes result{sizes[0], sizes[1]};
  result.append(outer);
  c.set(0, g.reshape(g.swapDims(total, 1, 2), result));
  return success();
}

//===-- RoiAlign --------------------------------------------------------===//

/// The two taps of every sampling place along one dimension: [R, bins *
/// samples]. Places more than one outside count nothing.
SmallVector<Tap, 2> roiTaps(GraphBuilder &g, Value start, Value length,
                            int64_t bins, int64_t samples, Size extent) {
  using enum CompareDirection;
  mlir::Type real = g.elementOf(start);
  Size count = g.index(bins * samples);
  // Place p of all: bin p / samples, sample p % samples of it.
  Value place = g.iota(real, {count}, 0);
  Value offset = g.div(g.add(place, 0.5), double(samples));
  Value bin = g.div(length, double(bins)); // [R, 1]
  Value at = g.add(start, g.mul(bin, offset));
  Value size = g.convert(g.fromSize(extent, g.i64()), real);
  Value inside =
      g.binary<AndOp>(g.compare(GE, at, -1.0), g.compare(LE, at, size));
  at = g.minimum(g.maximum(at, 0.0), g.sub(size, 1.0));
  Value low = g.make<FloorOp>(at);
  Value high = g.minimum(g.add(low, 1.0), g.sub(size, 1.0));
  Value part = g.sub(at, low);
  Value rest = g.sub(g.splatLike(part, 1), part);
  return {{g.convert(low, g.i64()), rest, inside},
          {g.convert(high, g.i64()), part, inside}};
}

LogicalResult roiAlign(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value x = c.input(0);
  std::string mode = c.stringAttr("mode", "avg");
  int64_t height = c.intAttr("output_height", 1);
  int64_t width = c.intAttr("output_width", 1);
  int64_t samples = c.intAttr("sampling_ratio", 0);
  double scale = c.floatAttr("spatial_scale", 1);
  std::string transform =
      c.opset < 16
          ? "output_half_pixel"
          : c.stringAttr("coordinate_transformation_mode", "half_pixel");
  bool half = transform == "half_pixel";
  if (mode != "avg" && mode != "max")
    return c.error("expected mode avg or max, got \"" + mode + "\"");
  if (!half && transform != "output_half_pixel")
    return c.error("expected coordinate_transformation_mode half_pixel or "
                   "output_half_pixel, got \"" +
                   transform + "\"");
  if (failed(c.expectFloat(0)) || failed(c.expectSameElements({0, 1})) ||
      failed(c.expectRank(0, 4)) || failed(c.expectRank(1, 2)) ||
      failed(c.expectInteger(2)) || failed(c.expectRank(2, 1)))
    return failure();
  FailureOr<Value> given =
      c.withSizes(1, {g.size(c.input(1), 0), g.index(4)}, "regions");
  FailureOr<Value> batches =
      c.withSizes(2, g.size(c.input(1), 0), "a batch index per region");
  if (failed(given) || failed(batches))
    return failure();
  Value rois = *given;
  constexpr int64_t most = 1 << 16;
  if (height < 1 || width < 1 || height > most || width > most || samples < 0 ||
      samples > most)
    return c.error("expected positive output extents and a sampling_ratio "
                   "that is not negative, got " +
                   Twine(height) + ", " + Twine(width) + " and " +
                   Twine(samples));
  if (samples == 0)
    return c.unsupported("sampling_ratio 0, which makes the number of samples "
                         "depend on the regions");
  Sizes sizes = g.sizes(x);
  auto corner = [&](int64_t i) {
    Value v = g.sliceDim(rois, 1, g.index(i), g.index(1)); // [R, 1]
    return g.sub(g.mul(v, scale), half ? 0.5 : 0.0);
  };
  auto taps = [&](int64_t from, int64_t bins, Size extent) {
    Value start = corner(from), length = g.sub(corner(from + 2), start);
    if (!half)
      length = g.maximum(length, 1.0);
    return roiTaps(g, start, length, bins, samples, extent);
  };
  SmallVector<Tap, 2> rows = taps(1, height, sizes[2]);
  SmallVector<Tap, 2> columns = taps(0, width, sizes[3]);
  Size pixels = g.product({sizes[0], sizes[2], sizes[3]});
  Value table = g.reshape(g.toChannelsLast(x), Sizes{pixels, sizes[1]});
  Value batch =
      g.checkedIndices(g.convert(*batches, g.i64()), sizes[0], c.site());
  Value base = g.mul(batch, g.fromSize(g.mul(sizes[2], sizes[3]), g.i64()));
  base = g.unsqueeze(base, {1, 2});
  Value total;
  for (const Tap &row : rows)
    for (const Tap &column : columns) {
      Value inRow = g.mul(row.index, g.fromSize(sizes[3], g.i64()));
      Value at = g.add(g.add(base, g.unsqueeze(inRow, {2})),
                       g.unsqueeze(column.index, {1}));
      Value weight =
          g.mul(g.unsqueeze(row.weight, {2}), g.unsqueeze(column.weight, {1}));
      Value inside = g.binary<AndOp>(g.unsqueeze(row.inside, {2}),
                                     g.unsqueeze(column.inside, {1}));
      Value pixel = g.mul(g.take(table, at, 0), g.unsqueeze(weight, {3}));
      pixel = g.select(g.unsqueeze(inside, {3}), pixel,
                       g.scalar(g.elementOf(x), 0));
      // The greatest of weighted pixels, not of interpolated places: so the
      // reference has it.
      total = !total          ? pixel
              : mode == "max" ? g.maximum(total, pixel)
                              : g.add(total, pixel);
    }
  Size regions = g.size(rois, 0), n = g.index(samples);
  Value split = g.reshape(
      total, Sizes{regions, g.index(height), n, g.index(width), n, sizes[1]});
  Value pooled = mode == "max"
                     ? g.reduce(ReduceKind::Maximum, split, {2, 4}, false)
                     : g.mean(split, {2, 4}, false);
  c.set(0, g.transpose(pooled, {0, 3, 1, 2}));
  return success();
}

//===-- NonMaxSuppression -----------------------------------------------===//

LogicalResult nonMaxSuppression(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value boxes = c.input(0), scores = c.input(1);
  bool center = c.intAttr("center_point_box", 0) != 0;
  for (size_t i : {0, 1})
    if (failed(c.expectRank(i, 3)))
      return failure();
  for (size_t i : {0, 1, 3, 4})
    if (c.hasInput(i) && !g.elementOf(c.input(i)).isF32())
      return c.error("expected f32 for operand " + Twine(i) + ", got " +
                     spell(c.input(i)));
  ArrayRef<int64_t> b = g.shapeOf(boxes), s = g.shapeOf(scores);
  if (!compatible(b[0], s[0]) || !compatible(b[1], s[2]) ||
      !compatible(b[2], 4))
    return c.error("expected boxes [batch,boxes,4] and scores "
                   "[batch,classes,boxes], got " +
                   spell(boxes) + " and " + spell(scores));
  auto one = [&](size_t i, double otherwise) -> FailureOr<Value> {
    if (!c.hasInput(i))
      return g.scalar(g.f32(), otherwise);
    return c.scalarInput(i);
  };
  FailureOr<Value> iou = one(3, 0);
  FailureOr<Value> least = one(4, -std::numeric_limits<double>::infinity());
  if (failed(iou) || failed(least))
    return failure();
  Size limit = g.index(0); // the default of the specification: no boxes
  if (c.hasInput(2)) {
    FailureOr<Sizes> given = c.sizesInput(2);
    if (failed(given))
      return failure();
    if (given->size() != 1)
      return c.error("expected one max_output_boxes_per_class, got " +
                     spell(c.input(2)));
    limit = g.max(given->front(), g.index(0));
  }
  Size rows = g.product(
      {g.size(scores, 0), g.size(scores, 1), g.min(limit, g.size(boxes, 1))});
  int64_t staticRows = g.staticSize(rows).value_or(ShapedType::kDynamic);
  auto op = NonMaxSuppressionOp::create(
      g.ops, g.loc, RankedTensorType::get({staticRows, 3}, g.i64()),
      RankedTensorType::get({}, g.i64()), boxes, scores, g.indexValue(limit),
      *iou, *least, center);
  Value selected = op->getResult(0);
  g.recordSizes(selected, {rows, g.index(3)});
  std::optional<Sizes> count = c.shapes.elements(op->getResult(1));
  Size taken = g.bound(count->front(), rows);
  c.set(0, g.sliceDim(selected, 0, g.index(0), taken));
  return success();
}

} // namespace

void registerVisionOps(OpRegistry &r) {
  r.add("GridSample", 16, 2, 1, gridSample);
  r.add("RoiAlign", 10, 3, 1, roiAlign);
  r.add("NonMaxSuppression", 10, Arity(2, 5), 1, nonMaxSuppression);
}

} // namespace tenon::onnx
