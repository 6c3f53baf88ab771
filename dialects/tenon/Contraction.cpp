// Contraction ops: verification and shapes.
#include "dialects/tenon/Contraction.h"

#include "dialects/tenon/InferShared.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tenon {

static SmallVector<int64_t> freeDims(int64_t rank, Extents batch,
                                     Extents contract) {
  SmallVector<int64_t> dims;
  for (int64_t i = 0; i < rank; ++i)
    if (!llvm::is_contained(batch, i) && !llvm::is_contained(contract, i))
      dims.push_back(i);
  return dims;
}

SmallVector<int64_t> DotGeneralOp::getLhsFree() {
  return freeDims(getLhs().getType().getRank(), getLhsBatch(),
                  getLhsContract());
}

SmallVector<int64_t> DotGeneralOp::getRhsFree() {
  return freeDims(getRhs().getType().getRank(), getRhsBatch(),
                  getRhsContract());
}

/// Checks the constraint on `products` (dot_general C6, convolution C5).
template <typename Op>
static LogicalResult verifyProducts(Op op, const char *label) {
  auto element = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getElementType();
  };
  auto rounds = [](Type type) { return type.isF32() || type.isBF16(); };
  Type lhs = element(op.getLhs()), rhs = element(op.getRhs()),
       result = element(op.getResult());
  bool quads = op.getProducts() == Products::Quads;
  bool holds = quads ? lhs.isUnsignedInteger(8) && rhs.isSignlessInteger(8) &&
                           result.isSignlessInteger(32)
                     : rounds(lhs) && rounds(rhs) && result.isF32();
  if (op.getProducts() == Products::Chain || holds)
    return success();
  return op.emitOpError()
         << (quads ? "expected quads of ui8 and i8 with an i32 result ("
                   : "expected pairs of f32 or bf16 with an f32 result (")
         << label << "), got " << lhs << ", " << rhs << " and " << result;
}

LogicalResult DotGeneralOp::verify() {
  if (failed(verifyProducts(*this, "C6")))
    return failure();
  // dot_general C1 to C5
  return verifyShape(getOperation(),
                     dotGeneralShape(shapeOf(getLhs()), shapeOf(getRhs()),
                                     getLhsBatch(), getRhsBatch(),
                                     getLhsContract(), getRhsContract()),
                     getType(), "C5");
}

LogicalResult
DotGeneralOp::reifyResultShapes(OpBuilder &builder,
                                ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim : getLhsBatch())
    sizes.push_back(mixedSize(builder, getLoc(), getLhs(), dim));
  for (int64_t dim : getLhsFree())
    sizes.push_back(mixedSize(builder, getLoc(), getLhs(), dim));
  for (int64_t dim : getRhsFree())
    sizes.push_back(mixedSize(builder, getLoc(), getRhs(), dim));
  shapes.push_back(sizes);
  return success();
}

LogicalResult ConvolutionOp::verify() {
  if (failed(verifyProducts(*this, "C5")))
    return failure();
  // convolution C1 to C4
  return verifyShape(getOperation(),
                     convolutionShape(shapeOf(getLhs()), shapeOf(getRhs()),
                                      getStrides(), getPadding(),
                                      getLhsDilation(), getRhsDilation(),
                                      getGroups()),
                     getType(), "C4");
}

LogicalResult
ConvolutionOp::reifyResultShapes(OpBuilder &builder,
                                 ReifiedRankedShapedTypeDims &shapes) {
  SizeBuilder sizes{builder, getLoc()};
  int64_t spatial = getStrides().size();
  SmallVector<OpFoldResult> result = {
      mixedSize(builder, getLoc(), getLhs(), 0)};
  for (int64_t i = 0; i < spatial; ++i) {
    OpFoldResult window = mixedSize(builder, getLoc(), getRhs(), i);
    OpFoldResult size = mixedSize(builder, getLoc(), getLhs(), i + 1);
    OpFoldResult dilated = size;
    if (int64_t dilation = getLhsDilation()[i]; dilation != 1)
      dilated =
          sizes.max(sizes.add(sizes.mul(sizes.sub(size, sizes.constant(1)),
                                        sizes.constant(dilation)),
                              sizes.constant(1)),
                    0);
    OpFoldResult padded = sizes.add(
        dilated, sizes.constant(getPadding()[2 * i] + getPadding()[2 * i + 1]));
    OpFoldResult span = sizes.mul(sizes.sub(window, sizes.constant(1)),
                                  sizes.constant(getRhsDilation()[i]));
    OpFoldResult places = sizes.floorDiv(
        sizes.sub(sizes.sub(padded, span), sizes.constant(1)), getStrides()[i]);
    result.push_back(sizes.max(sizes.add(places, sizes.constant(1)), 0));
  }
  result.push_back(mixedSize(builder, getLoc(), getRhs(), spatial + 1));
  shapes.push_back(result);
  return success();
}

SmallVector<Operation *> productsOfPairs(Operation *root) {
  SmallVector<Operation *> found;
  auto add = [&](auto op) {
    if (op.getProducts() == Products::Pairs)
      found.push_back(op);
  };
  root->walk([&](Operation *op) {
    TypeSwitch<Operation *>(op).Case<DotGeneralOp, ConvolutionOp>(add);
  });
  return found;
}

} // namespace tenon
