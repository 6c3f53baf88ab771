// Resize and Upsample, one dimension after the other. Each output is a weighted
// sum of a few taps. Coordinates are folded at import if extents and scales are
// static, else computed by ops; AxisMath has one formula for both.
#include "compiler/import/onnx/graph/NodeContext.h"
#include "compiler/import/onnx/ops/AxisMath.h"

#include <cmath>

using namespace mlir;

namespace tenon::onnx {
namespace {

/// The attributes of the op.
struct ResizeRule {
  std::string mode = "nearest";
  std::string coordinates = "asymmetric";
  std::string nearest = "floor";
  double cubic = -0.75;
  double outsideValue = 0;
  bool excludeOutside = false;
  bool antialias = false;
};

/// The resizing of one dimension.
struct DimResize {
  Size from, to;
  AxisNumbers scale;
  AxisNumbers roiStart, roiEnd;
};

/// An input element and its weight, for each output element.
struct Tap {
  AxisNumbers index, weight;
};

} // namespace

/// The position of each output element in the input's coordinates.
static AxisNumbers coordinate(AxisMath &m, const ResizeRule &rule,
                              const DimResize &s) {
  AxisNumbers x = m.positions(s.to), in = m.size(s.from), half = m.number(0.5),
              one = m.number(1), zero = m.number(0);
  AxisNumbers centered = m.sub(m.div(m.add(x, half), s.scale), half);
  AxisNumbers out = m.mul(in, s.scale); // extent before rounding
  if (rule.coordinates == "asymmetric")
    return m.div(x, s.scale);
  if (rule.coordinates == "tf_half_pixel_for_nn")
    return m.div(m.add(x, half), s.scale);
  if (rule.coordinates == "pytorch_half_pixel")
    return m.choose(m.less(m.size(s.to), one, true), zero, centered);
  if (rule.coordinates == "half_pixel_symmetric") {
    AxisNumbers adjustment = m.div(m.size(s.to), out);
    AxisNumbers offset = m.mul(m.mul(in, half), m.sub(one, adjustment));
    return m.add(offset, centered);
  }
  AxisNumbers last = m.sub(in, one);
  if (rule.coordinates == "align_corners") {
    // ONNX's conformance cases use the extent before it is rounded down.
    AxisNumbers steps = m.sub(out, one);
    AxisNumbers isOne = m.less(m.abs(steps), m.number(1e-9));
    AxisNumbers divisor = m.choose(isOne, one, steps);
    return m.choose(isOne, zero, m.div(m.mul(x, last), divisor));
  }
  if (rule.coordinates == "tf_crop_and_resize") {
    AxisNumbers steps = m.sub(m.size(s.to), one);
    AxisNumbers isOne = m.less(steps, half);
    AxisNumbers span = m.mul(m.sub(s.roiEnd, s.roiStart), last);
    AxisNumbers wide =
        m.add(m.mul(s.roiStart, last),
              m.div(m.mul(x, span), m.choose(isOne, one, steps)));
    AxisNumbers middle = m.mul(m.mul(half, m.add(s.roiStart, s.roiEnd)), last);
    return m.choose(isOne, middle, wide);
  }
  return centered; // half_pixel
}

/// Keys' cubic kernel with parameter a at `distance`.
static AxisNumbers cubicWeight(AxisMath &m, double a,
                               const AxisNumbers &distance) {
  AxisNumbers x = m.abs(distance), zero = m.number(0);
  auto poly = [&](double c3, double c2, double c1, double c0) {
    AxisNumbers sum = m.add(m.mul(m.number(c3), x), m.number(c2));
    sum = m.add(m.mul(sum, x), m.number(c1));
    return m.add(m.mul(sum, x), m.number(c0));
  };
  AxisNumbers near = poly(a + 2, -(a + 3), 0, 1),
              far = poly(a, -5 * a, 8 * a, -4 * a);
  return m.choose(m.less(x, m.number(1), true), near,
                  m.choose(m.less(x, m.number(2)), far, zero));
}

/// The index and weight of every input element that an output element depends
/// on.
static FailureOr<SmallVector<Tap>> tapsOf(NodeContext &ctx, AxisMath &m,
                                          const ResizeRule &rule,
                                          const DimResize &s,
                                          const AxisNumbers &x) {
  AxisNumbers base = m.floor(x), ratio = m.sub(x, base), one = m.number(1),
              zero = m.number(0), half = m.number(0.5),
              last = m.sub(m.size(s.from), one);
  SmallVector<Tap> taps;
  auto within = [&](const AxisNumbers &index) {
    return m.max(m.min(index, last), zero);
  };
  if (rule.mode == "nearest") {
    AxisNumbers up = zero;
    if (rule.nearest == "ceil")
      up = m.less(zero, ratio);
    else if (rule.nearest == "round_prefer_ceil")
      up = m.less(half, ratio, true);
    else if (rule.nearest == "round_prefer_floor")
      up = m.less(half, ratio);
    taps.push_back({within(m.add(base, up)), one});
    return taps;
  }
  bool isCubic = rule.mode == "cubic";
  double shrink = 1;
  if (rule.antialias) {
    if (!s.scale.known)
      return ctx.unsupported("antialias with scales known only at run time");
    shrink = std::min((*s.scale.known)[0], 1.0);
  }
  double reach = (isCubic ? 2 : 1) / shrink;
  if (reach > 4096)
    return ctx.unsupported("antialias with scales this small");
  int64_t first = int64_t(std::floor(-reach)) + 1;
  SmallVector<AxisNumbers> weights;
  AxisNumbers sum = zero;
  for (int64_t i = first; i <= 1 - first; ++i) {
    AxisNumbers at = m.add(base, m.number(double(i)));
    AxisNumbers distance =
        m.mul(m.sub(m.number(double(i)), ratio), m.number(shrink));
    AxisNumbers weight = isCubic ? cubicWeight(m, rule.cubic, distance)
                                 : m.max(m.sub(one, m.abs(distance)), zero);
    if (rule.excludeOutside) {
      AxisNumbers inside =
          m.mul(m.less(zero, at, true), m.less(at, last, true));
      weight = m.mul(weight, inside);
    }
    sum = m.add(sum, weight);
    taps.push_back({within(at), weight});
  }
  if (rule.excludeOutside || rule.antialias)
    for (Tap &tap : taps)
      tap.weight = m.div(tap.weight, sum);
  return taps;
}

/// Resizes one dimension of `value`.
static FailureOr<Value> resizeDim(NodeContext &ctx, const ResizeRule &rule,
                                  Value value, int64_t dim,
                                  const DimResize &s) {
  GraphBuilder &g = ctx.g;
  // If the last bit of a coordinate decides which element is nearest, use the
  // precision of f32, the type of the scales.
  AxisMath m(g, rule.mode == "nearest" ? mlir::Type(g.f32())
                                       : mlir::Type(g.ops.getF64Type()));
  AxisNumbers x = coordinate(m, rule, s);
  FailureOr<SmallVector<Tap>> taps = tapsOf(ctx, m, rule, s, x);
  if (failed(taps))
    return failure();
  mlir::Type element = GraphBuilder::elementOf(value);
  Value result;
  Sizes shape = g.sizes(value);
  shape[dim] = s.to;
  for (const Tap &tap : *taps) {
    Value part = g.take(value, m.vector(tap.index, s.to, g.i64()), dim);
    if (taps->size() > 1)
      part = g.mul(part, g.broadcastInDim(m.vector(tap.weight, s.to, element),
                                          {dim}, shape));
    result = result ? g.add(result, part) : part;
  }
  if (rule.coordinates == "tf_crop_and_resize") {
    AxisNumbers last = m.sub(m.size(s.from), m.number(1));
    AxisNumbers outside = m.max(m.less(x, m.number(0)), m.less(last, x));
    Value flag =
        g.compare(CompareDirection::NE, m.vector(outside, s.to, g.f32()), 0.0);
    result = g.select(g.broadcastInDim(flag, {dim}, shape),
                      g.splat(element, shape, rule.outsideValue), result);
  }
  return result;
}

/// floor(extent * scale) with the product rounded to f32. It uses only
/// integers, so the result for a dynamic extent is size arithmetic. `scale` is
/// no integer.
static Size scaledExtent(GraphBuilder &g, Size extent, float scale) {
  int exponent;
  auto mantissa = int64_t(std::ldexp(std::frexp(scale, &exponent), 24));
  int shift = 24 - exponent;
  for (; mantissa % 2 == 0; mantissa /= 2)
    --shift;
  if (shift > 62)
    return g.index(0);
  // The scale is mantissa / 2^shift.
  Size product = g.mul(extent, g.index(mantissa));
  Size unit = g.index(int64_t(1) << shift);
  Size below = g.floorDiv(product, unit);
  constexpr int exactBits = 8;
  if (shift <= exactBits) // exact in f32 for all sensible extents
    return below;
  // A product rounds to the next integer if its distance to it is at most half
  // of f32's spacing below that integer.
  Size next = g.ceilDiv(product, unit);
  Size gap = g.sub(g.mul(next, unit), product);
  Size power = g.index(1); // the least power of two that is not below `next`
  for (int bit = 0; bit < 24; ++bit)
    power = g.select(
        g.cmp(arith::CmpIPredicate::sgt, next, g.index(int64_t(1) << bit)),
        g.index(int64_t(2) << bit), power);
  // gap / unit <= power / 2^25, computed by integers that do not overflow.
  int spacing = shift - 25;
  Size left = g.mul(gap, g.index(int64_t(1) << std::max(-spacing, 0)));
  Size right = g.mul(power, g.index(int64_t(1) << std::max(spacing, 0)));
  Size isNear = g.cmp(arith::CmpIPredicate::sle, left, right);
  return g.select(isNear, next, below);
}

/// The output extent for a scale: floor(extent * scale) with the product
/// rounded to f32. An exporter that writes a scale of 0.7 for ten elements
/// expects seven.
static Size scaledSize(NodeContext &ctx, Size extent,
                       const AxisNumbers &scale) {
  GraphBuilder &g = ctx.g;
  if (scale.known && (*scale.known)[0] == std::floor((*scale.known)[0]))
    return g.mul(extent, g.index(int64_t((*scale.known)[0])));
  if (scale.known && !GraphBuilder::staticSize(extent))
    return scaledExtent(g, extent, float((*scale.known)[0]));
  AxisMath m(g, g.f32());
  AxisNumbers product = m.floor(m.mul(m.size(extent), scale));
  if (product.known)
    return g.index(int64_t((*product.known)[0]));
  Value whole = g.convert(m.tensor(product), g.i64());
  return g.max(ctx.shapes.elements(whole)->front(), g.index(0));
}

static LogicalResult resizeBy(NodeContext &ctx, const ResizeRule &rule,
                              ArrayRef<DimResize> resizes) {
  GraphBuilder &g = ctx.g;
  Value value = ctx.input(0);
  mlir::Type element = GraphBuilder::elementOf(value);
  bool isFloat = isa<FloatType>(element) || rule.mode == "nearest";
  if (!isFloat)
    value = g.convert(value, g.f32());
  for (auto [dim, stretch] : llvm::enumerate(resizes)) {
    bool keeps = GraphBuilder::same(stretch.from, stretch.to) &&
                 stretch.scale.known && (*stretch.scale.known)[0] == 1 &&
                 rule.coordinates != "tf_crop_and_resize";
    if (keeps)
      continue;
    FailureOr<Value> next = resizeDim(ctx, rule, value, dim, stretch);
    if (failed(next))
      return failure();
    value = *next;
  }
  ctx.set(0, g.convert(value, element));
  return success();
}

/// The scales of the listed axes, which must be positive and finite.
static FailureOr<SmallVector<AxisNumbers>>
scalesOf(NodeContext &ctx, Value tensor, size_t count) {
  GraphBuilder &g = ctx.g;
  auto type = GraphBuilder::typeOf(tensor);
  if (!isa<FloatType>(type.getElementType()) || type.getRank() != 1 ||
      type.getDimSize(0) != int64_t(count))
    return ctx.error("expected " + Twine(count) + " scales, got " +
                     textOf(tensor));
  SmallVector<AxisNumbers> result;
  AxisMath m(g);
  if (auto known = ctx.shapes.constantFloats(tensor)) {
    for (double scale : *known) {
      if (!(scale > 0 && scale < 1e6))
        return ctx.error("expected scales that are positive and below 1e6, "
                         "got " +
                         Twine(std::to_string(scale)));
      result.push_back(m.number(scale));
    }
    return result;
  }
  Value wide = g.convert(tensor, g.ops.getF64Type());
  for (size_t i = 0; i < count; ++i)
    result.push_back(
        {std::nullopt, g.reshape(g.sliceDim(wide, 0, g.index(i), g.index(1)),
                                 ArrayRef<int64_t>())});
  return result;
}

static LogicalResult upsample(NodeContext &ctx) {
  GraphBuilder &g = ctx.g;
  ResizeRule rule;
  rule.mode = ctx.stringAttr("mode", "nearest");
  if (rule.mode != "nearest" && rule.mode != "linear" &&
      rule.mode != "bilinear")
    return ctx.error("expected mode nearest or linear, got " + rule.mode);
  Sizes sizes = g.sizes(ctx.input(0));
  AxisMath m(g);
  SmallVector<AxisNumbers> scales;
  if (ctx.opset < 9) {
    for (double scale : ctx.floatsAttr("scales")) {
      if (!(scale > 0 && scale < 1e6))
        return ctx.error("expected scales that are positive and below 1e6");
      scales.push_back(m.number(scale));
    }
    if (scales.size() != sizes.size())
      return ctx.error("expected " + Twine(sizes.size()) + " scales, got " +
                       Twine(scales.size()));
  } else {
    FailureOr<SmallVector<AxisNumbers>> given =
        scalesOf(ctx, ctx.input(1), sizes.size());
    if (failed(given))
      return failure();
    scales = *given;
  }
  SmallVector<DimResize> resizes;
  for (auto [size, scale] : llvm::zip(sizes, scales))
    resizes.push_back(
        {size, scaledSize(ctx, size, scale), scale, m.number(0), m.number(1)});
  return resizeBy(ctx, rule, resizes);
}

/// Changes the target sizes so that the ratio of the extents is kept: all axes
/// take the greatest of their scales if `larger`, else the least.
static void keepRatio(GraphBuilder &g, SmallVectorImpl<DimResize> &resizes,
                      ArrayRef<int64_t> axes, bool larger) {
  AxisMath m(g);
  AxisNumbers scale = resizes[axes[0]].scale;
  for (int64_t axis : axes)
    scale = larger ? m.max(scale, resizes[axis].scale)
                   : m.min(scale, resizes[axis].scale);
  for (int64_t axis : axes) {
    DimResize &s = resizes[axis];
    s.scale = scale;
    AxisNumbers size =
        m.floor(m.add(m.mul(m.size(s.from), scale), m.number(0.5)));
    if (size.known)
      s.to = g.index(int64_t((*size.known)[0]));
  }
}

static LogicalResult resize(NodeContext &ctx) {
  GraphBuilder &g = ctx.g;
  ResizeRule rule;
  rule.mode = ctx.stringAttr("mode", "nearest");
  bool hasRoi = ctx.opset >= 11;
  if (hasRoi) {
    rule.coordinates =
        ctx.stringAttr("coordinate_transformation_mode", "half_pixel");
    rule.nearest = ctx.stringAttr("nearest_mode", "round_prefer_floor");
    rule.cubic = ctx.floatAttr("cubic_coeff_a", -0.75);
    rule.excludeOutside = ctx.intAttr("exclude_outside", 0) != 0;
    rule.outsideValue = ctx.floatAttr("extrapolation_value", 0);
  }
  rule.antialias = ctx.intAttr("antialias", 0) != 0 && rule.mode != "nearest";
  std::string policy = ctx.stringAttr("keep_aspect_ratio_policy", "stretch");
  static const StringRef modes[] = {"nearest", "linear", "cubic"};
  static const StringRef nearestModes[] = {
      "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
  static const StringRef coordinateModes[] = {
      "half_pixel",        "half_pixel_symmetric", "pytorch_half_pixel",
      "align_corners",     "asymmetric",           "tf_half_pixel_for_nn",
      "tf_crop_and_resize"};
  for (auto [name, value, allowed] :
       {std::tuple<StringRef, StringRef, ArrayRef<StringRef>>("mode", rule.mode,
                                                              modes),
        {"nearest_mode", rule.nearest, nearestModes},
        {"coordinate_transformation_mode", rule.coordinates, coordinateModes}})
    if (!llvm::is_contained(allowed, value))
      return ctx.error("expected " + name + " to be one of " +
                       llvm::join(allowed, ", ") + ", got " + value);
  if (ctx.failed())
    return failure();
  Sizes sizes = g.sizes(ctx.input(0));
  int64_t rank = sizes.size();
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (ctx.hasAttr("axes")) {
    SmallVector<int64_t> given = ctx.intsAttr("axes");
    axes.clear();
    for (int64_t axis : given) {
      FailureOr<int64_t> dim = ctx.axis(axis, rank);
      if (failed(dim))
        return failure();
      if (llvm::is_contained(axes, *dim))
        return ctx.error("axis " + Twine(axis) + " is given twice");
      axes.push_back(*dim);
    }
  }
  AxisMath m(g);
  SmallVector<DimResize> resizes;
  for (Size size : sizes)
    resizes.push_back({size, size, m.number(1), m.number(0), m.number(1)});
  // An empty tensor counts as an absent operand.
  auto given = [&](size_t i) -> Value {
    Value value = ctx.input(i);
    bool isEmpty = value && llvm::is_contained(GraphBuilder::shapeOf(value), 0);
    return isEmpty ? Value() : value;
  };
  Value scales = given(hasRoi ? 2 : 1), wanted = hasRoi ? given(3) : Value();
  if (bool(scales) == bool(wanted))
    return ctx.error("expected either scales or sizes to be given");
  if (scales) {
    FailureOr<SmallVector<AxisNumbers>> list =
        scalesOf(ctx, scales, axes.size());
    if (failed(list))
      return failure();
    for (auto [axis, scale] : llvm::zip(axes, *list)) {
      resizes[axis].scale = scale;
      resizes[axis].to = scaledSize(ctx, sizes[axis], scale);
    }
  } else {
    FailureOr<Sizes> targets = ctx.extentsInput(3);
    if (failed(targets))
      return failure();
    if (targets->size() != axes.size())
      return ctx.error("expected " + Twine(axes.size()) + " sizes, got " +
                       Twine(targets->size()));
    for (auto [axis, target] : llvm::zip(axes, *targets)) {
      DimResize &s = resizes[axis];
      s.to = target;
      s.scale = GraphBuilder::same(s.from, s.to)
                    ? m.number(1)
                    : m.div(m.size(s.to), m.size(s.from));
    }
    if (policy == "not_larger" || policy == "not_smaller") {
      bool isKnown = GraphBuilder::staticSizes(*targets).has_value();
      for (int64_t axis : axes)
        isKnown &= GraphBuilder::staticSize(sizes[axis]).has_value();
      if (!isKnown)
        return ctx.unsupported("a kept aspect ratio with sizes known only in "
                               "the run");
      keepRatio(g, resizes, axes, policy == "not_smaller");
    } else if (policy != "stretch") {
      return ctx.error("expected keep_aspect_ratio_policy stretch, not_larger "
                       "or not_smaller, got " +
                       policy);
    }
  }
  for (auto [dim, s] : llvm::enumerate(resizes))
    if (GraphBuilder::same(s.from, g.index(0)) &&
        GraphBuilder::staticSize(s.to).value_or(0) > 0)
      return ctx.error("expected an extent to resize at axis " + Twine(dim) +
                       ", got 0");
  if (rule.coordinates == "tf_crop_and_resize") {
    Value roi = given(1);
    if (!roi || GraphBuilder::shapeOf(roi).size() != 1 ||
        GraphBuilder::shapeOf(roi)[0] != int64_t(2 * axes.size()))
      return ctx.error("expected a region with a start and an end per axis");
    auto known = ctx.shapes.constantFloats(roi);
    auto bound = [&](size_t i) -> AxisNumbers {
      if (known)
        return m.number((*known)[i]);
      Value wide = g.convert(roi, g.ops.getF64Type());
      return {std::nullopt,
              g.reshape(g.sliceDim(wide, 0, g.index(i), g.index(1)),
                        ArrayRef<int64_t>())};
    };
    for (auto [i, axis] : llvm::enumerate(axes)) {
      resizes[axis].roiStart = bound(i);
      resizes[axis].roiEnd = bound(axes.size() + i);
    }
  }
  return resizeBy(ctx, rule, resizes);
}

void registerResizeOps(OpRegistry &registry) {
  registry.add("Resize", 10, 2, 1, resize);
  registry.add("Resize", 11, Arity(1, 4), 1, resize);
  registry.add("Upsample", 7, 1, 1, upsample);
  registry.add("Upsample", 9, 2, 1, upsample);
}

} // namespace tenon::onnx
