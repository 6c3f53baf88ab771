// Signals: Fourier transforms, window functions, mel filters.
#include "compiler/import/graph/Fourier.h"
#include "compiler/import/onnx/graph/NodeContext.h"

#include <cmath>

using namespace mlir;

namespace tenon::onnx {
namespace {

/// Splits the last dimension, of extent one or two, into real and imaginary
/// parts.
FailureOr<ComplexPair> split(NodeContext &c, Value x) {
  GraphBuilder &g = c.g;
  int64_t last = g.rankOf(x) - 1, parts = g.shapeOf(x)[last];
  if (parts != 1 && parts != 2)
    return c.error("expected a last extent of 1 (real) or 2 (complex), got " +
                   textOf(x));
  auto part = [&](int64_t i) {
    return g.squeeze(g.sliceDim(x, last, g.index(i), g.index(1)), {last});
  };
  return ComplexPair{part(0), parts == 2 ? part(1) : Value()};
}

Value join(GraphBuilder &g, const ComplexPair &z) {
  int64_t rank = g.rankOf(z.real);
  return g.concat(
      {g.unsqueeze(z.real, {rank}), g.unsqueeze(z.imaginary, {rank})}, rank);
}

/// Operand `i`, one element, as a size that is at least `least`.
FailureOr<Size> sizeOperand(NodeContext &c, size_t i, StringRef what,
                            int64_t least) {
  FailureOr<Size> given = c.sizeInput(i);
  if (failed(given))
    return failure();
  std::optional<int64_t> known = c.g.staticSize(*given);
  if (known && (*known < least || *known >= int64_t(1) << 40))
    return c.error("expected " + what + " of at least " + Twine(least) +
                   " and below 2^40, got " + Twine(*known));
  return c.g.max(*given, c.g.index(least));
}

LogicalResult dft(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value x = c.input(0);
  bool inverse = c.intAttr("inverse", 0) != 0;
  bool oneSided = c.intAttr("onesided", 0) != 0;
  int64_t given = c.opset < 20 ? c.intAttr("axis", 1) : -2;
  if (failed(c.expectFloat(0)) || failed(c.expectMinRank(0, 2)))
    return failure();
  if (c.opset >= 20 && c.hasInput(2)) {
    auto axes = c.constantInput(2, "an axis");
    if (failed(axes))
      return failure();
    if (axes->size() != 1)
      return c.error("expected one axis, got " + textOf(c.input(2)));
    given = axes->front();
  }
  int64_t rank = g.rankOf(x);
  FailureOr<int64_t> axis = c.axis(given, rank);
  FailureOr<ComplexPair> parts = split(c, x);
  if (failed(axis) || failed(parts))
    return failure();
  if (*axis == rank - 1)
    return c.error("expected an axis before the last dimension, which holds "
                   "the parts of complex numbers, got " +
                   Twine(given));
  bool isRealInverse = oneSided && inverse;
  if (isRealInverse && !parts->imaginary)
    return c.error("expected complex numbers for the inverse of a one-sided "
                   "transform, got " +
                   textOf(x));
  Size length = g.size(x, *axis);
  if (isRealInverse) // the default length is even
    length = g.max(g.mul(g.sub(length, g.index(1)), g.index(2)), g.index(0));
  if (c.hasInput(1)) {
    FailureOr<Size> wanted = sizeOperand(c, 1, "dft_length", 1);
    if (failed(wanted))
      return failure();
    length = *wanted;
  }
  if (isRealInverse) {
    Value signal = inverseOfRealTransform(g, *parts, *axis, length);
    c.set(0, g.unsqueeze(signal, {rank - 1}));
    return success();
  }
  c.set(0,
        join(g, fourierTransform(g, *parts, *axis, length, inverse, oneSided)));
  return success();
}

LogicalResult stft(NodeContext &c) {
  GraphBuilder &g = c.g;
  Value signal = c.input(0), window = c.input(2);
  bool oneSided = c.intAttr("onesided", 1) != 0;
  if (failed(c.expectFloat(0)) || failed(c.expectRank(0, 3)))
    return failure();
  FailureOr<Size> step = sizeOperand(c, 1, "frame_step", 1);
  if (failed(step))
    return failure();
  Size length;
  if (window) {
    if (failed(c.expectRank(2, 1)) || failed(c.expectSameElements({0, 2})))
      return failure();
    length = g.size(window, 0);
  }
  if (c.hasInput(3)) {
    FailureOr<Size> given = sizeOperand(c, 3, "frame_length", 1);
    if (failed(given))
      return failure();
    auto a = g.staticSize(*given), b = window ? g.staticSize(length) : a;
    if (a && b && *a != *b)
      return c.error("expected frame_length to be the window's, got " +
                     Twine(*a) + " and " + Twine(*b));
    if (window)
      c.check(*given, length, length, "frame_length must be the window's");
    else
      length = *given;
  } else if (!window) {
    return c.error("expected a window or a frame_length");
  }
  Size behind = g.sub(g.size(signal, 1), length);
  if (g.staticSize(behind).value_or(0) < 0)
    return c.error("expected frames within the signal of " +
                   Twine(g.shapeOf(signal)[1]) + " samples");
  Size frames = g.max(g.add(g.floorDiv(behind, *step), g.index(1)), g.index(0));
  Value first =
      g.mul(g.iota(g.i64(), {frames, length}, 0), g.fromSize(*step, g.i64()));
  Value at = g.add(first, g.iota(g.i64(), {frames, length}, 1));
  Value framed = g.take(signal, at, 1); // [batch, frames, length, parts]
  if (window)
    framed = g.mul(framed, g.unsqueeze(window, {1}));
  FailureOr<ComplexPair> parts = split(c, framed);
  if (failed(parts))
    return failure();
  if (oneSided && parts->imaginary)
    return c.error("expected a real signal for onesided = 1, got " +
                   textOf(signal));
  c.set(0, join(g, fourierTransform(g, *parts, 2, length, false, oneSided)));
  return success();
}

/// The element type that the attribute `output_datatype` names.
FailureOr<mlir::Type> outputType(NodeContext &c) {
  mlir::Type type = c.elementAttr("output_datatype", c.g.f32());
  if (!type)
    return failure();
  if (type.isInteger(1))
    return c.error("expected a type of numbers for output_datatype, got bool");
  return type;
}

/// A window function as a sum of cosines terms[i] cos(i 2 pi n / N). N is the
/// size, or one less for symmetric windows.
LogicalResult window(NodeContext &c, ArrayRef<double> terms) {
  GraphBuilder &g = c.g;
  bool periodic = c.intAttr("periodic", 1) != 0;
  FailureOr<mlir::Type> type = outputType(c);
  FailureOr<Size> size = sizeOperand(c, 0, "window size", 0);
  if (failed(type) || failed(size))
    return failure();
  mlir::Type f64 = g.ops.getF64Type();
  Size period = periodic ? *size : g.sub(*size, g.index(1));
  Value n = g.mul(g.iota(f64, {*size}, 0), 2 * M_PI);
  Value angle = g.div(n, g.convert(g.fromSize(period, g.i64()), f64));
  Value sum = g.splat(f64, {*size}, terms[0]);
  for (size_t i = 1; i < terms.size(); ++i)
    sum =
        g.add(sum, g.mul(g.make<CosineOp>(g.mul(angle, double(i))), terms[i]));
  c.set(0, g.convert(sum, *type));
  return success();
}

LogicalResult hannWindow(NodeContext &c) { return window(c, {0.5, -0.5}); }

LogicalResult hammingWindow(NodeContext &c) {
  return window(c, {25.0 / 46, -21.0 / 46});
}

LogicalResult blackmanWindow(NodeContext &c) {
  return window(c, {0.42, -0.5, 0.08});
}

/// The weight matrix of triangular filters between points that are evenly
/// spaced in mel. Rows are the bins of a spectrum.
LogicalResult melWeightMatrix(NodeContext &c) {
  using enum CompareDirection;
  GraphBuilder &g = c.g;
  FailureOr<mlir::Type> type = outputType(c);
  FailureOr<Size> mels = sizeOperand(c, 0, "num_mel_bins", 0);
  FailureOr<Size> length = sizeOperand(c, 1, "dft_length", 0);
  FailureOr<Size> rate = sizeOperand(c, 2, "sample_rate", 1);
  if (failed(type) || failed(mels) || failed(length) || failed(rate) ||
      failed(c.expectFloat(3)) || failed(c.expectFloat(4)))
    return failure();
  mlir::Type f64 = g.ops.getF64Type();
  auto number = [&](Size size) {
    return g.convert(g.fromSize(size, g.i64()), f64);
  };
  auto mel = [&](Value edge) {
    Value hertz = g.convert(edge, f64);
    Value x = g.make<LogOp>(g.add(g.div(hertz, 700.0), 1.0));
    return g.mul(x, 2595 / std::log(10.0));
  };
  FailureOr<Value> lowest = c.scalarInput(3), highest = c.scalarInput(4);
  if (failed(lowest) || failed(highest))
    return failure();
  Value low = mel(*lowest), high = mel(*highest);
  Size points = g.add(*mels, g.index(2));
  Value step = g.div(g.sub(high, low), number(points));
  Value place = g.add(g.mul(g.iota(f64, {points}, 0), step), low);
  Value hertz = g.mul(
      g.sub(g.make<ExpOp>(g.mul(place, std::log(10.0) / 2595)), 1.0), 700.0);
  Value bin = g.make<FloorOp>(
      g.div(g.mul(hertz, number(g.add(*length, g.index(1)))), number(*rate)));
  auto edge = [&](int64_t i) { return g.sliceDim(bin, 0, g.index(i), *mels); };
  Value lower = edge(0), center = edge(1), upper = edge(2);
  Size rows = g.add(g.floorDiv(*length, g.index(2)), g.index(1));
  Value row = g.iota(f64, {rows, *mels}, 0);
  Value zero = g.splatLike(row, 0);
  auto between = [&](Value from, Value to, bool withEnd) {
    return g.binary<AndOp>(g.compare(GE, row, from),
                           g.compare(withEnd ? LE : LT, row, to));
  };
  Value width = g.sub(center, lower);
  Value flat = g.compare(EQ, width, 0.0);
  Value safe = g.select(flat, g.splatLike(width, 1), width);
  Value rise = g.select(between(lower, center, true),
                        g.div(g.sub(row, lower), safe), zero);
  Value peak =
      g.convert(g.compare(EQ, row, g.broadcastTo(center, {rows, *mels})), f64);
  Value result = g.select(flat, peak, rise);
  // If the upper side is empty, no row is within it.
  Value fall = g.div(g.sub(upper, row), g.sub(upper, center));
  result = g.select(between(center, upper, false), fall, result);
  c.set(0, g.convert(result, *type));
  return success();
}

} // namespace

void registerSignalOps(OpRegistry &r) {
  r.add("DFT", 17, Arity(1, 2), 1, dft);
  r.add("DFT", 20, Arity(1, 3), 1, dft);
  r.add("STFT", 17, Arity(2, 4), 1, stft);
  r.add("HannWindow", 17, 1, 1, hannWindow);
  r.add("HammingWindow", 17, 1, 1, hammingWindow);
  r.add("BlackmanWindow", 17, 1, 1, blackmanWindow);
  r.add("MelWeightMatrix", 17, 5, 1, melWeightMatrix);
}

} // namespace tenon::onnx
