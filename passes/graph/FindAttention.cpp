// Finds attention in the ops that frontends write. The product of queries and
// keys, its scale, masks and softmax, and the product with the values become
// one op that never stores the scores. Reshapes that merge heads into a batch,
// and slices before a split of heads, are moved so that the op reads its
// operands in their memory order.
#include "passes/graph/Passes.h"

#include "passes/graph/Attention.h"

#include "dialects/tenon/NumericsContract.h"
#include "dialects/tenon/TenonDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_FINDATTENTION
#include "passes/graph/Passes.h.inc"

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The value of all elements of a float tensor, if it is a splat constant.
std::optional<double> splatOf(Value value) {
  while (auto broadcast = value.getDefiningOp<BroadcastInDimOp>())
    value = broadcast.getOperand();
  auto constant = value.getDefiningOp<ConstantOp>();
  if (!constant || !isa<FloatType>(typeOf(value).getElementType()))
    return std::nullopt;
  if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
    return splat.getSplatValue<APFloat>().convertToDouble();
  return std::nullopt;
}

/// A value written as a number times another value.
struct Scaled {
  Value rest;
  double factor = 1;
};

std::optional<Scaled> scaledBy(Value value) {
  if (auto multiply = value.getDefiningOp<MultiplyOp>()) {
    if (auto number = splatOf(multiply.getRhs()))
      return Scaled{multiply.getLhs(), *number};
    if (auto number = splatOf(multiply.getLhs()))
      return Scaled{multiply.getRhs(), *number};
  }
  if (auto divide = value.getDefiningOp<DivideOp>())
    if (auto number = splatOf(divide.getRhs()); number && *number != 0)
      return Scaled{divide.getLhs(), 1 / *number};
  return std::nullopt;
}

/// The ops between the product of queries and keys and the softmax.
struct Scores {
  DotGeneralOp product;
  double scale = 1;
  Value mask;         ///< of bools or floats
  bool hides = false; ///< the bool mask marks the scores to fill
  std::optional<int64_t> causal;
  std::optional<double> fill;
};

/// True if only masks and scales are between `value` and a product.
bool leadsToProduct(Value value) {
  while (!value.getDefiningOp<DotGeneralOp>()) {
    if (auto scaled = scaledBy(value))
      value = scaled->rest;
    else if (auto select = value.getDefiningOp<SelectOp>())
      value = splatOf(select.getOnTrue()) ? select.getOnFalse()
                                          : select.getOnTrue();
    else
      return false;
  }
  return true;
}

/// Reads the scores backwards from the softmax. The forward order must be:
/// scale, fill, then add a float mask.
std::optional<Scores> scoresOf(Value value) {
  Scores scores;
  bool added = false;
  while (value.hasOneUse()) {
    if (auto product = value.getDefiningOp<DotGeneralOp>()) {
      scores.product = product;
      return scores;
    }
    if (auto scaled = scaledBy(value)) {
      scores.scale *= scaled->factor;
      value = scaled->rest;
      continue;
    }
    bool scaledYet = scores.scale != 1;
    if (auto add = value.getDefiningOp<AddOp>()) {
      if (added || scores.fill || scaledYet)
        return std::nullopt;
      bool left = leadsToProduct(add.getLhs());
      scores.mask = left ? add.getRhs() : add.getLhs();
      value = left ? add.getLhs() : add.getRhs();
      added = true;
      continue;
    }
    auto select = value.getDefiningOp<SelectOp>();
    if (!select || scores.fill || scaledYet ||
        typeOf(select.getPred()).getShape() != typeOf(value).getShape())
      return std::nullopt;
    std::optional<double> onTrue = splatOf(select.getOnTrue()),
                          onFalse = splatOf(select.getOnFalse());
    if (!onTrue && !onFalse)
      return std::nullopt;
    scores.fill = onFalse ? *onFalse : *onTrue;
    value = onFalse ? select.getOnTrue() : select.getOnFalse();
    if (onFalse)
      scores.causal = causalOffset(select.getPred());
    if (scores.causal)
      continue;
    if (added)
      return std::nullopt;
    scores.mask = select.getPred();
    scores.hides = !onFalse;
  }
  return std::nullopt;
}

/// Forms attention from softmax(scores) V and the ops before it.
struct FormAttention : OpRewritePattern<DotGeneralOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotGeneralOp op,
                                PatternRewriter &rewriter) const override {
    auto softmax = op.getLhs().getDefiningOp<SoftmaxOp>();
    if (!softmax || !softmax->hasOneUse())
      return rewriter.notifyMatchFailure(op, "no softmax for this alone");
    int64_t rank = softmax.getType().getRank(), batch = rank - 2;
    if (batch < 0 || int64_t(softmax.getDim()) != rank - 1 ||
        op.getLhsContract() != ArrayRef<int64_t>{rank - 1} ||
        int64_t(op.getLhsBatch().size()) != batch ||
        op.getLhsFree() != SmallVector<int64_t>{batch} ||
        op.getRhsFree().size() != 1)
      return rewriter.notifyMatchFailure(op, "other dimensions");
    std::optional<Scores> scores = scoresOf(softmax.getOperand());
    if (!scores)
      return rewriter.notifyMatchFailure(op, "no scores");
    DotGeneralOp product = scores->product;
    if (int64_t(product.getLhsBatch().size()) != batch ||
        product.getLhsFree().size() != 1 || product.getRhsFree().size() != 1 ||
        product.getLhsContract().size() != 1)
      return rewriter.notifyMatchFailure(op, "scores of other dimensions");
    if (!isCovered(product, op))
      return rewriter.notifyMatchFailure(op, "element type or depth");
    SmallVector<int64_t> queryOrder(product.getLhsBatch()),
        keyOrder(product.getRhsBatch()), valueOrder(rank), resultOrder(rank);
    queryOrder.append(
        {product.getLhsFree().front(), product.getLhsContract().front()});
    keyOrder.append(
        {product.getRhsFree().front(), product.getRhsContract().front()});
    for (int64_t i = 0; i < batch; ++i) {
      resultOrder[op.getLhsBatch()[i]] = i;
      valueOrder[op.getLhsBatch()[i]] = op.getRhsBatch()[i];
    }
    resultOrder[batch] = batch;
    resultOrder[batch + 1] = batch + 1;
    valueOrder[batch] = op.getRhsContract().front();
    valueOrder[batch + 1] = op.getRhsFree().front();
    Location loc = FusedLoc::get(
        getContext(), {product.getLoc(), softmax.getLoc(), op.getLoc()});
    if (scores->hides)
      scores->mask = NotOp::create(rewriter, loc, scores->mask);
    Value causal;
    if (scores->causal)
      causal = arith::ConstantIndexOp::create(rewriter, loc, *scores->causal);
    FloatAttr fill;
    if (scores->fill)
      fill = rewriter.getF64FloatAttr(*scores->fill);
    auto order = [&](ArrayRef<int64_t> list) {
      return rewriter.getDenseI64ArrayAttr(list);
    };
    rewriter.replaceOp(
        op, AttentionOp::create(rewriter, loc, op.getType(), product.getLhs(),
                                product.getRhs(), op.getRhs(), scores->mask,
                                causal, order(queryOrder), order(keyOrder),
                                order(valueOrder), order(resultOrder),
                                rewriter.getF64FloatAttr(scores->scale), fill));
    return success();
  }

  static bool isCovered(DotGeneralOp product, DotGeneralOp average) {
    Type element = product.getType().getElementType();
    auto fits = [](Value tensor, int64_t dim) {
      int64_t depth = typeOf(tensor).getDimSize(dim);
      return !ShapedType::isDynamic(depth) && depth > 0 &&
             depth <= attentionDepth;
    };
    for (Value value : {Value(product.getLhs()), Value(product.getRhs()),
                        Value(average.getRhs()), Value(average.getResult())})
      if (typeOf(value).getElementType() != element)
        return false;
    return isa<Float32Type, Float16Type, BFloat16Type>(element) &&
           fits(product.getLhs(), product.getLhsContract().front()) &&
           fits(average.getRhs(), average.getRhsFree().front());
  }
};

/// Folds a scale of queries or keys into the op's scale.
struct FoldScale : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    for (unsigned i = 0; i < 2; ++i)
      if (auto scaled = scaledBy(op.getOperand(i))) {
        double scale = op.getScale().convertToDouble() * scaled->factor;
        rewriter.modifyOpInPlace(op, [&] {
          op->setOperand(i, scaled->rest);
          op.setScale(APFloat(scale));
        });
        return success();
      }
    return rewriter.notifyMatchFailure(op, "nothing is scaled");
  }
};

struct FindAttention : impl::FindAttentionBase<FindAttention> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<FormAttention, FoldScale>(context);
    populateHeadPatterns(patterns);
    AttentionOp::getCanonicalizationPatterns(patterns, context);
    ReshapeOp::getCanonicalizationPatterns(patterns, context);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
} // namespace tenon
