// Ops on the columns of convolutions: Col2Im sums blocks into an image, and
// DeformConv samples its columns at computed positions.
#include "compiler/import/onnx/graph/NodeContext.h"
#include "compiler/import/onnx/ops/Sampling.h"
#include "compiler/import/onnx/ops/Windows.h"
#include "dialects/tenon/ShapeRules.h"

using namespace mlir;

namespace tenon::onnx {
namespace {

/// Requires `size` to equal `wanted`: an error if both are static and differ,
/// else a check at run time.
LogicalResult expectSize(NodeContext &c, Size size, Size wanted,
                         const Twine &what) {
  std::optional<int64_t> a = GraphBuilder::staticSize(size),
                         b = GraphBuilder::staticSize(wanted);
  if (a && b && *a != *b)
    return c.error("expected " + what + " to be " + Twine(*b) + ", got " +
                   Twine(*a));
  c.check(size, wanted, wanted, what);
  return success();
}

/// Sums the blocks [N, C * block, L] where they overlap. A table has one row
/// for each pixel of the padded images, for all images and channels.
LogicalResult col2im(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value x = c.input(0);
  if (failed(c.expectRank(0, 3)) || failed(c.expectNumber(0)))
    return failure();
  FailureOr<Sizes> image = c.extentsInput(1), block = c.extentsInput(2);
  if (failed(image) || failed(block))
    return failure();
  int64_t rank = image->size();
  if (rank < 1 || int64_t(block->size()) != rank)
    return c.error("expected a block of the image's rank, got " +
                   Twine(block->size()) + " and " + Twine(rank) + " extents");
  FailureOr<SmallVector<int64_t>> pads = readPads(c, rank);
  Windows steps;
  if (failed(pads) || failed(readSteps(c, rank, steps)))
    return failure();
  Size one = g.index(1), zero = g.index(0);
  Sizes padded, places;
  for (int64_t i = 0; i < rank; ++i) {
    if (GraphBuilder::staticSize((*block)[i]) == 0)
      return c.error("expected a block of positive extents, got 0");
    c.check((*block)[i], one, g.index(INT64_MAX), "a block has elements");
    (*block)[i] = g.max((*block)[i], one);
    padded.push_back(
        g.add((*image)[i], g.index((*pads)[i] + (*pads)[i + rank])));
    Size reach =
        g.add(g.mul(g.sub((*block)[i], one), g.index(steps.dilations[i])), one);
    Size behind =
        g.floorDiv(g.sub(padded[i], reach), g.index(steps.strides[i]));
    places.push_back(g.max(g.add(behind, one), zero));
  }
  Size inBlock = g.product(*block), blocks = g.product(places);
  Size channels = g.floorDiv(g.size(x, 1), inBlock);
  if (failed(expectSize(c, g.size(x, 2), blocks, "the number of blocks")) ||
      failed(expectSize(c, g.size(x, 1), g.mul(channels, inBlock),
                        "the channels of all elements of a block")))
    return failure();
  Size images = g.size(x, 0), rows = g.mul(inBlock, blocks),
       columns = g.mul(images, channels);
  Value updates =
      g.reshape(g.transpose(g.reshape(x, {images, channels, inBlock, blocks}),
                            {2, 3, 0, 1}),
                {rows, columns});
  Sizes all(*block);
  all.append(places);
  Value at = g.splat(g.i64(), all, 0);
  for (int64_t i = 0; i < rank; ++i) {
    Value inside = g.mul(g.iota(g.i64(), all, i), double(steps.dilations[i]));
    Value begin =
        g.mul(g.iota(g.i64(), all, rank + i), double(steps.strides[i]));
    Value stride = g.fromSize(
        g.product(ArrayRef<Size>(padded).drop_front(i + 1)), g.i64());
    at = g.add(at, g.mul(g.add(inside, begin), stride));
  }
  Size pixels = g.product(padded);
  Value zeros = g.splat(g.elementOf(x), {pixels, columns}, 0);
  SmallVector<int64_t> first{0}, second{1}, none;
  Value sums =
      ScatterOp::create(g.ops, g.loc, zeros.getType(), ScatterKind::Add, zeros,
                        g.reshape(at, {rows, one}), updates, second, first,
                        none, none, first, uint64_t(1));
  g.recordSizes(sums, {pixels, columns});
  Sizes whole(padded), offsets, sizes(*image), strides(rank + 2, one);
  whole.append({images, channels});
  for (int64_t i = 0; i < rank; ++i)
    offsets.push_back(g.index((*pads)[i]));
  offsets.append({zero, zero});
  sizes.append({images, channels});
  Value cut = g.slice(g.reshape(sums, whole), offsets, sizes, strides);
  SmallVector<int64_t> order{rank, rank + 1};
  for (int64_t i = 0; i < rank; ++i)
    order.push_back(i);
  c.set(0, g.transpose(cut, order));
  return success();
}

/// Samples the image bilinearly at each element of each window, moved by its
/// offset. The samples are the columns of an ordinary convolution.
LogicalResult deformConv(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value x = c.input(0), w = c.input(1), offset = c.input(2), bias = c.input(3),
        mask = c.input(4);
  int64_t group = c.intAttr("group", 1);
  int64_t parts = c.intAttr("offset_group", 1);
  if (failed(c.expectFloat(0)) || failed(c.expectSameElements()) ||
      failed(c.expectMinRank(0, 3)))
    return failure();
  if (g.rankOf(x) != 4)
    return c.unsupported("images that are not of two dimensions");
  if (failed(c.expectRank(1, 4)) || failed(c.expectRank(2, 4)) ||
      (mask && failed(c.expectRank(4, 4))) ||
      (bias && failed(c.expectRank(3, 1))))
    return failure();
  ArrayRef<int64_t> shapeX = g.shapeOf(x), shapeW = g.shapeOf(w);
  int64_t channels = shapeX[1], filters = shapeW[0];
  if (llvm::any_of(shapeW, ShapedType::isDynamic) ||
      ShapedType::isDynamic(channels))
    return c.unsupported("channels or a kernel whose extents are not static");
  if (group < 1 || parts < 1 || channels % parts || filters % group ||
      channels != shapeW[1] * group)
    return c.error("expected channels in groups, got " + Twine(channels) +
                   " for offset_group " + Twine(parts) + " and group " +
                   Twine(group) + " of " + textOf(w));
  FailureOr<SmallVector<int64_t>> kernel =
      readKernelOf(c, w, shapeW.drop_front(2));
  if (failed(kernel))
    return failure();
  if (llvm::is_contained(*kernel, 0))
    return c.error("expected a kernel with positive spatial extents, got " +
                   textOf(w));
  Sizes sizes = g.sizes(x);
  FailureOr<Windows> windows =
      readWindows(c, *kernel, ArrayRef<Size>(sizes).drop_front(2));
  if (failed(windows))
    return failure();
  int64_t taps = (*kernel)[0] * (*kernel)[1];
  Sizes out;
  for (int64_t i : {0, 1}) {
    Size padded = g.add(g.add(sizes[i + 2], windows->low[i]), windows->high[i]);
    Size behind = g.floorDiv(g.sub(padded, g.index(windows->reach(i))),
                             g.index(windows->strides[i]));
    out.push_back(g.max(g.add(behind, g.index(1)), g.index(0)));
  }
  auto expectPlane = [&](Value value, int64_t planes, const Twine &what) {
    Sizes wanted{sizes[0], g.index(planes), out[0], out[1]};
    for (int64_t i = 0; i < 4; ++i)
      if (failed(expectSize(c, g.size(value, i), wanted[i],
                            "extent " + Twine(i) + " of the " + what)))
        return failure();
    return success();
  };
  if (failed(expectPlane(offset, parts * taps * 2, "offset")) ||
      (mask && failed(expectPlane(mask, parts * taps, "mask"))) ||
      (bias &&
       failed(expectSize(c, g.size(bias, 0), g.index(filters), "the bias"))))
    return failure();

  mlir::Type element = g.elementOf(x);
  mlir::Type real = element.isF64() ? element : mlir::Type(g.f32());
  Size images = sizes[0], plane = g.product(out);
  Size batches = g.mul(images, g.index(parts)),
       places = g.mul(g.index(taps), plane);
  Value moves = g.reshape(g.convert(offset, real),
                          {batches, g.index(taps), g.index(2), plane});
  Sizes grid{g.index((*kernel)[0]), g.index((*kernel)[1]), out[0], out[1]};
  SmallVector<Tap> corners{Tap{}};
  for (int64_t i : {0, 1}) {
    Value begin = g.mul(g.iota(real, grid, i + 2), double(windows->strides[i]));
    Value inside = g.mul(g.iota(real, grid, i), double(windows->dilations[i]));
    Value low = g.convert(g.fromSize(windows->low[i], g.i64()), real);
    Value at = g.reshape(g.sub(g.add(begin, inside), low), {places});
    Value moved = g.reshape(g.sliceDim(moves, 2, g.index(i), g.index(1)),
                            {batches, places});
    GridDim dim{g, g.convert(g.fromSize(sizes[i + 2], g.i64()), real),
                Outside::Zeros, /*alignCorners=*/true};
    corners = crossTaps(g, corners, dim.taps(g.add(moved, at), "linear"),
                        sizes[i + 2]);
  }
  Size perPart = g.index(channels / parts), pixels = g.mul(sizes[2], sizes[3]);
  Value table =
      g.reshape(g.swapDims(g.reshape(x, {batches, perPart, pixels}), 1, 2),
                {batches, pixels, perPart});
  Value samples = sampleRows(g, table, corners); // [batches, places, perPart]
  if (mask)
    samples = g.mul(samples, g.reshape(mask, {batches, places, g.index(1)}));
  Value columns =
      g.transpose(g.reshape(samples, {images, g.index(parts), g.index(taps),
                                      plane, perPart}),
                  {0, 3, 1, 4, 2});
  Size perGroup = g.index(shapeW[1]);
  columns = g.reshape(columns,
                      {images, plane, g.index(group), perGroup, g.index(taps)});
  Value weights = g.reshape(
      w, {g.index(group), g.index(filters / group), perGroup, g.index(taps)});
  Value product = g.dotGeneral(columns, weights, {2}, {0}, {3, 4}, {2, 3});
  Value result = g.reshape(g.transpose(product, {1, 0, 3, 2}),
                           {images, g.index(filters), out[0], out[1]});
  if (bias)
    result = g.add(result, g.unsqueeze(bias, {1, 2}));
  c.set(0, result);
  return success();
}

} // namespace

void registerColumnOps(OpRegistry &r) {
  r.add("Col2Im", 18, 3, 1, col2im);
  r.add("DeformConv", 19, Arity(3, 5), 1, deformConv);
}

} // namespace tenon::onnx
