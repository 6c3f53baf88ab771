// Movement ops: verification, shapes, folds and canonical forms.
#include "dialects/tenon/InferShared.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tenon {

/// Checks that the result type's extents equal the static sizes and that there
/// is one value for each dynamic size.
static LogicalResult verifySizes(Operation *op, RankedTensorType type,
                                 Extents staticSizes, ValueRange sizes,
                                 StringRef label) {
  int64_t dynamic = llvm::count(staticSizes, ShapedType::kDynamic);
  if (type.getShape() != staticSizes || dynamic != int64_t(sizes.size()))
    return op->emitOpError("expected the result's extents to be the sizes (")
           << label << "), got " << type;
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult
ConstantOp::reifyResultShapes(OpBuilder &builder,
                              ReifiedRankedShapedTypeDims &shapes) {
  reifyMixed(builder, getType().getShape(), {}, shapes);
  return success();
}

LogicalResult IotaOp::verify() {
  // iota C1, C2
  if (int64_t(getDim()) < 0 || int64_t(getDim()) >= getType().getRank())
    return emitOpError("expected a dimension within rank ")
           << getType().getRank() << " (C1), got " << getDim();
  return verifySizes(getOperation(), getType(), getStaticSizes(), getSizes(),
                     "C2");
}

LogicalResult IotaOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  reifyMixed(builder, getStaticSizes(), getSizes(), shapes);
  return success();
}

LogicalResult BroadcastInDimOp::verify() {
  Extents operand = shapeOf(getOperand());
  // broadcast_in_dim C1
  if (getDims().size() != operand.size())
    return emitOpError("expected a dimension per operand dimension (C1)");
  for (auto [i, dim] : llvm::enumerate(getDims())) {
    if (dim < 0 || dim >= getType().getRank() || (i && getDims()[i - 1] >= dim))
      return emitOpError("expected ascending dimensions within rank ")
             << getType().getRank() << " (C1)";
    // broadcast_in_dim C2
    if (operand[i] != 1 && !compatible(operand[i], getType().getDimSize(dim)))
      return emitOpError("expected extents to agree or be one (C2), got ")
             << getOperand().getType() << " and " << getType();
  }
  return verifySizes(getOperation(), getType(), getStaticSizes(), getSizes(),
                     "C3");
}

LogicalResult
BroadcastInDimOp::reifyResultShapes(OpBuilder &builder,
                                    ReifiedRankedShapedTypeDims &shapes) {
  reifyMixed(builder, getStaticSizes(), getSizes(), shapes);
  return success();
}

OpFoldResult BroadcastInDimOp::fold(FoldAdaptor adaptor) {
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getOperand());
      splat && getType().hasStaticShape())
    return DenseElementsAttr::get(getType(), splat.getSplatValue<Attribute>());
  if (getOperand().getType() == getType() && getType().hasStaticShape())
    return getOperand();
  return {};
}

namespace {
/// Removes a broadcast to the operand's own sizes. Dynamic extents are compared
/// as SSA values.
struct DropIdentityBroadcast : OpRewritePattern<BroadcastInDimOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastInDimOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getOperand().getType() != op.getType())
      return rewriter.notifyMatchFailure(op, "changes the type");
    SmallVector<OpFoldResult> sizes =
        getMixedValues(op.getStaticSizes(), op.getSizes(), rewriter);
    for (int64_t i = 0; i < op.getType().getRank(); ++i) {
      if (!op.getType().isDynamicDim(i))
        continue;
      auto dim = dyn_cast<Value>(sizes[i]).getDefiningOp<tensor::DimOp>();
      if (!dim || dim.getSource() != op.getOperand() ||
          dim.getConstantIndex() != i)
        return rewriter.notifyMatchFailure(
            op, "a size is not the operand's extent");
    }
    rewriter.replaceOp(op, op.getOperand());
    return success();
  }
};

/// Merges broadcast(broadcast(x)) into one broadcast.
struct MergeBroadcasts : OpRewritePattern<BroadcastInDimOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastInDimOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<BroadcastInDimOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "operand is no broadcast");
    SmallVector<int64_t> dims;
    for (int64_t dim : inner.getDims())
      dims.push_back(op.getDims()[dim]);
    rewriter.replaceOpWithNewOp<BroadcastInDimOp>(
        op, op.getType(), inner.getOperand(), dims, op.getSizes(),
        op.getStaticSizes());
    return success();
  }
};

/// Merges reshape(reshape(x)) into one reshape.
struct MergeReshapes : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<ReshapeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "operand is no reshape");
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), inner.getOperand(),
                                           op.getSizes(), op.getStaticSizes());
    return success();
  }
};

/// Merges transpose(transpose(x)) into one transpose.
struct MergeTransposes : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<TransposeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "operand is no transpose");
    SmallVector<int64_t> permutation;
    for (int64_t dim : op.getPermutation())
      permutation.push_back(inner.getPermutation()[dim]);
    rewriter.replaceOpWithNewOp<TransposeOp>(op, inner.getOperand(),
                                             permutation);
    return success();
  }
};
} // namespace

void BroadcastInDimOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                   MLIRContext *context) {
  patterns.add<DropIdentityBroadcast, MergeBroadcasts>(context);
}

LogicalResult ReshapeOp::verify() {
  // reshape C1
  int64_t from = elementCount(shapeOf(getOperand())),
          to = elementCount(getType().getShape());
  if (getOperand().getType().hasStaticShape() && getType().hasStaticShape() &&
      from != to)
    return emitOpError("expected numbers of elements to agree (C1), got ")
           << getOperand().getType() << " and " << getType();
  return verifySizes(getOperation(), getType(), getStaticSizes(), getSizes(),
                     "C2");
}

LogicalResult
ReshapeOp::reifyResultShapes(OpBuilder &builder,
                             ReifiedRankedShapedTypeDims &shapes) {
  reifyMixed(builder, getStaticSizes(), getSizes(), shapes);
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  // A single dynamic extent is unchanged if all static extents are: the number
  // of elements is. An extent of zero would prove nothing.
  if (getOperand().getType() == getType() &&
      getType().getNumDynamicDims() <= 1 &&
      !llvm::is_contained(getType().getShape(), 0))
    return getOperand();
  if (auto elements = dyn_cast_or_null<DenseElementsAttr>(adaptor.getOperand());
      elements && getType().hasStaticShape())
    return elements.reshape(getType());
  return {};
}

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<MergeReshapes>(context);
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> location,
                                            ValueRange operands, DictionaryAttr,
                                            OpaqueProperties properties,
                                            RegionRange,
                                            SmallVectorImpl<Type> &results) {
  ShapeOrError rule = transposeShape(
      shapeOf(operands[0]), properties.as<Properties *>()->getPermutation());
  return inferFrom(rule, elementOf(operands[0]), location, results);
}

LogicalResult TransposeOp::verify() { return success(); }

LogicalResult
TransposeOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim : getPermutation())
    sizes.push_back(mixedSize(builder, getLoc(), getOperand(), dim));
  shapes.push_back(sizes);
  return success();
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (llvm::is_sorted(getPermutation()))
    return getOperand();
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getOperand()))
    return DenseElementsAttr::get(getType(), splat.getSplatValue<Attribute>());
  return {};
}

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<MergeTransposes>(context);
}

LogicalResult SliceOp::verify() {
  Extents operand = shapeOf(getOperand());
  size_t rank = operand.size();
  // slice C1
  if (getStaticOffsets().size() != rank || getStaticSizes().size() != rank ||
      getStaticStrides().size() != rank)
    return emitOpError("expected lists as long as the rank (C1)");
  for (size_t i = 0; i < rank; ++i) {
    int64_t offset = getStaticOffsets()[i], size = getStaticSizes()[i],
            stride = getStaticStrides()[i];
    // slice C2
    if (stride == 0)
      return emitOpError("expected strides not to be zero (C2)");
    if (ShapedType::isDynamic(offset) || ShapedType::isDynamic(size) ||
        ShapedType::isDynamic(stride) || ShapedType::isDynamic(operand[i]) ||
        size == 0)
      continue;
    int64_t last = offset + (size - 1) * stride;
    if (size < 0 || std::min(offset, last) < 0 ||
        std::max(offset, last) >= operand[i])
      return emitOpError("expected a box within extent ")
             << operand[i] << " (C2), got elements " << offset << " to "
             << last;
  }
  return verifySizes(getOperation(), getType(), getStaticSizes(), getSizes(),
                     "C3");
}

LogicalResult SliceOp::reifyResultShapes(OpBuilder &builder,
                                         ReifiedRankedShapedTypeDims &shapes) {
  reifyMixed(builder, getStaticSizes(), getSizes(), shapes);
  return success();
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType() && getType().hasStaticShape() &&
      llvm::all_of(getStaticStrides(),
                   [](int64_t stride) { return stride == 1; }))
    return getOperand();
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getOperand());
      splat && getType().hasStaticShape())
    return DenseElementsAttr::get(getType(), splat.getSplatValue<Attribute>());
  return {};
}

LogicalResult PadOp::verify() {
  // pad C1, C2, C3
  if (shapeOf(getValue()).size() != 0 ||
      elementOf(getValue()) != elementOf(getOperand()))
    return emitOpError("expected a padding value of rank 0 and the operand's "
                       "element type (C2), got ")
           << getValue().getType();
  return verifyShape(getOperation(),
                     padShape(shapeOf(getOperand()), getStaticLow(),
                              getStaticHigh(), getInterior()),
                     getType(), "C3");
}

LogicalResult PadOp::reifyResultShapes(OpBuilder &builder,
                                       ReifiedRankedShapedTypeDims &shapes) {
  SizeBuilder sizes{builder, getLoc()};
  SmallVector<OpFoldResult> low =
      getMixedValues(getStaticLow(), getLow(), builder);
  SmallVector<OpFoldResult> high =
      getMixedValues(getStaticHigh(), getHigh(), builder);
  SmallVector<OpFoldResult> result;
  for (int64_t i = 0; i < getType().getRank(); ++i) {
    OpFoldResult size = mixedSize(builder, getLoc(), getOperand(), i);
    OpFoldResult gaps = sizes.max(sizes.sub(size, sizes.constant(1)), 0);
    OpFoldResult inner =
        sizes.add(size, sizes.mul(gaps, sizes.constant(getInterior()[i])));
    result.push_back(sizes.add(sizes.add(inner, low[i]), high[i]));
  }
  shapes.push_back(result);
  return success();
}

LogicalResult
ConcatenateOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                ValueRange operands, DictionaryAttr,
                                OpaqueProperties properties, RegionRange,
                                SmallVectorImpl<Type> &results) {
  SmallVector<Extents> shapes;
  for (Value operand : operands)
    shapes.push_back(shapeOf(operand));
  ShapeOrError rule = concatenateShape(
      shapes, properties.as<Properties *>()->getDim().getInt());
  return inferFrom(rule, elementOf(operands[0]), location, results);
}

LogicalResult ConcatenateOp::verify() {
  // concatenate C2
  for (Value operand : getOperands())
    if (elementOf(operand) != getType().getElementType())
      return emitOpError("expected one element type (C2), got ")
             << operand.getType() << " and " << getType();
  return success();
}

LogicalResult
ConcatenateOp::reifyResultShapes(OpBuilder &builder,
                                 ReifiedRankedShapedTypeDims &shapes) {
  SizeBuilder sizes{builder, getLoc()};
  SmallVector<OpFoldResult> result =
      mixedSizes(builder, getLoc(), getOperand(0));
  for (Value operand : getOperands().drop_front())
    result[getDim()] = sizes.add(
        result[getDim()], mixedSize(builder, getLoc(), operand, getDim()));
  shapes.push_back(result);
  return success();
}

OpFoldResult ConcatenateOp::fold(FoldAdaptor) {
  return getNumOperands() == 1 ? getOperand(0) : Value();
}

LogicalResult ReverseOp::verify() {
  // reverse C1
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t dim : getDims())
    if (dim < 0 || dim >= getType().getRank() || !seen.insert(dim).second)
      return emitOpError("expected distinct dimensions within rank ")
             << getType().getRank() << " (C1)";
  return success();
}

LogicalResult
ReverseOp::reifyResultShapes(OpBuilder &builder,
                             ReifiedRankedShapedTypeDims &shapes) {
  return reifyLikeOperand(builder, getOperation(), shapes);
}

} // namespace tenon
