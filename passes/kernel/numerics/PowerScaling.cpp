// 2^k is split into two factors. The first product is exact; the second one
// rounds a denormal result and turns an overflow into infinity. vscalefps does
// the same in one instruction for six.
#include "passes/kernel/numerics/PowerScaling.h"

#include "passes/kernel/numerics/MaskedIntrinsic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tenon {

Lanes nativePower(const Lanes &biased) {
  Type f32 = Float32Type::get(biased.type().getContext());
  return (biased << 23).bitcast(f32);
}

Lanes scaleByPower(const Lanes &x, const Lanes &shifted) {
  Type i32 = IntegerType::get(x.type().getContext(), 32);
  Lanes biased = shifted.bitcast(i32);
  Lanes half = biased >> 1;
  Lanes rest = biased - half;
  return x * nativePower(half) * nativePower(rest);
}

namespace {

struct UseScaleInstruction : OpRewritePattern<arith::MulFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::MulFOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || type.getRank() != 1 || type.getNumElements() != 16 ||
        !type.getElementType().isF32())
      return rewriter.notifyMatchFailure(op, "no whole vector of f32");
    Value x, shifted, half, sameHalf, sameShifted;
    auto nativePower = [](auto exponent, APInt &amount) {
      return m_Op<arith::BitcastOp>(
          m_Op<arith::ShLIOp>(exponent, m_ConstantInt(&amount)));
    };
    APInt first, second, one;
    if (!matchPattern(
            op.getOperation(),
            m_Op<arith::MulFOp>(
                m_Op<arith::MulFOp>(matchers::m_Any(&x),
                                    nativePower(matchers::m_Any(&half), first)),
                nativePower(m_Op<arith::SubIOp>(m_Op<arith::BitcastOp>(
                                                    matchers::m_Any(&shifted)),
                                                matchers::m_Any(&sameHalf)),
                            second))) ||
        half != sameHalf ||
        !matchPattern(half,
                      m_Op<arith::ShRUIOp>(
                          m_Op<arith::BitcastOp>(matchers::m_Any(&sameShifted)),
                          m_ConstantInt(&one))) ||
        shifted != sameShifted || first != 23 || second != 23 || one != 1)
      return rewriter.notifyMatchFailure(op, "not what scaleByPower emits");
    Lanes sum(rewriter, op.getLoc(), shifted);
    rewriter.replaceOp(
        op, emitMaskedIntrinsic(
                rewriter, op.getLoc(), "llvm.x86.avx512.mask.scalef.ps.512",
                {x, (sum - sum.number(wholeNumber + scalingBias)).get()}));
    return success();
  }
};

} // namespace

void populateScaleByPowerPatterns(RewritePatternSet &patterns) {
  patterns.add<UseScaleInstruction>(patterns.getContext());
}

} // namespace tenon
