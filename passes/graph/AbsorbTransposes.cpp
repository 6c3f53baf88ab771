// Moves a transpose of a contraction's operand into the dimension numbers, so
// that the kernel reads the operand in its memory order.
#include "passes/graph/Passes.h"

#include "dialects/tenon/TenonDialect.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_ABSORBTRANSPOSES
#include "passes/graph/Passes.h.inc"

namespace {
SmallVector<int64_t> through(ArrayRef<int64_t> dims,
                             ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> mapped;
  for (int64_t dim : dims)
    mapped.push_back(permutation[dim]);
  return mapped;
}

struct AbsorbIntoDot : OpRewritePattern<DotGeneralOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotGeneralOp op,
                                PatternRewriter &rewriter) const override {
    bool changed = false;
    auto absorb = [&](Value &operand, SmallVector<int64_t> &batch,
                      SmallVector<int64_t> &contract, ArrayRef<int64_t> free) {
      auto transpose = operand.getDefiningOp<TransposeOp>();
      // The result's free dimensions follow the operand's order, so that order
      // must not change.
      if (!transpose ||
          !llvm::is_sorted(through(free, transpose.getPermutation())))
        return;
      operand = transpose.getOperand();
      batch = through(batch, transpose.getPermutation());
      contract = through(contract, transpose.getPermutation());
      changed = true;
    };
    Value lhs = op.getLhs(), rhs = op.getRhs();
    SmallVector<int64_t> lhsBatch(op.getLhsBatch()),
        lhsContract(op.getLhsContract());
    SmallVector<int64_t> rhsBatch(op.getRhsBatch()),
        rhsContract(op.getRhsContract());
    absorb(lhs, lhsBatch, lhsContract, op.getLhsFree());
    absorb(rhs, rhsBatch, rhsContract, op.getRhsFree());
    if (!changed)
      return rewriter.notifyMatchFailure(
          op, "no operand is a transpose that keeps the free order");
    rewriter.replaceOpWithNewOp<DotGeneralOp>(op, op.getType(), lhs, rhs,
                                              lhsBatch, rhsBatch, lhsContract,
                                              rhsContract);
    return success();
  }
};

struct AbsorbTransposes : impl::AbsorbTransposesBase<AbsorbTransposes> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<AbsorbIntoDot>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
} // namespace tenon
