// Sinks reshapes that only add or drop extents of one below elementwise ops and
// into broadcasts, so that values computed per row keep the shape of the rows.
#include "passes/graph/Passes.h"

#include "dialects/tenon/SizeForms.h"
#include "dialects/tenon/TenonDialect.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_SINKRESHAPES
#include "passes/graph/Passes.h.inc"

namespace {
/// For a reshape that only inserts extents of one: the result dimension of each
/// operand dimension. Nullopt for other reshapes.
std::optional<SmallVector<int64_t>> insertedOnes(ReshapeOp op) {
  RankedTensorType from = op.getOperand().getType(), to = op.getType();
  // A single dynamic extent is determined by the number of elements, if no
  // extent is zero; several may have been regrouped.
  bool follows =
      from.getNumDynamicDims() <= 1 && !llvm::is_contained(from.getShape(), 0);
  // Without a function, names do not make extents equal: with names, one more
  // reshape of an encoder's mask sinks, and the encoder has two more kernels.
  SizeForms forms({});
  Builder builder(op.getContext());
  SmallVector<OpFoldResult> sizes =
      getMixedValues(op.getStaticSizes(), op.getSizes(), builder);
  SmallVector<int64_t> dims;
  int64_t next = 0;
  for (auto [i, extent] : llvm::enumerate(to.getShape())) {
    if (next < from.getRank() && from.getDimSize(next) == extent) {
      if (from.isDynamicDim(next) && !follows &&
          forms.of(sizes[i]) != forms.of(op.getOperand(), next))
        return std::nullopt;
      dims.push_back(i);
      ++next;
    } else if (extent != 1) {
      return std::nullopt;
    }
  }
  if (next != from.getRank())
    return std::nullopt;
  return dims;
}

struct SinkIntoBroadcast : OpRewritePattern<BroadcastInDimOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastInDimOp op,
                                PatternRewriter &rewriter) const override {
    auto reshape = op.getOperand().getDefiningOp<ReshapeOp>();
    auto kept = reshape ? insertedOnes(reshape) : std::nullopt;
    if (!kept)
      return rewriter.notifyMatchFailure(
          op, "operand does not merely gain extents of one");
    SmallVector<int64_t> dims;
    for (int64_t dim : *kept)
      dims.push_back(op.getDims()[dim]);
    rewriter.replaceOpWithNewOp<BroadcastInDimOp>(
        op, op.getType(), reshape.getOperand(), dims, op.getSizes(),
        op.getStaticSizes());
    return success();
  }
};

/// The source of a splat that can take any shape: a constant or a broadcast
/// scalar.
Value splatSource(Value value) {
  if (auto broadcast = value.getDefiningOp<BroadcastInDimOp>();
      broadcast && broadcast.getOperand().getType().getRank() == 0)
    return broadcast.getOperand();
  return Value();
}

struct SinkBelowElementwise : RewritePattern {
  explicit SinkBelowElementwise(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!op->hasTrait<Elementwise>() || op->getNumResults() != 1)
      return rewriter.notifyMatchFailure(op, "not elementwise");
    ReshapeOp model;
    for (Value operand : op->getOperands()) {
      auto reshape = operand.getDefiningOp<ReshapeOp>();
      if (reshape && insertedOnes(reshape) &&
          (!model || reshape.getOperand().getType().getShape() ==
                         model.getOperand().getType().getShape()))
        model = model ? model : reshape;
      else if (reshape || !(splatSource(operand) || isSplatConstant(operand)))
        return rewriter.notifyMatchFailure(
            op, "an operand is neither such a reshape nor a splat");
    }
    if (!model)
      return rewriter.notifyMatchFailure(op, "no operand is such a reshape");
    ArrayRef<int64_t> shape = model.getOperand().getType().getShape();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      if (auto reshape = operand.getDefiningOp<ReshapeOp>())
        operands.push_back(reshape.getOperand());
      else
        operands.push_back(
            resplat(rewriter, op->getLoc(), operand, model.getOperand()));
    }
    auto resultType = cast<RankedTensorType>(op->getResult(0).getType());
    OperationState state(
        op->getLoc(), op->getName(), operands,
        RankedTensorType::get(shape, resultType.getElementType()),
        op->getAttrs());
    Operation *moved = rewriter.create(state);
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, resultType, moved->getResult(0),
                                           model.getSizes(),
                                           model.getStaticSizes());
    return success();
  }

  static bool isSplatConstant(Value value) {
    auto constant = value.getDefiningOp<ConstantOp>();
    return constant && isa<SplatElementsAttr>(constant.getValue());
  }

  /// Broadcasts the splat to the shape of `model`.
  static Value resplat(OpBuilder &builder, Location loc, Value splat,
                       Value model) {
    auto type = RankedTensorType::get(
        cast<RankedTensorType>(model.getType()).getShape(),
        cast<RankedTensorType>(splat.getType()).getElementType());
    Value scalar = splatSource(splat);
    if (!scalar) {
      auto value =
          cast<SplatElementsAttr>(splat.getDefiningOp<ConstantOp>().getValue());
      auto scalarType = RankedTensorType::get({}, type.getElementType());
      if (type.hasStaticShape())
        return ConstantOp::create(
            builder, loc,
            DenseElementsAttr::get(type, value.getSplatValue<Attribute>()));
      scalar = ConstantOp::create(
          builder, loc,
          DenseElementsAttr::get(scalarType, value.getSplatValue<Attribute>()));
    }
    SmallVector<Value> dynamic;
    SmallVector<int64_t> sizes;
    dispatchIndexOpFoldResults(mixedSizes(builder, loc, model), dynamic, sizes);
    return BroadcastInDimOp::create(builder, loc, type, scalar,
                                    ArrayRef<int64_t>(), dynamic, sizes);
  }
};

struct SinkReshapes : impl::SinkReshapesBase<SinkReshapes> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<SinkIntoBroadcast, SinkBelowElementwise>(&getContext());
    ReshapeOp::getCanonicalizationPatterns(patterns, &getContext());
    BroadcastInDimOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
} // namespace tenon
