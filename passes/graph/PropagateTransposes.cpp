// Sinks transposes below ops that do not depend on the order of dimensions,
// until they meet their inverse and cancel. Afterwards a chain of image ops has
// one layout. Only transposes of computed values sink, and only towards their
// users, so that the pass terminates.
#include "passes/graph/Passes.h"

#include "passes/graph/SinkRules.h"

#include "dialects/tenon/TenonDialect.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_PROPAGATETRANSPOSES
#include "passes/graph/Passes.h.inc"

namespace {
struct SinkTranspose : RewritePattern {
  explicit SinkTranspose(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (op->getNumResults() != 1 || isa<TransposeOp>(op))
      return rewriter.notifyMatchFailure(op, "no op to sink into");
    TransposeOp model;
    for (Value operand : op->getOperands())
      if (auto transpose = operand.getDefiningOp<TransposeOp>();
          transpose && !isKnownTensor(transpose.getOperand()))
        model = model ? model : transpose;
    if (!model)
      return rewriter.notifyMatchFailure(op, "no operand is a transpose");
    Permutation permutation(model.getPermutation());
    std::optional<Sunk> sunk = sinkInto(op, permutation);
    if (!sunk)
      return rewriter.notifyMatchFailure(op, "the order of dimensions matters");
    auto moved = op->getOperands().take_front(sunk->operands);
    if (!llvm::all_of(moved,
                      [&](Value operand) {
                        return canStripTranspose(operand, permutation);
                      }) ||
        !llvm::is_contained(moved, model.getResult()))
      return rewriter.notifyMatchFailure(op, "an operand is not transposed so");
    SmallVector<Value> operands(op->getOperands());
    for (Value &operand : MutableArrayRef(operands).take_front(sunk->operands))
      operand = stripTranspose(rewriter, operand, permutation);
    Value result = op->getResult(0);
    if (!sunk->resultPermutation)
      sunk->resultPermutation = permutation;
    OperationState state(op->getLoc(), op->getName(), operands,
                         typeBefore(result, *sunk->resultPermutation),
                         op->getAttrs());
    Operation *copy = rewriter.create(state);
    rewriter.modifyOpInPlace(copy, [&] { sunk->adapt(copy); });
    rewriter.replaceOp(
        op, rewriter.createOrFold<TransposeOp>(op->getLoc(), copy->getResult(0),
                                               *sunk->resultPermutation));
    return success();
  }
};

/// Sinks a transpose below a reshape that merges or splits dimensions which
/// stay adjacent.
struct SinkBelowReshape : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto transpose = op.getOperand().getDefiningOp<TransposeOp>();
    if (!transpose || isKnownTensor(transpose.getOperand()))
      return rewriter.notifyMatchFailure(op, "operand is no transpose");
    std::optional<Permutation> order =
        resultOrder(transpose.getType().getShape(), op.getType().getShape(),
                    transpose.getPermutation());
    if (!order)
      return rewriter.notifyMatchFailure(op, "regroups what was apart");
    Permutation after = invertPermutationVector(*order);
    SmallVector<Value> dynamic;
    SmallVector<int64_t> sizes;
    dispatchIndexOpFoldResults(
        beforeTranspose(
            getMixedValues(op.getStaticSizes(), op.getSizes(), rewriter),
            after),
        dynamic, sizes);
    Value reshaped = ReshapeOp::create(rewriter, op.getLoc(),
                                       typeBefore(op.getResult(), after),
                                       transpose.getOperand(), dynamic, sizes);
    rewriter.replaceOp(
        op, rewriter.createOrFold<TransposeOp>(op.getLoc(), reshaped, after));
    return success();
  }

  /// The permutation that the result needs if the reshape comes before the
  /// transpose.
  static std::optional<Permutation> resultOrder(ArrayRef<int64_t> from,
                                                ArrayRef<int64_t> to,
                                                ArrayRef<int64_t> permutation) {
    // With two dynamic extents, or an empty tensor, the groups of merged
    // dimensions are ambiguous.
    if (from.size() == to.size() || llvm::is_contained(from, 0) ||
        llvm::is_contained(to, 0) ||
        llvm::count(from, ShapedType::kDynamic) > 1)
      return std::nullopt;
    bool merges = from.size() > to.size();
    auto groups = getReassociationIndicesForCollapse(merges ? from : to,
                                                     merges ? to : from);
    if (!groups)
      return std::nullopt;
    if (merges)
      for (const ReassociationIndices &group : *groups)
        for (size_t i = 1; i < group.size(); ++i)
          if (permutation[group[i]] != permutation[group[i - 1]] + 1)
            return std::nullopt;
    // The position of group i is that of its first dimension.
    auto place = [&](int64_t i) {
      return permutation[merges ? (*groups)[i].front() : i];
    };
    Permutation byPlace =
        llvm::to_vector(llvm::seq<int64_t>(0, groups->size()));
    llvm::sort(byPlace,
               [&](int64_t a, int64_t b) { return place(a) < place(b); });
    if (merges)
      return byPlace;
    Permutation order;
    for (int64_t i : byPlace)
      llvm::append_range(order, (*groups)[i]);
    return order;
  }
};

/// Replaces a transpose that moves only extents of one by a reshape.
struct TransposeToReshape : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    if (!movesOnlyOnes(op.getOperand().getType(), op.getPermutation()))
      return rewriter.notifyMatchFailure(op, "moves elements");
    SmallVector<OpFoldResult> sizes;
    for (int64_t dim : op.getPermutation())
      sizes.push_back(mixedSize(rewriter, op.getLoc(), op.getOperand(), dim));
    SmallVector<Value> dynamic;
    SmallVector<int64_t> fixed;
    dispatchIndexOpFoldResults(sizes, dynamic, fixed);
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getOperand(),
                                           dynamic, fixed);
    return success();
  }
};

/// Makes attention whose rows come before its batch write batch by batch, and
/// adds a transpose after it, which can sink further.
struct ReleaseFromAttention : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    Permutation order(op.getResultOrder());
    int64_t rank = order.size(), rows = rank - 2, heads = rank - 3;
    if (rank < 4 || order[rows] > order[0])
      return rewriter.notifyMatchFailure(op, "rows do not stand first");
    Permutation natural = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    std::swap(natural[rows], natural[heads]);
    Permutation back(rank);
    for (int64_t i = 0; i < rank; ++i)
      back[order[i]] = natural[i];
    auto batchFirst = cast<AttentionOp>(rewriter.clone(*op));
    batchFirst.setResultOrder(natural);
    batchFirst.getResult().setType(typeBefore(op.getResult(), back));
    rewriter.replaceOpWithNewOp<TransposeOp>(op, batchFirst, back);
    return success();
  }
};

/// Replaces the transpose of a broadcast by another broadcast.
struct TransposeOfBroadcast : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    Permutation inverse = invertPermutationVector(op.getPermutation());
    auto broadcast = op.getOperand().getDefiningOp<BroadcastInDimOp>();
    if (!broadcast || !canStripTranspose(broadcast, inverse))
      return rewriter.notifyMatchFailure(op, "no broadcast that turns freely");
    rewriter.replaceOp(op, stripTranspose(rewriter, broadcast, inverse));
    return success();
  }
};

/// Takes the extent of a transpose from its operand, so that the transpose has
/// no further use.
struct DimOfTranspose : OpRewritePattern<tensor::DimOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::DimOp op,
                                PatternRewriter &rewriter) const override {
    auto transpose = op.getSource().getDefiningOp<TransposeOp>();
    std::optional<int64_t> dim = op.getConstantIndex();
    if (!transpose || !dim)
      return rewriter.notifyMatchFailure(op, "no known extent of a transpose");
    rewriter.replaceOpWithNewOp<tensor::DimOp>(
        op, transpose.getOperand(), transpose.getPermutation()[*dim]);
    return success();
  }
};

struct PropagateTransposes
    : impl::PropagateTransposesBase<PropagateTransposes> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<SinkTranspose, SinkBelowReshape, TransposeToReshape,
                 TransposeOfBroadcast, ReleaseFromAttention, DimOfTranspose>(
        context);
    TransposeOp::getCanonicalizationPatterns(patterns, context);
    ReshapeOp::getCanonicalizationPatterns(patterns, context);
    // No limit is needed: every step moves a transpose closer to the results.
    GreedyRewriteConfig config;
    config.setMaxIterations(GreedyRewriteConfig::kNoLimit);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
} // namespace tenon
