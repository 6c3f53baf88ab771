// Sampling of images at computed positions, and boxes: GridSample, AffineGrid,
// NonMaxSuppression.
#include "compiler/import/onnx/graph/NodeContext.h"
#include "compiler/import/onnx/ops/Sampling.h"
#include "dialects/tenon/ShapeRules.h"

using namespace mlir;

namespace tenon::onnx {
namespace {

//===-- GridSample ------------------------------------------------------===//

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
  mlir::Type real = g.elementOf(*grid);
  Sizes sizes = g.sizes(x);
  Sizes outer(gridSizes.begin() + 1, gridSizes.end() - 1);
  Size places = g.product(outer);
  Size planes = g.product(ArrayRef(sizes).drop_front(2));
  Value table =
      g.reshape(g.toChannelsLast(x), Sizes{sizes[0], planes, sizes[1]});
  Value points = g.reshape(*grid, Sizes{sizes[0], places, g.index(spatial)});

  // Combine the taps of all dimensions.
  SmallVector<Tap> corners{Tap{}};
  for (int64_t i = 0; i < spatial; ++i) {
    // Coordinates are in reverse order: x, which belongs to the last dimension,
    // is first.
    Value x = g.squeeze(
        g.sliceDim(points, 2, g.index(spatial - 1 - i), g.index(1)), {2});
    GridDim dim{g, g.convert(g.fromSize(sizes[i + 2], g.i64()), real), outside,
                align};
    corners =
        crossTaps(g, corners, dim.taps(dim.denormalize(x), mode), sizes[i + 2]);
  }
  Value total = sampleRows(g, table, corners);
  Sizes result{sizes[0], sizes[1]};
  result.append(outer);
  c.set(0, g.reshape(g.swapDims(total, 1, 2), result));
  return success();
}

//===-- AffineGrid ------------------------------------------------------===//

/// Positions that are evenly spaced over [-1, 1]: the centers of elements, or
/// with `alignCorners` from end to end. A single element is in the middle.
Value spreadPlaces(GraphBuilder &g, Size count, bool alignCorners) {
  mlir::Type f64 = g.ops.getF64Type();
  Value places = g.iota(f64, {count}, 0);
  auto number = [&](Size size) {
    return g.convert(g.fromSize(size, g.i64()), f64);
  };
  if (!alignCorners)
    return g.sub(g.div(g.add(g.mul(places, 2.0), 1.0), number(count)), 1.0);
  Size steps = g.max(g.sub(count, g.index(1)), g.index(0));
  Value spread =
      g.sub(g.div(g.mul(places, 2.0), number(g.max(steps, g.index(1)))), 1.0);
  Value isOne = g.compare(CompareDirection::EQ, number(steps), 0.0);
  return g.select(isOne, g.scalar(f64, 0), spread);
}

LogicalResult affineGrid(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value theta = c.input(0);
  bool align = c.intAttr("align_corners", 0) != 0;
  if (failed(c.expectFloat(0)) || failed(c.expectRank(0, 3)))
    return failure();
  FailureOr<Sizes> size = c.extentsInput(1);
  if (failed(size))
    return failure();
  int64_t rank = int64_t(size->size()) - 2;
  if (rank != 2 && rank != 3)
    return c.error("expected a size of 4 or 5 numbers, got " +
                   Twine(size->size()));
  int64_t wanted[] = {g.staticSize((*size)[0]).value_or(ShapedType::kDynamic),
                      rank, rank + 1};
  if (!compatible(g.shapeOf(theta), wanted))
    return c.error("expected a matrix of " + Twine(rank) + " by " +
                   Twine(rank + 1) + " for each image of the size, got " +
                   textOf(theta));
  c.check((*size)[0], g.size(theta, 0), g.size(theta, 0),
          "the size must have as many images as there are matrices");
  // Each coordinate is a sum over the dimensions of the grid. The coordinates
  // begin with x, which belongs to the last dimension.
  mlir::Type element = g.elementOf(theta), f64 = g.ops.getF64Type();
  Sizes shape{g.size(theta, 0)};
  shape.append(size->begin() + 2, size->end());
  shape.push_back(g.index(rank));
  Value wide = g.convert(theta, f64), grid;
  auto column = [&](int64_t i) {
    Value one = g.squeeze(g.sliceDim(wide, 2, g.index(i), g.index(1)), {2});
    return g.broadcastInDim(one, {0, rank + 1}, shape);
  };
  grid = column(rank);
  for (int64_t i = 0; i < rank; ++i) {
    int64_t dim = rank - i;
    Value places = spreadPlaces(g, shape[dim], align);
    grid =
        g.add(grid, g.mul(column(i), g.broadcastInDim(places, {dim}, shape)));
  }
  c.set(0, g.convert(grid, element));
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
                     textOf(c.input(i)));
  ArrayRef<int64_t> b = g.shapeOf(boxes), s = g.shapeOf(scores);
  if (!compatible(b[0], s[0]) || !compatible(b[1], s[2]) ||
      !compatible(b[2], 4))
    return c.error("expected boxes [batch,boxes,4] and scores "
                   "[batch,classes,boxes], got " +
                   textOf(boxes) + " and " + textOf(scores));
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
                     textOf(c.input(2)));
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
  r.add("AffineGrid", 20, 2, 1, affineGrid);
  r.add("GridSample", 16, 2, 1, gridSample);
  r.add("NonMaxSuppression", 10, Arity(2, 5), 1, nonMaxSuppression);
}

} // namespace tenon::onnx
