// A magnitude below 2^23 (f32) or 2^52 (f64) loses its fraction when that
// number is added: the sum is rounded to nearest even, and subtracting the
// number again is exact. Greater magnitudes are whole. The other directions
// correct the result by one.
#include "passes/kernel/numerics/RoundExpansion.h"

#include "passes/kernel/numerics/Lanes.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tenon {
namespace {

/// The least magnitude whose floats are all whole numbers.
Lanes wholeFrom(const Lanes &x) {
  return x.number(x.element().isF64() ? 0x1p52 : 0x1p23);
}

/// `rounded` with the sign of x, or x where all numbers are whole.
Lanes orWhole(const Lanes &rounded, const Lanes &x) {
  return (x.abs() < wholeFrom(x)).select(rounded.copySign(x), x);
}

/// The whole number nearest to a magnitude below `wholeFrom`.
Lanes nearestTo(const Lanes &magnitude) {
  Lanes bound = wholeFrom(magnitude);
  return (magnitude + bound) - bound;
}

Lanes roundEven(const Lanes &x) { return orWhole(nearestTo(x.abs()), x); }

Lanes truncate(const Lanes &x) {
  Lanes magnitude = x.abs();
  Lanes nearest = nearestTo(magnitude);
  Lanes less = nearest - x.number(1);
  return orWhole((nearest > magnitude).select(less, nearest), x);
}

Lanes floorOf(const Lanes &x) {
  Lanes nearest = roundEven(x);
  return (nearest > x).select(nearest - x.number(1), nearest).copySign(x);
}

Lanes ceilOf(const Lanes &x) {
  Lanes nearest = roundEven(x);
  return (nearest < x).select(nearest + x.number(1), nearest).copySign(x);
}

template <typename Op, Lanes (*expand)(const Lanes &)>
struct ExpandRound : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Lanes x(rewriter, op.getLoc(), op.getOperand());
    if (!x.element().isF32() && !x.element().isF64())
      return rewriter.notifyMatchFailure(op, "not of f32 or f64");
    rewriter.replaceOp(op, expand(x).get());
    return success();
  }
};

} // namespace

void populateExpandRoundPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandRound<math::CeilOp, ceilOf>,
               ExpandRound<math::FloorOp, floorOf>,
               ExpandRound<math::RoundEvenOp, roundEven>,
               ExpandRound<math::TruncOp, truncate>>(patterns.getContext());
}

} // namespace tenon
