// RoiAlign: the means or maxima of samples in the bins of regions. Samples are
// bilinear, so each has two taps along each dimension.
#include "compiler/import/graph/Branches.h"
#include "compiler/import/onnx/graph/NodeContext.h"
#include "compiler/import/onnx/ops/Sampling.h"

using namespace mlir;

namespace tenon::onnx {
namespace {

constexpr int64_t maxSamples = 1 << 16;

/// The positions of the regions along one dimension.
struct Span {
  Value start, length; ///< [R, 1], in elements of the image
  int64_t bins;
  Size extent;   ///< extent of the image
  Value samples; ///< i64 [R, 1], samples per bin; null if static
};

/// The op's operands and attributes for all regions.
struct Regions {
  NodeContext &c;
  GraphBuilder &g;
  Value table; ///< [pixels, C]: the images, channels-last
  Value base;  ///< i64 [R, 1, 1]: first row of the region's image in `table`
  Span rows, columns;
  bool isMax;

  mlir::Type real() const { return g.elementOf(rows.start); }
  Value outer(Value row, Value column, bool isProduct) const;
  Value pool(ArrayRef<Tap> rowTaps, ArrayRef<Tap> columnTaps) const;
  Value pooled(int64_t samples) const;
  Value adaptive() const;
};

/// The two taps of the positions `at` along a dimension. Positions more than
/// one element outside the image have weight zero.
SmallVector<Tap, 2> tapsAt(GraphBuilder &g, Value at, Size extent) {
  using enum CompareDirection;
  Value size = g.convert(g.fromSize(extent, g.i64()), g.elementOf(at));
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

/// Combines [R, rows] and [R, columns] to [R, rows, columns].
Value Regions::outer(Value row, Value column, bool isProduct) const {
  row = g.unsqueeze(row, {2});
  column = g.unsqueeze(column, {1});
  return isProduct ? g.mul(row, column) : g.binary<AndOp>(row, column);
}

/// Samples at all pairs of positions, [R, rows, columns, C]. A maximum is taken
/// over weighted pixels, not over interpolated samples, as in the reference
/// implementation.
Value Regions::pool(ArrayRef<Tap> rowTaps, ArrayRef<Tap> columnTaps) const {
  Value total;
  for (const Tap &row : rowTaps)
    for (const Tap &column : columnTaps) {
      Value inRow = g.mul(row.index, g.fromSize(columns.extent, g.i64()));
      Value at = g.add(g.add(base, g.unsqueeze(inRow, {2})),
                       g.unsqueeze(column.index, {1}));
      Value weight = outer(row.weight, column.weight, true);
      Value inside = outer(row.inside, column.inside, false);
      Value pixel = g.mul(g.take(table, at, 0), g.unsqueeze(weight, {3}));
      pixel = g.select(g.unsqueeze(inside, {3}), pixel,
                       g.scalar(g.elementOf(table), 0));
      total = !total  ? pixel
              : isMax ? g.maximum(total, pixel)
                      : g.add(total, pixel);
    }
  return total;
}

/// The pooled result [R, bins, bins, C] with a static number of samples per bin
/// and dimension.
Value Regions::pooled(int64_t samples) const {
  auto taps = [&](const Span &span) {
    // The sample number `place` is sample place % samples of bin place /
    // samples.
    Value place = g.iota(real(), {g.index(span.bins * samples)}, 0);
    Value offset = g.div(g.add(place, 0.5), double(samples));
    Value bin = g.div(span.length, double(span.bins));
    return tapsAt(g, g.add(span.start, g.mul(bin, offset)), span.extent);
  };
  Value total = pool(taps(rows), taps(columns));
  Size n = g.index(samples);
  Value split =
      g.reshape(total, Sizes{g.size(total, 0), g.index(rows.bins), n,
                             g.index(columns.bins), n, g.size(table, 1)});
  return isMax ? g.reduce(ReduceKind::Maximum, split, {2, 4}, false)
               : g.mean(split, {2, 4}, false);
}

/// The pooled result with as many samples per bin as the bin has elements,
/// rounded up. A loop runs to the greatest number of any region; each region
/// takes part only in its own samples.
Value Regions::adaptive() const {
  using enum CompareDirection;
  // The greatest number of samples of any region along a dimension, as a size.
  auto most = [&](const Span &span) {
    Value greatest = g.reduce(ReduceKind::Maximum, span.samples, {0, 1}, false);
    Size count = g.max(c.shapes.elements(greatest)->front(), g.index(0));
    c.check(count, g.index(0), g.index(maxSamples),
            "the samples per bin of the largest region, along a dimension");
    return count;
  };
  Size across = most(columns), steps = g.mul(most(rows), across);
  Sizes shape{g.size(base, 0), g.index(rows.bins), g.index(columns.bins),
              g.size(table, 1)};
  mlir::Type element = g.elementOf(table);
  Value none =
      g.splat(element, shape, isMax ? GraphBuilder::leastOf(element) : 0);
  steps = stepsOver(g, steps, {shape});
  auto loop =
      scf::ForOp::create(g.ops, g.loc, g.indexValue(g.index(0)),
                         g.indexValue(steps), g.indexValue(g.index(1)), none);
  {
    OpBuilder::InsertionGuard guard(g.ops);
    g.ops.setInsertionPointToEnd(loop.getBody());
    Value carried = loop.getRegionIterArg(0);
    g.recordSizes(carried, shape);
    Size step = loop.getInductionVar();
    auto taps = [&](const Span &span, Size sample) {
      Value number = g.fromSize(sample, g.i64());
      Value count = g.convert(g.maximum(span.samples, 1.0), real());
      Value offset = g.div(g.add(g.convert(number, real()), 0.5), count);
      Value bin = g.div(span.length, double(span.bins));
      Value place = g.add(g.iota(real(), {g.index(span.bins)}, 0), offset);
      SmallVector<Tap, 2> taps =
          tapsAt(g, g.add(span.start, g.mul(bin, place)), span.extent);
      return std::pair(taps, g.compare(LT, number, span.samples));
    };
    Size safe = g.max(across, g.index(1));
    auto [rowTaps, hasRow] = taps(rows, g.floorDiv(step, safe));
    auto [columnTaps, hasColumn] = taps(columns, g.rem(step, safe));
    Value sample = pool(rowTaps, columnTaps);
    Value next = isMax ? g.maximum(carried, sample) : g.add(carried, sample);
    Value takesPart = g.unsqueeze(g.binary<AndOp>(hasRow, hasColumn), {2, 3});
    scf::YieldOp::create(g.ops, g.loc, g.select(takesPart, next, carried));
  }
  Value total = loop.getResult(0);
  g.recordSizes(total, shape);
  Value count = g.unsqueeze(g.mul(rows.samples, columns.samples), {2, 3});
  Value hasAny = g.compare(GT, count, 0.0);
  Value result = total;
  if (!isMax)
    result = g.div(total, g.convert(g.maximum(count, 1.0), element));
  return g.select(hasAny, result, g.scalar(element, 0));
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
      samples > maxSamples)
    return c.error("expected positive output extents and a sampling_ratio "
                   "that is not negative, got " +
                   Twine(height) + ", " + Twine(width) + " and " +
                   Twine(samples));
  Sizes sizes = g.sizes(x);
  auto corner = [&](int64_t i) {
    Value v = g.sliceDim(rois, 1, g.index(i), g.index(1)); // [R, 1]
    return g.sub(g.mul(v, scale), half ? 0.5 : 0.0);
  };
  auto span = [&](int64_t from, int64_t bins, Size extent) {
    Value start = corner(from), length = g.sub(corner(from + 2), start);
    if (!half)
      length = g.maximum(length, 1.0);
    Value count;
    if (samples == 0) {
      Value perBin = g.make<CeilOp>(g.div(length, double(bins)));
      count = g.convert(g.maximum(perBin, 0.0), g.i64());
    }
    return Span{start, length, bins, extent, count};
  };
  Size pixels = g.product({sizes[0], sizes[2], sizes[3]});
  Value table = g.reshape(g.toChannelsLast(x), Sizes{pixels, sizes[1]});
  Value batch =
      g.checkedIndices(g.convert(*batches, g.i64()), sizes[0], c.site());
  Value base = g.mul(batch, g.fromSize(g.mul(sizes[2], sizes[3]), g.i64()));
  Regions regions{c,
                  g,
                  table,
                  g.unsqueeze(base, {1, 2}),
                  span(1, height, sizes[2]),
                  span(0, width, sizes[3]),
                  mode == "max"};
  Value pooled = samples ? regions.pooled(samples) : regions.adaptive();
  c.set(0, g.transpose(pooled, {0, 3, 1, 2}));
  return success();
}

} // namespace

void registerRegionOps(OpRegistry &r) { r.add("RoiAlign", 10, 3, 1, roiAlign); }

} // namespace tenon::onnx
