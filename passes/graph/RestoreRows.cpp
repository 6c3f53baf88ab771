// Removes the reshapes by which frontends flatten rows before a product and
// split them after it. The product, and elementwise ops on its result, take the
// unflattened rows. Passes on transposes and slices then see past the product.
#include "passes/graph/Passes.h"

#include "dialects/tenon/ShapeRules.h"
#include "dialects/tenon/TenonDialect.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_RESTOREROWS
#include "passes/graph/Passes.h.inc"

namespace {
RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Value reshaped(PatternRewriter &rewriter, Value value,
               ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> dynamic;
  SmallVector<int64_t> fixed;
  dispatchIndexOpFoldResults(sizes, dynamic, fixed);
  return ReshapeOp::create(rewriter, value.getLoc(), typeOf(value).clone(fixed),
                           value, dynamic, fixed);
}

bool isSplat(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  return constant && isa<SplatElementsAttr>(constant.getValue());
}

/// True if the value is equal in every row: it does not depend on dimension 0.
bool isSameInRows(Value value) {
  if (auto broadcast = value.getDefiningOp<BroadcastInDimOp>())
    return !llvm::is_contained(broadcast.getDims(), 0);
  return isSplat(value);
}

struct RestoreAroundProduct : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    // Collect the elementwise ops upwards from the split, the last one first.
    SmallVector<Operation *> chain;
    Value value = op.getOperand();
    while (value.hasOneUse() && value.getDefiningOp() &&
           value.getDefiningOp()->hasTrait<Elementwise>()) {
      Operation *step = value.getDefiningOp();
      Value next;
      for (Value operand : step->getOperands())
        if (!isSameInRows(operand)) {
          if (next && next != operand)
            return rewriter.notifyMatchFailure(op, "other rows join");
          next = operand;
        }
      if (!next || llvm::count(step->getOperands(), next) != 1)
        return rewriter.notifyMatchFailure(op, "no single chain");
      chain.push_back(step);
      value = next;
    }
    auto product = value.getDefiningOp<DotGeneralOp>();
    if (!product || !product->hasOneUse() || !product.getLhsBatch().empty() ||
        product.getType().getRank() != 2 ||
        product.getLhsContract() != ArrayRef<int64_t>{1} ||
        product.getRhsFree().size() != 1)
      return rewriter.notifyMatchFailure(op, "no product of flat rows");
    auto flat = product.getLhs().getDefiningOp<ReshapeOp>();
    if (!flat || typeOf(product.getLhs()).getRank() != 2)
      return rewriter.notifyMatchFailure(op, "rows were not flattened");
    ArrayRef<int64_t> from = typeOf(flat.getOperand()).getShape(),
                      to = op.getType().getShape();
    int64_t columns = product.getType().getDimSize(1);
    size_t rows = to.size() - 1;
    // A single dynamic extent is equal if the numbers of elements are.
    if (rows < 2 || from.size() < to.size() || to.back() != columns ||
        from.take_front(rows) != to.drop_back() ||
        ShapedType::isDynamic(columns) || llvm::is_contained(from, 0) ||
        llvm::count(from, ShapedType::kDynamic) > 1 ||
        elementCount(from.drop_front(rows)) !=
            typeOf(product.getLhs()).getDimSize(1))
      return rewriter.notifyMatchFailure(op, "other rows");
    SmallVector<OpFoldResult> sizes =
        getMixedValues(op.getStaticSizes(), op.getSizes(), rewriter);
    Value whole = flat.getOperand();
    if (from.size() > to.size()) {
      SmallVector<OpFoldResult> joined = sizes;
      joined.back() =
          rewriter.getIndexAttr(elementCount(from.drop_front(rows)));
      whole = reshaped(rewriter, whole, joined);
    }
    Value result = DotGeneralOp::create(
        rewriter, product.getLoc(),
        RankedTensorType::get(to, product.getType().getElementType()), whole,
        product.getRhs(), ArrayRef<int64_t>(), ArrayRef<int64_t>(),
        ArrayRef<int64_t>{int64_t(rows)}, product.getRhsContract());
    Value former = product.getResult();
    for (Operation *step : llvm::reverse(chain)) {
      SmallVector<Value> operands;
      for (Value operand : step->getOperands())
        operands.push_back(
            operand == former ? result : inRows(rewriter, operand, sizes));
      Type element = typeOf(step->getResult(0)).getElementType();
      OperationState state(step->getLoc(), step->getName(), operands,
                           RankedTensorType::get(to, element),
                           step->getAttrs());
      former = step->getResult(0);
      result = rewriter.create(state)->getResult(0);
    }
    rewriter.replaceOp(op, result);
    return success();
  }

  /// A value that is equal in all flat rows, broadcast to rows of the given
  /// sizes.
  static Value inRows(PatternRewriter &rewriter, Value value,
                      ArrayRef<OpFoldResult> sizes) {
    SmallVector<Value> dynamic;
    SmallVector<int64_t> fixed;
    dispatchIndexOpFoldResults(sizes, dynamic, fixed);
    auto type = RankedTensorType::get(fixed, typeOf(value).getElementType());
    if (auto broadcast = value.getDefiningOp<BroadcastInDimOp>()) {
      SmallVector<int64_t> dims(broadcast.getDims().size(),
                                int64_t(sizes.size()) - 1);
      return BroadcastInDimOp::create(rewriter, value.getLoc(), type,
                                      broadcast.getOperand(), dims, dynamic,
                                      fixed);
    }
    auto splat =
        cast<SplatElementsAttr>(value.getDefiningOp<ConstantOp>().getValue());
    Value scalar = ConstantOp::create(
        rewriter, value.getLoc(),
        DenseElementsAttr::get(RankedTensorType::get({}, type.getElementType()),
                               splat.getSplatValue<Attribute>()));
    return BroadcastInDimOp::create(rewriter, value.getLoc(), type, scalar,
                                    ArrayRef<int64_t>(), dynamic, fixed);
  }
};

struct RestoreRows : impl::RestoreRowsBase<RestoreRows> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<RestoreAroundProduct>(&getContext());
    ReshapeOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
} // namespace tenon
