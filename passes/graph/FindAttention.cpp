// Finds attention in the ops that frontends write. The product of queries and
// keys, its scale, masks and softmax, and the product with the values become
// one op that never stores the scores. Reshapes that merge heads into a batch,
// and slices before a split of heads, are moved so that the op reads its
// operands in their memory order.
#include "passes/graph/Passes.h"

#include "passes/graph/Attention.h"

#include "dialects/tenon/NumericsContract.h"
#include "dialects/tenon/Remarks.h"
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
/// scale, fill, then add a float mask. Sets `obstacle` if they have no such
/// form.
std::optional<Scores> scoresOf(Value value, const char *&obstacle) {
  Scores scores;
  bool added = false;
  obstacle = "scores are scaled, filled and masked in another order";
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
    if (!select) {
      obstacle = "another op than a scale or a mask computes the scores";
      return std::nullopt;
    }
    if (scores.fill || scaledYet)
      return std::nullopt;
    if (typeOf(select.getPred()).getShape() != typeOf(value).getShape()) {
      obstacle = "the mask does not have the shape of the scores";
      return std::nullopt;
    }
    std::optional<double> onTrue = splatOf(select.getOnTrue()),
                          onFalse = splatOf(select.getOnFalse());
    if (!onTrue && !onFalse) {
      obstacle = "masked scores are not filled with one constant";
      return std::nullopt;
    }
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
  obstacle = "other ops read the scores too";
  return std::nullopt;
}

bool isCovered(DotGeneralOp product, DotGeneralOp average) {
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

/// The scores whose softmax `op` multiplies with values. Sets `obstacle` if the
/// ops do not form attention.
std::optional<Scores> attendedScores(DotGeneralOp op, const char *&obstacle) {
  auto refuse = [&](const char *why) {
    obstacle = why;
    return std::nullopt;
  };
  auto softmax = op.getLhs().getDefiningOp<SoftmaxOp>();
  if (!softmax)
    return refuse("no softmax is the left operand");
  if (!softmax->hasOneUse())
    return refuse("other ops read the softmax too");
  int64_t rank = softmax.getType().getRank(), batch = rank - 2;
  if (batch < 0 || int64_t(softmax.getDim()) != rank - 1 ||
      op.getLhsContract() != ArrayRef<int64_t>{rank - 1} ||
      int64_t(op.getLhsBatch().size()) != batch ||
      op.getLhsFree() != SmallVector<int64_t>{batch} ||
      op.getRhsFree().size() != 1)
    return refuse("the product with the values has other dimensions");
  std::optional<Scores> scores = scoresOf(softmax.getOperand(), obstacle);
  if (!scores)
    return std::nullopt;
  DotGeneralOp product = scores->product;
  if (int64_t(product.getLhsBatch().size()) != batch ||
      product.getLhsFree().size() != 1 || product.getRhsFree().size() != 1 ||
      product.getLhsContract().size() != 1)
    return refuse("the product of queries and keys has other dimensions");
  if (!isCovered(product, op))
    return refuse("the element type or the depth of a head is not supported");
  return scores;
}

/// Forms attention from softmax(scores) V and the ops before it.
struct FormAttention : OpRewritePattern<DotGeneralOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotGeneralOp op,
                                PatternRewriter &rewriter) const override {
    const char *obstacle = nullptr;
    std::optional<Scores> scores = attendedScores(op, obstacle);
    if (!scores)
      return rewriter.notifyMatchFailure(op, obstacle);
    auto softmax = op.getLhs().getDefiningOp<SoftmaxOp>();
    int64_t rank = softmax.getType().getRank(), batch = rank - 2;
    DotGeneralOp product = scores->product;
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
    if (auto remark = remarkDone(op, RemarkCategory::Attention, "attention"))
      remark << llvm::formatv("the product of queries and keys ({0}), its "
                              "softmax and this product are one kernel",
                              spellNode(product))
                    .str();
    rewriter.replaceOp(
        op, AttentionOp::create(rewriter, loc, op.getType(), product.getLhs(),
                                product.getRhs(), op.getRhs(), scores->mask,
                                causal, /*lengths=*/Value(), /*table=*/Value(),
                                order(queryOrder), order(keyOrder),
                                order(valueOrder), order(resultOrder),
                                rewriter.getF64FloatAttr(scores->scale), fill));
    return success();
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
      return signalPassFailure();
    if (wantsRemarks(getOperation()))
      getOperation()->walk(reportMissed);
  }

  /// True if a softmax is behind `value`, with at most `steps` ops between them
  /// that compute element by element or move elements.
  static bool comesFromSoftmax(Value value, int steps = 4) {
    Operation *op = value.getDefiningOp();
    if (!op || isa<SoftmaxOp>(op))
      return op;
    return steps > 0 &&
           (op->hasTrait<Elementwise>() || isa<ReshapeOp, TransposeOp>(op)) &&
           llvm::any_of(op->getOperands(), [&](Value operand) {
             return comesFromSoftmax(operand, steps - 1);
           });
  }

  /// Reports a product with a softmax that is left as it is. Patterns see an op
  /// several times, so they do not report.
  static void reportMissed(DotGeneralOp op) {
    for (Value operand : {Value(op.getLhs()), Value(op.getRhs())}) {
      if (!comesFromSoftmax(operand))
        continue;
      std::string why;
      if (Operation *between = operand.getDefiningOp();
          !isa<SoftmaxOp>(between)) {
        why = llvm::formatv("{0} ({1}) stands between the softmax and the "
                            "product",
                            spellNode(between), between->getName());
      } else {
        const char *obstacle = nullptr;
        attendedScores(op, obstacle);
        why = obstacle;
      }
      if (auto remark =
              remarkMissed(op, RemarkCategory::Attention, "no-attention"))
        remark << "softmax and products have kernels of their own"
               << because(why);
      return;
    }
  }
};
} // namespace
} // namespace tenon
