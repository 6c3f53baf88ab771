// Reduction ops: verification, shapes and folds.
#include "dialects/tenon/InferShared.h"

using namespace mlir;

namespace tenon {

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         ValueRange operands, DictionaryAttr,
                                         OpaqueProperties properties,
                                         RegionRange,
                                         SmallVectorImpl<Type> &results) {
  ShapeOrError rule = reduceShape(shapeOf(operands[0]),
                                  properties.as<Properties *>()->getDims());
  return inferFrom(rule, elementOf(operands[0]), location, results);
}

LogicalResult ReduceOp::verify() {
  // reduce C2
  bool logical = getKind() == ReduceKind::And || getKind() == ReduceKind::Or;
  Type element = elementOf(getOperand());
  if (logical ? isa<FloatType>(element) : element.isInteger(1))
    return emitOpError("expected ")
           << (logical ? "integers or bools" : "numbers") << " (C2), got "
           << element;
  return success();
}

OpFoldResult ReduceOp::fold(FoldAdaptor) {
  return getDims().empty() ? getOperand() : Value();
}

static LogicalResult reifyWithout(OpBuilder &builder, Location loc,
                                  Value operand, Extents dims,
                                  ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t i = 0, rank = shapeOf(operand).size(); i < rank; ++i)
    if (!llvm::is_contained(dims, i))
      sizes.push_back(mixedSize(builder, loc, operand, i));
  shapes.push_back(sizes);
  return success();
}

LogicalResult ReduceOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  return reifyWithout(builder, getLoc(), getOperand(), getDims(), shapes);
}

static bool selects(ReduceKind kind) {
  return kind == ReduceKind::Maximum || kind == ReduceKind::Minimum;
}

LogicalResult ArgReduceOp::verify() {
  // arg_reduce C1, C2
  if (!selects(getKind()))
    return emitOpError("expected kind maximum or minimum (C1)");
  return verifyShape(getOperation(),
                     reduceShape(shapeOf(getOperand()), {int64_t(getDim())}),
                     getType(), "C2");
}

LogicalResult
ArgReduceOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  return reifyWithout(builder, getLoc(), getOperand(), {int64_t(getDim())},
                      shapes);
}

LogicalResult CumulativeOp::verify() {
  // cumulative C1
  if (int64_t(getDim()) < 0 || int64_t(getDim()) >= getType().getRank())
    return emitOpError("expected a dimension within rank ")
           << getType().getRank() << " (C1), got " << getDim();
  return success();
}

LogicalResult
CumulativeOp::reifyResultShapes(OpBuilder &builder,
                                ReifiedRankedShapedTypeDims &shapes) {
  return reifyLikeOperand(builder, getOperation(), shapes);
}

template <typename Op> static LogicalResult verifyWindow(Op op) {
  // reduce_window C1, C2
  return verifyShape(op.getOperation(),
                     reduceWindowShape(shapeOf(op.getOperand()), op.getWindow(),
                                       op.getStrides(), op.getDilations(),
                                       op.getPadding()),
                     op.getType(), "C2");
}

template <typename Op>
static LogicalResult reifyWindow(Op op, OpBuilder &builder,
                                 ReifiedRankedShapedTypeDims &shapes) {
  SizeBuilder sizes{builder, op.getLoc()};
  SmallVector<OpFoldResult> result;
  for (int64_t i = 0, rank = op.getType().getRank(); i < rank; ++i) {
    OpFoldResult size = mixedSize(builder, op.getLoc(), op.getOperand(), i);
    int64_t span = (op.getWindow()[i] - 1) * op.getDilations()[i] + 1;
    OpFoldResult room =
        sizes.add(size, sizes.constant(op.getPadding()[2 * i] +
                                       op.getPadding()[2 * i + 1] - span));
    result.push_back(sizes.max(
        sizes.add(sizes.floorDiv(room, op.getStrides()[i]), sizes.constant(1)),
        0));
  }
  shapes.push_back(result);
  return success();
}

LogicalResult ReduceWindowOp::verify() { return verifyWindow(*this); }

LogicalResult
ReduceWindowOp::reifyResultShapes(OpBuilder &builder,
                                  ReifiedRankedShapedTypeDims &shapes) {
  return reifyWindow(*this, builder, shapes);
}

LogicalResult ArgReduceWindowOp::verify() {
  if (!selects(getKind()))
    return emitOpError("expected kind maximum or minimum (C1)");
  return verifyWindow(*this);
}

LogicalResult
ArgReduceWindowOp::reifyResultShapes(OpBuilder &builder,
                                     ReifiedRankedShapedTypeDims &shapes) {
  return reifyWindow(*this, builder, shapes);
}

} // namespace tenon
