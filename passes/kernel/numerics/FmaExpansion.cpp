// A fused multiply-add from other operations.
//
// f32: the product of two f32 is exact in f64. The sum with a third f32 is
// rounded twice, to f64 and to f32. Both roundings together equal one if the
// first rounds to odd: an inexact sum takes the neighbour whose last bit is
// one, so it never looks like an f32 or like the middle between two f32. No f64
// here is denormal or overflows.
//
// f64: the product of two mantissas is a sum of two f64, and the sum of three
// f64 is rounded once by rounding its smaller part to odd.
//
// Source: Boldo and Melquiond, "Emulation of FMA and correctly rounded sums:
// proved algorithms using rounding to odd", 2008.
#include "passes/kernel/numerics/FmaExpansion.h"

#include "passes/kernel/numerics/DoubleMath.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

#include <limits>

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

/// a * b without error, for numbers near 1 (Dekker and Veltkamp).
TwoPart multiplyParts(const Lanes &a, const Lanes &b) {
  auto parts = [](const Lanes &x) {
    Lanes spread = x * x.number(0x1p27 + 1);
    Lanes high = spread - (spread - x);
    return TwoPart{high, x - high};
  };
  TwoPart x = parts(a), y = parts(b);
  Lanes product = a * b;
  Lanes rest = x.high * y.high - product;
  rest = (rest + x.high * y.low) + x.low * y.high;
  return {product, rest + x.low * y.low};
}

/// a * b + c rounded once, for finite f64 that are not zero.
///
/// The mantissas are in [1, 2), so nothing overflows. Their exponents count
/// from `exponent`, which is the product's unless c is far greater. Where c and
/// the product are more than 130 apart, the smaller one is moved to that
/// distance, where it has the same influence on the rounding.
Lanes fmaOfNumbers(const Lanes &a, const Lanes &b, const Lanes &c) {
  Type bits = doubleBits(a);
  Split x = splitDouble(a.abs(), bitsOfOne),
        y = splitDouble(b.abs(), bitsOfOne),
        z = splitDouble(c.abs(), bitsOfOne);
  Lanes ofProduct = x.k + y.k, far = z.k - z.k.number(130);
  Lanes exponent = (far > ofProduct).select(far, ofProduct);
  TwoPart product = multiplyParts(x.m.copySign(a), y.m.copySign(b));
  auto power = [&](const Lanes &k) {
    return powerOfTwo((k + k.number(0x1.8p52 + 1023)).bitcast(bits));
  };
  Lanes addend = z.m.copySign(c) * power(limitBelow(z.k - exponent, -130));

  // The sum is high + low, where low is rounded to odd.
  TwoPart small = addExactly(addend, product.low);
  TwoPart sum = addExactly(product.high, small.high);
  Lanes zero = a.number(0);
  Lanes cancels = sum.high == zero;
  Lanes high = cancels.select(small.low, sum.high);
  Lanes low = cancels.select(zero, addToOdd(sum.low, small.low, bits));

  // A denormal result has fewer bits: adding the least normal number, in this
  // scale, rounds it to them.
  Lanes least = power(limit(a.number(-1022) - exponent, -1000, 1000));
  Lanes magnitude = high.abs();
  Lanes isDenormal =
      (magnitude < least) | ((magnitude == least) & (high * low < zero));
  Lanes base = isDenormal.select(least.copySign(high), zero);
  TwoPart raised = addExactly(base, high);
  Lanes rounded = (raised.high + addToOdd(raised.low, low, bits)) - base;

  // The exponent is between -2148 and 2046: four factors.
  Lanes biased =
      (exponent + exponent.number(0x1.8p52 + 4 * 1023)).bitcast(bits);
  Lanes quarter = biased >> 2;
  Lanes factor = powerOfTwo(quarter);
  Lanes last = powerOfTwo(biased - quarter - quarter - quarter);
  return (rounded * factor * factor * factor * last).copySign(high);
}

Lanes fmaOfDoubles(const Lanes &a, const Lanes &b, const Lanes &c) {
  Lanes infinity = a.number(std::numeric_limits<double>::infinity());
  Lanes zero = a.number(0), product = a * b;
  Lanes isNumber =
      (a.abs() < infinity) & (b.abs() < infinity) & (a != zero) & (b != zero);
  Lanes isPlain = isNumber & (c.abs() < infinity) & (c != zero);
  // A product of numbers may overflow, and its rounded value may be zero.
  Lanes special = isNumber.select((c == zero).select(product, c), product + c);
  return isPlain.select(fmaOfNumbers(a, b, c), special);
}

struct ExpandFma : OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::FmaOp op,
                                PatternRewriter &rewriter) const override {
    Type f32 = rewriter.getF32Type(), f64 = rewriter.getF64Type();
    Type element = getElementTypeOrSelf(op.getType());
    auto lanes = [&](Value value) {
      return Lanes(rewriter, op.getLoc(), value);
    };
    if (element == f64) {
      rewriter.replaceOp(
          op, fmaOfDoubles(lanes(op.getA()), lanes(op.getB()), lanes(op.getC()))
                  .get());
      return success();
    }
    if (element != f32)
      return rewriter.notifyMatchFailure(op, "not of f32 or f64");
    auto wide = [&](Value value) { return lanes(value).widenFloat(f64); };
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
