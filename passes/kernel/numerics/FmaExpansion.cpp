// The product of two f32 is exact in f64. The sum with a third f32 is rounded
// twice, to f64 and to f32. Both roundings together equal one if the first
// rounds to odd: an inexact sum takes the neighbour whose last bit is one, so
// it never looks like an f32 or like the middle between two f32. Source: Boldo
// and Melquiond, "Emulation of FMA and correctly rounded sums: proved
// algorithms using rounding to odd", 2008. No f64 here is denormal or
// overflows.
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
  // The exact rounding error of the sum (Knuth's two-sum); NaN for an infinite
  // sum.
  Lanes part = sum - x;
  Lanes lost = (x - (sum - part)) + (y - part);
  Lanes zero = sum.number(0);
  // A sum that was rounded away from zero steps back by one unit. Then the last
  // bit of an inexact sum is set.
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
