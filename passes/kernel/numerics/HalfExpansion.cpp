// Converts f16 with integer and f32 operations. No step uses a denormal f32,
// because a host may run with denormals flushed to zero.
#include "passes/kernel/numerics/HalfExpansion.h"

#include "passes/kernel/numerics/Lanes.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tenon {
namespace {

/// The difference of the exponent biases of f32 and f16, in f32's exponent
/// field.
constexpr uint64_t rebias = uint64_t(127 - 15) << 23;
constexpr uint64_t infinity = uint64_t(0xff) << 23;

Lanes widen(const Lanes &half, Type i32, Type f32) {
  Lanes bits =
      half.bitcast(IntegerType::get(i32.getContext(), 16)).zeroExtend(i32);
  Lanes sign = (bits & bits.bits(0x8000)) << 16;
  Lanes magnitude = bits & bits.bits(0x7fff);
  Lanes normal = (magnitude << 13) + bits.bits(rebias);
  Lanes denormal =
      (magnitude.signedToFloat(f32) * magnitude.number(f32, 0x1p-24))
          .bitcast(i32);
  // Infinity and NaN: f16's greatest exponent becomes f32's.
  Lanes special = (magnitude << 13) | bits.bits(infinity);
  Lanes result =
      (magnitude < bits.bits(0x0400))
          .select(denormal,
                  (magnitude < bits.bits(0x7c00)).select(normal, special));
  return (result | sign).bitcast(f32);
}

Lanes narrow(const Lanes &x, Type i32, Type f16) {
  Type f32 = x.element();
  Lanes bits = x.bitcast(i32);
  Lanes sign = (bits >> 16) & bits.bits(0x8000);
  Lanes magnitude = bits & bits.bits(0x7fffffff);
  // Rounds to nearest even: adds one less than half a unit, and one more if the
  // last kept bit is odd. A carry raises the exponent; past the greatest
  // exponent the result is infinity.
  Lanes odd = (magnitude >> 13) & bits.bits(1);
  Lanes normal = (magnitude - bits.bits(rebias) + bits.bits(0xfff) + odd) >> 13;
  // Denormal results: the last bit of 0.5 in f32 has the weight of f16's
  // denormal unit, so that adding 0.5 rounds to that unit.
  Lanes half = x.number(f32, 0.5);
  Lanes denormal =
      (magnitude.bitcast(f32) + half).bitcast(i32) - half.bitcast(i32);
  Lanes large = (magnitude > bits.bits(infinity))
                    .select(bits.bits(0x7e00), bits.bits(0x7c00));
  Lanes result =
      (magnitude < bits.bits(uint64_t(113) << 23))
          .select(denormal, (magnitude < bits.bits(uint64_t(143) << 23))
                                .select(normal, large));
  return (result | sign)
      .truncate(IntegerType::get(i32.getContext(), 16))
      .bitcast(f16);
}

struct ExpandWidening : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getIn().getType()).isF16())
      return rewriter.notifyMatchFailure(op, "not from f16");
    Type f32 = rewriter.getF32Type(), to = getElementTypeOrSelf(op.getType());
    Lanes wide = widen(Lanes(rewriter, op.getLoc(), op.getIn()),
                       rewriter.getI32Type(), f32);
    rewriter.replaceOp(op, (to == f32 ? wide : wide.widenFloat(to)).get());
    return success();
  }
};

struct ExpandNarrowing : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Type to = getElementTypeOrSelf(op.getType());
    if (!to.isF16() || !getElementTypeOrSelf(op.getIn().getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not from f32 to f16");
    rewriter.replaceOp(op, narrow(Lanes(rewriter, op.getLoc(), op.getIn()),
                                  rewriter.getI32Type(), to)
                               .get());
    return success();
  }
};

/// Folding may have merged an integer conversion with an f16 conversion. These
/// go through f32, which is exact for every integer in f16's range.
template <typename Op> struct ExpandFromInteger : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF16())
      return rewriter.notifyMatchFailure(op, "not to f16");
    Type wide = likeShape(op.getType(), rewriter.getF32Type());
    Value number = Op::create(rewriter, op.getLoc(), wide, op.getIn());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), number);
    return success();
  }
};

template <typename Op> struct ExpandToInteger : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type from = op.getIn().getType();
    if (!getElementTypeOrSelf(from).isF16())
      return rewriter.notifyMatchFailure(op, "not from f16");
    Value wide = arith::ExtFOp::create(rewriter, op.getLoc(),
                                       likeShape(from, rewriter.getF32Type()),
                                       op.getIn());
    rewriter.replaceOpWithNewOp<Op>(op, op.getType(), wide);
    return success();
  }
};

} // namespace

void populateExpandHalfPatterns(RewritePatternSet &patterns) {
  patterns
      .add<ExpandWidening, ExpandNarrowing, ExpandFromInteger<arith::SIToFPOp>,
           ExpandFromInteger<arith::UIToFPOp>, ExpandToInteger<arith::FPToSIOp>,
           ExpandToInteger<arith::FPToUIOp>>(patterns.getContext());
}

} // namespace tenon
