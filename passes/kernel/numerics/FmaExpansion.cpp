// A product of two f32 is exact in f64, and the sum with a third is rounded
// twice, to f64 and to f32. Twice is once where the first rounding is to odd:
// an inexact sum becomes the one of its two neighbours whose last bit is set,
// so that none seems to lie on or halfway between f32 numbers (Boldo and
// Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms
// using rounding to odd", 2008). No f64 here is a denormal or overflows.
#include "passes/kernel/numerics/FmaExpansion.h"

#include "passes/kernel/numerics/Lanes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tenon {
namespace {

/// The exact sum of two f64, rounded to odd.
Lanes addToOdd(const Lanes &x, const Lanes &y, Type i64) {
  Lanes sum = x + y;
  // What the sum has lost, exactly (Knuth's two-sum); NaN where it is infinite.
  Lanes part = sum - x;
  Lanes lost = (x - (sum - part)) + (y - part);
  Lanes zero = sum.number(0);
  // A sum rounded away from zero steps back, and an inexact one is made odd:
  // the step changes nothing where it was odd before.
  Lanes bits = sum.bitcast(i64), none = bits.bits(0);
  Lanes back = (lost * sum < zero).select(bits.bits(~uint64_t(0)), none);
  Lanes last = (lost.abs() > zero).select(bits.bits(1), none);
  return ((bits + back) | last).bitcast(sum.element());
}

struct ExpandFma : OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::FmaOp op,
                                PatternRewriter &rewriter) const override {
    Type f32 = rewriter.getF32Type(), f64 = rewriter.getF64Type();
    if (getElementTypeOrSelf(op.getType()) != f32)
      return rewriter.notifyMatchFailure(op, "not of f32");
    auto wide = [&](Value value) {
      return Lanes(rewriter, op.getLoc(), value).widenFloat(f64);
    };
    Lanes product = wide(op.getA()) * wide(op.getB());
    rewriter.replaceOp(op,
                       addToOdd(product, wide(op.getC()), rewriter.getI64Type())
                           .narrowFloat(f32)
                           .get());
    return success();
  }
};

} // namespace

void populateExpandFmaPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandFma>(patterns.getContext());
}

} // namespace tenon
