// Slices, splits and padding, with bounds that are constants, sizes or values
// known only at run time.
#include "compiler/import/graph/Box.h"
#include "compiler/import/onnx/graph/NodeContext.h"

using namespace mlir;
using Predicate = arith::CmpIPredicate;

namespace tenon::onnx {

static LogicalResult slice(NodeContext &ctx) {
  GraphBuilder &g = ctx.g;
  Value input = ctx.input(0);
  int64_t rank = GraphBuilder::rankOf(input);
  Sizes starts, ends, axes, steps;
  if (ctx.opset < 10) {
    if (!ctx.hasAttr("starts") || !ctx.hasAttr("ends"))
      return ctx.error("required attributes 'starts' and 'ends' are missing");
    starts = g.indices(ctx.intsAttr("starts"));
    ends = g.indices(ctx.intsAttr("ends"));
    axes = g.indices(ctx.intsAttr("axes"));
    if (!ctx.hasAttr("axes"))
      for (size_t i = 0; i < starts.size(); ++i)
        axes.push_back(g.index(i));
    steps.assign(starts.size(), g.index(1));
  } else {
    FailureOr<Sizes> from = ctx.sizesInput(1), to = ctx.sizesInput(2);
    if (failed(from) || failed(to))
      return failure();
    starts = *from;
    ends = *to;
    for (size_t i = 0; i < starts.size(); ++i)
      axes.push_back(g.index(i));
    steps.assign(starts.size(), g.index(1));
    for (auto [operand, list] : {std::pair(3, &axes), std::pair(4, &steps)}) {
      if (!ctx.hasInput(operand))
        continue;
      FailureOr<Sizes> given = ctx.sizesInput(operand);
      if (failed(given))
        return failure();
      *list = *given;
    }
  }
  for (Size step : steps) {
    if (GraphBuilder::staticSize(step) == 0)
      return ctx.error("expected steps other than 0, got 0");
    if (!GraphBuilder::staticSize(step))
      ctx.check(g.select(g.cmp(Predicate::eq, step, g.index(0)), g.index(0),
                         g.index(1)),
                g.index(1), g.index(1), "a step must not be zero");
  }
  FailureOr<Sizes> first = ctx.perDim(axes, starts, rank, 0),
                   end = ctx.perDim(axes, ends, rank, INT64_MAX),
                   step = ctx.perDim(axes, steps, rank, 1);
  if (failed(first) || failed(end) || failed(step))
    return failure();
  Sizes offsets, sizes, strides;
  for (int64_t i = 0; i < rank; ++i) {
    Box box = clampBox(g, (*first)[i], (*end)[i], (*step)[i], g.size(input, i));
    // With at most one element the direction has no effect, so use a normal
    // form.
    if (GraphBuilder::same(box.size, g.index(0)))
      box = {g.index(0), g.index(0), g.index(1)};
    offsets.push_back(box.offset);
    sizes.push_back(box.size);
    strides.push_back(box.step);
  }
  ctx.set(0, g.slice(input, offsets, sizes, strides));
  return success();
}

static LogicalResult split(NodeContext &ctx) {
  GraphBuilder &g = ctx.g;
  Value input = ctx.input(0);
  FailureOr<int64_t> axis =
      ctx.axis(ctx.intAttr("axis", 0), GraphBuilder::rankOf(input));
  if (failed(axis))
    return failure();
  Size extent = g.size(input, *axis);
  Sizes parts;
  int64_t count = ctx.numOutputs();
  if (ctx.opset >= 18 && ctx.hasAttr("num_outputs") &&
      ctx.intAttr("num_outputs") != count)
    return ctx.error("expected 'num_outputs' to be the number of results, " +
                     Twine(count) + ", got " +
                     Twine(ctx.intAttr("num_outputs")));
  if (ctx.opset < 13 && ctx.hasAttr("split")) {
    parts = g.indices(ctx.intsAttr("split"));
  } else if (ctx.hasInput(1)) {
    FailureOr<Sizes> given = ctx.sizesInput(1);
    if (failed(given))
      return failure();
    parts = *given;
  } else {
    std::optional<int64_t> whole = GraphBuilder::staticSize(extent);
    if (ctx.opset < 18 && whole && *whole % count)
      return ctx.error("expected an extent that is a multiple of " +
                       Twine(count) + " results, got " + Twine(*whole));
    // The last part is smaller if the extent is not a multiple of the part.
    Size part = g.ceilDiv(extent, g.index(count)), rest = extent;
    for (int64_t i = 0; i + 1 < count; ++i) {
      Size taken = g.min(part, rest);
      parts.push_back(taken);
      rest = g.sub(rest, taken);
    }
    parts.push_back(rest);
  }
  FailureOr<Sizes> sizes = ctx.extents(parts);
  if (failed(sizes))
    return failure();
  if (int64_t(sizes->size()) != count)
    return ctx.error("expected a size for each of " + Twine(count) +
                     " results, got " + Twine(sizes->size()));
  Size offset = g.index(0);
  for (Size size : *sizes)
    offset = g.add(offset, size);
  ctx.check(offset, extent, extent, "the parts must make up the extent");
  offset = g.index(0);
  SmallVector<Size> offsets;
  for (Size &size : *sizes) {
    // Sizes known only at run time may exceed the rest of the extent.
    if (ctx.hasInput(1) && !GraphBuilder::staticSize(size))
      size = g.min(size, g.max(g.sub(extent, offset), g.index(0)));
    offsets.push_back(offset);
    offset = g.add(offset, size);
  }
  std::optional<int64_t> sum = GraphBuilder::staticSize(offset),
                         whole = GraphBuilder::staticSize(extent);
  if (sum && whole && *sum != *whole)
    return ctx.error("expected sizes that sum to " + Twine(*whole) + ", got " +
                     Twine(*sum));
  for (int64_t i = 0; i < count; ++i)
    ctx.set(i, g.sliceDim(input, *axis, offsets[i], (*sizes)[i]));
  return success();
}

/// The source position of each element of a padded dimension.
static Value padSources(GraphBuilder &g, const std::string &mode, Size extent,
                        Size low, Size padded) {
  mlir::Type i64 = g.i64();
  Value position = g.sub(g.iota(i64, {padded}, 0), g.fromSize(low, i64));
  Value last = g.fromSize(g.max(g.sub(extent, g.index(1)), g.index(0)), i64);
  Value zero = g.scalarInt(i64, 0);
  if (mode == "edge")
    return g.minimum(g.maximum(position, zero), last);
  Size period = extent;
  if (mode == "reflect")
    period = g.mul(g.sub(extent, g.index(1)), g.index(2));
  Value cycle = g.fromSize(g.max(period, g.index(1)), i64);
  Value shifted = g.binary<RemainderOp>(position, cycle);
  shifted = g.select(g.compare(CompareDirection::LT, shifted, zero),
                     g.add(shifted, cycle), shifted);
  if (mode == "wrap")
    return shifted;
  return g.select(g.compare(CompareDirection::GT, shifted, last),
                  g.sub(cycle, shifted), shifted);
}

static LogicalResult pad(NodeContext &ctx) {
  GraphBuilder &g = ctx.g;
  Value input = ctx.input(0), value;
  mlir::Type element = GraphBuilder::elementOf(input);
  int64_t rank = GraphBuilder::rankOf(input);
  std::string mode = ctx.stringAttr("mode", "constant");
  Sizes pads, axes;
  for (int64_t i = 0; i < rank; ++i)
    axes.push_back(g.index(i));
  if (ctx.opset < 11) {
    StringRef name = ctx.opset < 2 ? "paddings" : "pads";
    pads = g.indices(ctx.intsAttr(name));
    value = g.scalar(element, ctx.floatAttr("value", 0));
  } else {
    FailureOr<Sizes> given = ctx.sizesInput(1);
    if (failed(given))
      return failure();
    pads = *given;
    if (ctx.hasInput(3)) {
      FailureOr<Sizes> which = ctx.sizesInput(3);
      if (failed(which))
        return failure();
      axes = *which;
    }
    value = g.scalar(element, 0);
    if (ctx.hasInput(2)) {
      value = ctx.input(2);
      if (failed(ctx.expectSameElements({0, 2})))
        return failure();
      auto type = GraphBuilder::typeOf(value);
      if (!type.hasStaticShape() || type.getNumElements() != 1)
        return ctx.error("expected one padding value, got " + textOf(value));
      value = g.reshape(value, ArrayRef<int64_t>());
    }
  }
  if (pads.size() != 2 * axes.size())
    return ctx.error("expected two pads for each of " + Twine(axes.size()) +
                     " axes, got " + Twine(pads.size()));
  ArrayRef<Size> all(pads);
  FailureOr<Sizes> low =
      ctx.perDim(axes, Sizes(all.take_front(axes.size())), rank, 0);
  FailureOr<Sizes> high =
      ctx.perDim(axes, Sizes(all.drop_front(axes.size())), rank, 0);
  if (failed(low) || failed(high))
    return failure();
  Sizes padded = g.sizes(input);
  for (int64_t i = 0; i < rank; ++i) {
    padded[i] = g.add(g.add(padded[i], (*low)[i]), (*high)[i]);
    std::optional<int64_t> extent = GraphBuilder::staticSize(padded[i]);
    int64_t given = GraphBuilder::shapeOf(input)[i];
    if (extent && (*extent < 0 || *extent - given > (int64_t(1) << 46)))
      return ctx.error("expected pads that leave a sensible extent at axis " +
                       Twine(i) + ", got " + Twine(*extent));
    if (given == 0 && extent && *extent > 0 && mode != "constant")
      return ctx.error("expected elements to repeat at axis " + Twine(i) +
                       ", got none");
  }
  if (mode == "constant") {
    ctx.set(0, g.pad(input, value, *low, *high));
    return success();
  }
  if (mode != "reflect" && mode != "edge" && mode != "wrap")
    return ctx.error("expected mode constant, reflect, edge or wrap, got " +
                     mode);
  Value result = input;
  for (int64_t i = 0; i < rank; ++i) {
    if (GraphBuilder::same((*low)[i], g.index(0)) &&
        GraphBuilder::same((*high)[i], g.index(0)))
      continue;
    Size size = g.max(padded[i], g.index(0));
    result = g.take(result,
                    padSources(g, mode, g.size(input, i), (*low)[i], size), i);
  }
  ctx.set(0, result);
  return success();
}

/// Crops extents that are too great to their center, and pads too small ones
/// with zeros on both sides. If the difference is odd, the end is cut or padded
/// by one more.
static LogicalResult centerCropPad(NodeContext &ctx) {
  GraphBuilder &g = ctx.g;
  Value input = ctx.input(0);
  int64_t rank = GraphBuilder::rankOf(input);
  FailureOr<Sizes> wanted = ctx.extentsInput(1);
  if (failed(wanted))
    return failure();
  Sizes axes;
  for (int64_t axis : ctx.intsAttr("axes"))
    axes.push_back(g.index(axis));
  if (!ctx.hasAttr("axes"))
    for (int64_t i = 0; i < rank; ++i)
      axes.push_back(g.index(i));
  FailureOr<Sizes> targets = ctx.perDim(axes, *wanted, rank, -1);
  if (failed(targets))
    return failure();
  Size zero = g.index(0), two = g.index(2);
  Sizes begins, kept, low, high;
  for (int64_t i = 0; i < rank; ++i) {
    Size from = g.size(input, i), to = (*targets)[i];
    if (GraphBuilder::same(to, g.index(-1)))
      to = from;
    begins.push_back(g.floorDiv(g.max(g.sub(from, to), zero), two));
    kept.push_back(g.min(from, to));
    Size missing = g.sub(to, kept.back());
    low.push_back(g.floorDiv(missing, two));
    high.push_back(g.sub(missing, low.back()));
  }
  Value cut = g.slice(input, begins, kept, Sizes(rank, g.index(1)));
  Value nothing = g.scalar(GraphBuilder::elementOf(input), 0);
  ctx.set(0, g.pad(cut, nothing, low, high));
  return success();
}

void registerSliceOps(OpRegistry &registry) {
  registry.add("CenterCropPad", 18, 2, 1, centerCropPad);
  registry.add("Pad", 1, 1, 1, pad);
  registry.add("Pad", 11, Arity(2, 4), 1, pad);
  registry.add("Slice", 1, 1, 1, slice);
  registry.add("Slice", 10, Arity(3, 5), 1, slice);
  registry.add("Split", 1, Arity(1, 2), Arity(1, kMany), split);
}

} // namespace tenon::onnx
