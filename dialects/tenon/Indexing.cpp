// Indexing ops: verification and shapes.
#include "dialects/tenon/InferShared.h"

using namespace mlir;

namespace tenon {

LogicalResult GatherOp::verify() {
  // gather C1 to C5
  return verifyShape(getOperation(),
                     gatherShape(shapeOf(getOperand()), shapeOf(getIndices()),
                                 getOffsetDims(), getCollapsedDims(),
                                 getOperandBatchingDims(),
                                 getIndicesBatchingDims(), getStartIndexMap(),
                                 getIndexVectorDim(), getSliceSizes()),
                     getType(), "C5");
}

LogicalResult GatherOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> window, result;
  for (auto [i, size] : llvm::enumerate(getSliceSizes()))
    if (!llvm::is_contained(getCollapsedDims(), int64_t(i)) &&
        !llvm::is_contained(getOperandBatchingDims(), int64_t(i)))
      window.push_back(size == -1
                           ? mixedSize(builder, getLoc(), getOperand(), i)
                           : OpFoldResult(builder.getIndexAttr(size)));
  int64_t nextBatch = 0, nextWindow = 0;
  for (int64_t i = 0; i < getType().getRank(); ++i) {
    if (llvm::is_contained(getOffsetDims(), i)) {
      result.push_back(window[nextWindow++]);
      continue;
    }
    if (nextBatch == int64_t(getIndexVectorDim()))
      ++nextBatch;
    result.push_back(mixedSize(builder, getLoc(), getIndices(), nextBatch++));
  }
  shapes.push_back(result);
  return success();
}

LogicalResult ScatterOp::verify() {
  Extents operand = shapeOf(getOperand()), indices = shapeOf(getIndices()),
          updates = shapeOf(getUpdates());
  int64_t indexRank = indices.size(), vectorDim = getIndexVectorDim();
  // scatter C2
  if (vectorDim < 0 || vectorDim > indexRank ||
      !compatible(vectorDim == indexRank ? 1 : indices[vectorDim],
                  getIndexMap().size()))
    return emitOpError(
        "expected an index map as long as the index vector (C2)");
  // scatter C3
  if (getOperandBatchingDims().size() != getIndicesBatchingDims().size())
    return emitOpError(
        "expected as many batching dimensions in operand and indices (C3)");
  // scatter C1
  for (auto [i, dim] : llvm::enumerate(getUpdateWindowDims()))
    if (dim < 0 || dim >= int64_t(updates.size()) ||
        (i && getUpdateWindowDims()[i - 1] >= dim))
      return emitOpError(
          "expected ascending window dimensions within the updates' rank (C1)");
  // scatter C4
  size_t window = operand.size() - getInsertedDims().size() -
                  getOperandBatchingDims().size();
  size_t batch = indexRank - (vectorDim < indexRank ? 1 : 0);
  if (getUpdateWindowDims().size() != window ||
      updates.size() != window + batch)
    return emitOpError("expected updates of rank ")
           << window + batch << " (C4), got " << getUpdates().getType();
  if (elementOf(getUpdates()) != elementOf(getOperand()))
    return emitOpError(
               "expected updates of the operand's element type (C4), got ")
           << getUpdates().getType();
  int64_t next = 0;
  for (int64_t i = 0; i < int64_t(updates.size()); ++i) {
    if (llvm::is_contained(getUpdateWindowDims(), i))
      continue;
    if (next == vectorDim)
      ++next;
    if (!compatible(updates[i], indices[next++]))
      return emitOpError("expected the updates' batch extents to be the "
                         "indices' (C4), got ")
             << getUpdates().getType() << " and " << getIndices().getType();
  }
  return success();
}

LogicalResult
ScatterOp::reifyResultShapes(OpBuilder &builder,
                             ReifiedRankedShapedTypeDims &shapes) {
  return reifyLikeOperand(builder, getOperation(), shapes);
}

LogicalResult DynamicUpdateSliceOp::verify() {
  Extents operand = shapeOf(getOperand()), update = shapeOf(getUpdate());
  // dynamic_update_slice C1
  if (operand.size() != update.size() ||
      getStaticOffsets().size() != operand.size() ||
      elementOf(getOperand()) != elementOf(getUpdate()))
    return emitOpError("expected an update of the operand's rank and element "
                       "type and an offset per dimension (C1)");
  // dynamic_update_slice C2
  for (auto [whole, part] : llvm::zip(operand, update))
    if (!ShapedType::isDynamic(whole) && !ShapedType::isDynamic(part) &&
        part > whole)
      return emitOpError(
                 "expected update extents within the operand's (C2), got ")
             << part << " of " << whole;
  return success();
}

LogicalResult
DynamicUpdateSliceOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  return reifyLikeOperand(builder, getOperation(), shapes);
}

LogicalResult SortOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location>,
                                       ValueRange operands, DictionaryAttr,
                                       OpaqueProperties, RegionRange,
                                       SmallVectorImpl<Type> &results) {
  results.push_back(operands[0].getType());
  results.push_back(RankedTensorType::get(shapeOf(operands[0]),
                                          IntegerType::get(context, 64)));
  return success();
}

LogicalResult SortOp::verify() {
  // sort C1
  int64_t rank = shapeOf(getOperand()).size();
  if (int64_t(getDim()) < 0 || int64_t(getDim()) >= rank)
    return emitOpError("expected a dimension within rank ")
           << rank << " (C1), got " << getDim();
  return success();
}

LogicalResult SortOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  return reifyLikeOperand(builder, getOperation(), shapes);
}

LogicalResult TopKOp::verify() {
  Extents operand = shapeOf(getOperand()), result = shapeOf(getResult());
  // top_k C1
  int64_t rank = operand.size(), dim = getDim();
  if (dim < 0 || dim >= rank)
    return emitOpError("expected a dimension within rank ")
           << rank << " (C1), got " << dim;
  // top_k C2
  auto agrees = [&](int64_t i) {
    return i == dim || compatible(operand[i], result[i]);
  };
  if (elementOf(getResult()) != elementOf(getOperand()) ||
      result != shapeOf(getPositions()) || int64_t(result.size()) != rank ||
      !llvm::all_of(llvm::seq<int64_t>(0, rank), agrees))
    return emitOpError("expected results like the operand but for extent ")
           << dim << " (C2), got " << getResult().getType() << " and "
           << getPositions().getType();
  return success();
}

LogicalResult TopKOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  for (Value result : getResults()) {
    shapes.emplace_back();
    for (int64_t i = 0; i < int64_t(shapeOf(result).size()); ++i) {
      int64_t extent = shapeOf(result)[i];
      if (!ShapedType::isDynamic(extent))
        shapes.back().push_back(builder.getIndexAttr(extent));
      else if (i == int64_t(getDim()))
        shapes.back().push_back(getK());
      else
        shapes.back().push_back(mixedSize(builder, getLoc(), getOperand(), i));
    }
  }
  return success();
}

LogicalResult NonzeroOp::verify() {
  // nonzero C1
  if (getType().getRank() != 2 ||
      getType().getDimSize(1) != int64_t(shapeOf(getOperand()).size()))
    return emitOpError("expected a result of rank 2 with the operand's rank as "
                       "second extent (C1), got ")
           << getType();
  return success();
}

LogicalResult
NonzeroOp::reifyResultShapes(OpBuilder &builder,
                             ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back({OpFoldResult(getCount()),
                    builder.getIndexAttr(getType().getDimSize(1))});
  return success();
}

LogicalResult NonMaxSuppressionOp::verify() {
  Extents boxes = shapeOf(getBoxes()), scores = shapeOf(getScores());
  // non_max_suppression C1
  if (boxes.size() != 3 || scores.size() != 3 || !compatible(boxes[2], 4) ||
      !compatible(boxes[0], scores[0]) || !compatible(boxes[1], scores[2]))
    return emitOpError("expected boxes [batch, boxes, 4] and scores [batch, "
                       "classes, boxes] (C1), got ")
           << getBoxes().getType() << " and " << getScores().getType();
  return success();
}

LogicalResult
NonMaxSuppressionOp::reifyResultShapes(OpBuilder &builder,
                                       ReifiedRankedShapedTypeDims &shapes) {
  SizeBuilder sizes{builder, getLoc()};
  OpFoldResult boxes = mixedSize(builder, getLoc(), getScores(), 2);
  Value taken = builder.createOrFold<arith::MinSIOp>(
      getLoc(), sizes.value(boxes), getLimit());
  OpFoldResult classes =
      sizes.mul(mixedSize(builder, getLoc(), getScores(), 0),
                mixedSize(builder, getLoc(), getScores(), 1));
  shapes.push_back(
      {sizes.mul(classes, OpFoldResult(taken)), builder.getIndexAttr(3)});
  shapes.push_back({});
  return success();
}

} // namespace tenon
