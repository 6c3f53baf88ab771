// vrange gives the other operand where one is NaN, so NaN is put in afterwards,
// by an addition under a mask.
#include "passes/kernel/numerics/RangeExpansion.h"

#include "passes/kernel/numerics/MaskedIntrinsic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tenon {
namespace {

/// The immediate of vrange: the comparison, and the sign of its result.
enum Selection : int32_t { least = 0b0100, greatest = 0b0101 };

template <typename Op, Selection selection>
struct ExpandRange : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || type.getRank() != 1 ||
        type.getNumElements() * type.getElementTypeBitWidth() != 512 ||
        !(type.getElementType().isF32() || type.getElementType().isF64()))
      return rewriter.notifyMatchFailure(op, "no whole vector of f32 or f64");
    Location loc = op.getLoc();
    Value a = op.getLhs(), b = op.getRhs();
    Value selected = LLVM::ConstantOp::create(
        rewriter, loc, rewriter.getI32IntegerAttr(selection));
    Value ranged = emitMaskedIntrinsic(
        rewriter, loc,
        type.getElementType().isF32() ? "llvm.x86.avx512.mask.range.ps.512"
                                      : "llvm.x86.avx512.mask.range.pd.512",
        {a, b, selected});
    Value unordered =
        arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::UNO, a, b);
    Value sum = arith::AddFOp::create(rewriter, loc, a, b);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, unordered, sum, ranged);
    return success();
  }
};

} // namespace

void populateExpandRangePatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandRange<arith::MaximumFOp, greatest>,
               ExpandRange<arith::MinimumFOp, least>>(patterns.getContext());
}

} // namespace tenon
