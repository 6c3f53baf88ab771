// Folds batch normalization after a convolution into the convolution's kernel
// and one addition. The new kernel is built as ops on weights; folding weights
// evaluates them. Only constant factors are folded.
#include "passes/graph/Passes.h"

#include "dialects/tenon/Remarks.h"
#include "dialects/tenon/TenonDialect.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_FOLDBATCHNORM
#include "passes/graph/Passes.h.inc"

namespace {
bool isConstant(Value value) {
  return isa_and_nonnull<GetWeightOp, ConstantOp>(value.getDefiningOp());
}

/// True if only one op uses the elements of `value`; tensor.dim does not count.
bool isUsedOnce(Value value) {
  return llvm::count_if(value.getUsers(), [](Operation *user) {
           return !isa<tensor::DimOp>(user);
         }) == 1;
}

/// Broadcasts `vector` along dimension `dim` to the shape of `like`.
Value spread(OpBuilder &builder, Location loc, Value vector, Value like,
             int64_t dim) {
  auto type = cast<RankedTensorType>(like.getType());
  SmallVector<Value> dynamic;
  SmallVector<int64_t> fixed;
  dispatchIndexOpFoldResults(mixedSizes(builder, loc, like), dynamic, fixed);
  return BroadcastInDimOp::create(builder, loc, type, vector,
                                  ArrayRef<int64_t>(dim), dynamic, fixed);
}

/// A constant vector added to every channel, and the value it is added to.
struct Bias {
  Value vector, rest;

  static Bias of(Value value, int64_t dim) {
    if (auto add = value.getDefiningOp<AddOp>(); add && isUsedOnce(add))
      for (auto [side, other] : {std::pair(add.getLhs(), add.getRhs()),
                                 std::pair(add.getRhs(), add.getLhs())})
        if (auto broadcast = side.getDefiningOp<BroadcastInDimOp>();
            broadcast && isConstant(broadcast.getOperand()) &&
            broadcast.getDims() == ArrayRef<int64_t>(dim) &&
            broadcast.getOperand().getType().getDimSize(0) ==
                broadcast.getType().getDimSize(dim))
          return {broadcast.getOperand(), other};
    return {Value(), value};
  }
};

/// The reason why `op` cannot become part of a convolution's kernel; null if it
/// can.
const char *obstacleTo(BatchNormOp op) {
  int64_t dim = op.getDim();
  if (dim != op.getType().getRank() - 1)
    return "channels are not innermost";
  auto convolution =
      Bias::of(op.getOperand(), dim).rest.getDefiningOp<ConvolutionOp>();
  if (!convolution)
    return "its operand is no convolution";
  if (!isUsedOnce(convolution))
    return "other ops read the convolution";
  if (!isConstant(convolution.getRhs()))
    return "the convolution's kernel is not constant";
  if (cast<RankedTensorType>(convolution.getRhs().getType()).getElementType() !=
      op.getType().getElementType())
    return "the convolution's kernel has another element type";
  if (!llvm::all_of(ValueRange(op->getOperands()).drop_front(), isConstant))
    return "statistics are not constant";
  return nullptr;
}

struct FoldIntoConvolution : OpRewritePattern<BatchNormOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BatchNormOp op,
                                PatternRewriter &rewriter) const override {
    if (const char *obstacle = obstacleTo(op))
      return rewriter.notifyMatchFailure(op, obstacle);
    int64_t last = op.getType().getRank() - 1;
    Bias bias = Bias::of(op.getOperand(), last);
    auto convolution = bias.rest.getDefiningOp<ConvolutionOp>();
    Type element = op.getType().getElementType();
    if (auto remark =
            remarkDone(op, RemarkCategory::Weights, "folded-batch-norm"))
      remark << "batch normalization is part of the kernel of " +
                    spellNode(convolution);

    Location loc = op.getLoc();
    auto vectorType = cast<RankedTensorType>(op.getVariance().getType());
    auto epsilon =
        rewriter.getFloatAttr(element, op.getEpsilon().convertToDouble());
    Value epsilons = ConstantOp::create(
        rewriter, loc, DenseElementsAttr::get(vectorType, Attribute(epsilon)));
    Value deviation = SqrtOp::create(
        rewriter, loc,
        AddOp::create(rewriter, loc, op.getVariance(), epsilons).getResult());
    Value scale = DivideOp::create(rewriter, loc, op.getScale(), deviation);
    Value mean = op.getMean();
    if (bias.vector)
      mean = SubtractOp::create(rewriter, loc, mean, bias.vector);
    Value shift = SubtractOp::create(
        rewriter, loc, op.getOffset(),
        MultiplyOp::create(rewriter, loc, mean, scale).getResult());
    // The kernel's last dimension is the outputs, as the result's is.
    Value kernel = convolution.getRhs();
    Value scaled = MultiplyOp::create(
        rewriter, loc, kernel, spread(rewriter, loc, scale, kernel, last));
    auto changed = cast<ConvolutionOp>(rewriter.clone(*convolution));
    rewriter.modifyOpInPlace(changed,
                             [&] { changed.getRhsMutable().assign(scaled); });
    Value result = changed.getResult();
    rewriter.replaceOpWithNewOp<AddOp>(
        op, result, spread(rewriter, loc, shift, result, last));
    return success();
  }
};

struct FoldBatchNorm : impl::FoldBatchNormBase<FoldBatchNorm> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldIntoConvolution>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    if (!wantsRemarks(getOperation()))
      return;
    getOperation()->walk([](BatchNormOp op) {
      if (auto remark = remarkMissed(op, RemarkCategory::Weights, "batch-norm"))
        remark << "batch normalization is computed in the run"
               << because(obstacleTo(op));
    });
  }
};
} // namespace
} // namespace tenon
