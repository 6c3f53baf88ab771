// Packing ops: shape rules, inference and sizes.
#include "dialects/tenon/Packing.h"

#include "dialects/tenon/InferShared.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using llvm::Twine;

#define GET_OP_CLASSES
#include "dialects/tenon/Packing.cpp.inc"

namespace tenon {

ShapeOrError packShape(Extents operand, int64_t dim, int64_t width) {
  if (dim < 0 || dim >= int64_t(operand.size()))
    return shapeError("expected a dimension within rank " +
                      Twine(operand.size()) + " (C1), got " + Twine(dim));
  if (width <= 0)
    return shapeError("expected a positive width (C2), got " + Twine(width));
  ShapeOrError result{SmallVector<int64_t>(operand), ""};
  result.shape.erase(result.shape.begin() + dim);
  result.shape.insert(result.shape.begin(),
                      operand[dim] == ShapedType::kDynamic
                          ? ShapedType::kDynamic
                          : int64_t(llvm::divideCeil(operand[dim], width)));
  result.shape.push_back(width);
  return result;
}

ShapeOrError unpackShape(Extents operand, int64_t dim, int64_t extent) {
  int64_t rank = int64_t(operand.size()) - 1;
  if (rank < 1 || dim < 0 || dim >= rank)
    return shapeError("expected panels, a width and a dimension within rank " +
                      Twine(std::max<int64_t>(0, rank)) + " (C1), got " +
                      Twine(operand.size()) + " dimensions and " + Twine(dim));
  int64_t panels = operand.front(), width = operand.back();
  bool known = panels != ShapedType::kDynamic && width != ShapedType::kDynamic;
  if (extent < 0 || width == 0 ||
      (known && int64_t(llvm::divideCeil(extent, width)) != panels))
    return shapeError("expected an extent that fills the panels (C2), got " +
                      Twine(extent) + " for " + Twine(panels) + " panels of " +
                      Twine(width));
  ShapeOrError result{SmallVector<int64_t>(operand.drop_front().drop_back()),
                      ""};
  result.shape.insert(result.shape.begin() + dim, extent);
  return result;
}

/// The operand's shape with its last extent but one, n, replaced by count(n).
/// The operand must have at least two dimensions and the right element type
/// (C1).
static ShapeOrError withDepth(Extents operand, bool isElement,
                              const char *expected,
                              llvm::function_ref<int64_t(int64_t)> count) {
  if (operand.size() < 2 || !isElement)
    return shapeError(Twine("expected at least two dimensions of ") + expected +
                      " (C1)");
  ShapeOrError result{SmallVector<int64_t>(operand), ""};
  int64_t &depth = result.shape[operand.size() - 2];
  if (depth != ShapedType::kDynamic)
    depth = count(depth);
  return result;
}

ShapeOrError wordShape(Extents operand, Type element, int64_t count) {
  bool pairs = count == pairCount;
  return withDepth(
      operand, pairs ? element.isBF16() : element.isSignlessInteger(8),
      pairs ? "bf16" : "i8",
      [&](int64_t depth) { return int64_t(llvm::divideCeil(depth, count)); });
}

ShapeOrError elementShape(Extents words, Type word, int64_t count) {
  return withDepth(words, word.isInteger(32), "i32",
                   [&](int64_t depth) { return count * depth; });
}

LogicalResult PackOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> location,
                                       ValueRange operands, DictionaryAttr,
                                       OpaqueProperties properties, RegionRange,
                                       SmallVectorImpl<Type> &results) {
  auto *own = properties.as<Properties *>();
  return inferFrom(packShape(shapeOf(operands[0]), own->getDim().getInt(),
                             own->getWidth().getInt()),
                   elementOf(operands[0]), location, results);
}

LogicalResult PackOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  SizeBuilder sizes{builder, getLoc()};
  int64_t width = getWidth();
  SmallVector<OpFoldResult> result =
      mixedSizes(builder, getLoc(), getOperand());
  OpFoldResult raised = sizes.add(result[getDim()], sizes.constant(width - 1));
  result.erase(result.begin() + getDim());
  result.insert(result.begin(), sizes.floorDiv(raised, width));
  result.push_back(sizes.constant(width));
  shapes.push_back(result);
  return success();
}

LogicalResult UnpackOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         ValueRange operands, DictionaryAttr,
                                         OpaqueProperties properties,
                                         RegionRange,
                                         SmallVectorImpl<Type> &results) {
  auto *own = properties.as<Properties *>();
  return inferFrom(unpackShape(shapeOf(operands[0]), own->getDim().getInt(),
                               own->getExtent().getInt()),
                   elementOf(operands[0]), location, results);
}

LogicalResult UnpackOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  SizeBuilder sizes{builder, getLoc()};
  SmallVector<OpFoldResult> result =
      mixedSizes(builder, getLoc(), getOperand());
  result.erase(result.begin());
  result.pop_back();
  result.insert(result.begin() + getDim(), sizes.constant(getExtent()));
  shapes.push_back(result);
  return success();
}

/// The extents of `operand`, with `change` applied to the last but one.
static void reifyDepth(OpBuilder &builder, Location loc, Value operand,
                       ReifiedRankedShapedTypeDims &shapes,
                       llvm::function_ref<OpFoldResult(OpFoldResult)> change) {
  SmallVector<OpFoldResult> result = mixedSizes(builder, loc, operand);
  OpFoldResult &depth = result[result.size() - 2];
  depth = change(depth);
  shapes.push_back(result);
}

/// The words that `op`, a pair or quad, joins its operand's elements to.
template <typename Op>
static LogicalResult reifyWords(Op op, OpBuilder &builder,
                                ReifiedRankedShapedTypeDims &shapes,
                                int64_t count) {
  SizeBuilder sizes{builder, op.getLoc()};
  reifyDepth(builder, op.getLoc(), op.getOperand(), shapes,
             [&](OpFoldResult depth) {
               return sizes.floorDiv(
                   sizes.add(depth, sizes.constant(count - 1)), count);
             });
  return success();
}

template <typename Op>
static LogicalResult reifyElements(Op op, OpBuilder &builder,
                                   ReifiedRankedShapedTypeDims &shapes,
                                   int64_t count) {
  SizeBuilder sizes{builder, op.getLoc()};
  reifyDepth(builder, op.getLoc(), op.getOperand(), shapes,
             [&](OpFoldResult depth) {
               return sizes.mul(depth, sizes.constant(count));
             });
  return success();
}

LogicalResult PairOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> location,
                                       ValueRange operands, DictionaryAttr,
                                       OpaqueProperties, RegionRange,
                                       SmallVectorImpl<Type> &results) {
  return inferFrom(
      wordShape(shapeOf(operands[0]), elementOf(operands[0]), pairCount),
      IntegerType::get(context, 32), location, results);
}

LogicalResult PairOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  return reifyWords(*this, builder, shapes, pairCount);
}

LogicalResult UnpairOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         ValueRange operands, DictionaryAttr,
                                         OpaqueProperties, RegionRange,
                                         SmallVectorImpl<Type> &results) {
  return inferFrom(
      elementShape(shapeOf(operands[0]), elementOf(operands[0]), pairCount),
      BFloat16Type::get(context), location, results);
}

LogicalResult UnpairOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  return reifyElements(*this, builder, shapes, pairCount);
}

LogicalResult QuadOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> location,
                                       ValueRange operands, DictionaryAttr,
                                       OpaqueProperties, RegionRange,
                                       SmallVectorImpl<Type> &results) {
  return inferFrom(
      wordShape(shapeOf(operands[0]), elementOf(operands[0]), quadCount),
      IntegerType::get(context, 32), location, results);
}

LogicalResult QuadOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  return reifyWords(*this, builder, shapes, quadCount);
}

LogicalResult UnquadOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         ValueRange operands, DictionaryAttr,
                                         OpaqueProperties, RegionRange,
                                         SmallVectorImpl<Type> &results) {
  return inferFrom(
      elementShape(shapeOf(operands[0]), elementOf(operands[0]), quadCount),
      IntegerType::get(context, 8), location, results);
}

LogicalResult UnquadOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  return reifyElements(*this, builder, shapes, quadCount);
}

} // namespace tenon
