// Computes the neighbours of positions, and samples with one gather for each
// corner.
#include "compiler/import/onnx/ops/Sampling.h"

using namespace mlir;

namespace tenon::onnx {

static Value both(GraphBuilder &g, Value a, Value b) {
  return !a ? b : !b ? a : g.binary<AndOp>(a, b);
}

static Value product(GraphBuilder &g, Value a, Value b) {
  return !a ? b : !b ? a : g.mul(a, b);
}

/// The greatest index, as a float of rank 0.
Value GridDim::last() const { return g.sub(extent, 1.0); }

Value GridDim::denormalize(Value x) const {
  Value shifted = g.add(x, 1.0);
  if (alignCorners)
    return g.mul(g.div(shifted, 2.0), last());
  return g.div(g.sub(g.mul(shifted, extent), 1.0), 2.0);
}

Value GridDim::limit(Value x) const {
  return g.minimum(g.maximum(x, 0.0), last());
}

/// Reflects x at the centers of the outer elements (with alignCorners) or at
/// their edges until it is inside.
Value GridDim::reflect(Value x) const {
  double first = alignCorners ? 0 : -0.5;
  Value range = alignCorners ? last() : extent;
  Value distance = g.make<AbsOp>(g.sub(x, first));
  Value turns = g.make<FloorOp>(g.div(distance, range));
  Value rest = g.sub(distance, g.mul(turns, range));
  Value half = g.mul(turns, 0.5);
  Value even = g.compare(CompareDirection::EQ, half, g.make<FloorOp>(half));
  Value folded = g.add(g.select(even, rest, g.sub(range, rest)), first);
  // With one element every position is reflected to it.
  return g.select(g.compare(CompareDirection::GT, range, 0.0), folded,
                  g.splatLike(x, 0));
}

Value GridDim::settle(Value x) const {
  if (outside == Outside::Border)
    return limit(x);
  return outside == Outside::Reflection ? reflect(x) : x;
}

Tap GridDim::tap(Value at, Value weight) const {
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

SmallVector<Tap> GridDim::taps(Value x, StringRef mode) const {
  x = settle(x);
  if (mode == "nearest")
    return {tap(g.make<RoundNearestEvenOp>(x), {})};
  Value base = g.make<FloorOp>(x), t = g.sub(x, base);
  Value rest = g.sub(g.splatLike(t, 1), t);
  if (mode == "linear")
    return {tap(base, rest), tap(g.add(base, 1.0), t)};
  // Keys' cubic kernel with a = -0.75.
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

SmallVector<Tap> crossTaps(GraphBuilder &g, ArrayRef<Tap> corners,
                           ArrayRef<Tap> taps, Size extent) {
  Value count = g.fromSize(extent, g.i64());
  SmallVector<Tap> all;
  for (const Tap &corner : corners)
    for (const Tap &tap : taps)
      all.push_back({corner.index ? g.add(g.mul(corner.index, count), tap.index)
                                  : tap.index,
                     product(g, corner.weight, tap.weight),
                     both(g, corner.inside, tap.inside)});
  return all;
}

/// The rows of `table`, [N, places, C], at `index`, [N, P].
static Value takeRows(GraphBuilder &g, Value table, Value index) {
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

Value sampleRows(GraphBuilder &g, Value table, ArrayRef<Tap> corners) {
  mlir::Type element = g.elementOf(table);
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
  return total;
}

} // namespace tenon::onnx
