// Traces an extent through ops that keep it, to the name that an input gives
// it.
#include "passes/shape/ExtentForms.h"

#include "dialects/tenon/Annotations.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;

namespace tenon {

OpFoldResult ExtentForms::ofExtent(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return builder.getIndexAttr(type.getDimSize(dim));
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    DimsAttr dims = annotation::dims.of(func, argument.getArgNumber());
    if (StringAttr name = dims ? dims.nameOf(dim) : StringAttr())
      return name;
  }
  Operation *op = tensor.getDefiningOp();
  if (op && op->hasTrait<Elementwise>())
    return ofExtent(op->getOperand(0), dim);
  if (auto pad = dyn_cast_or_null<PadOp>(op);
      pad && pad.getStaticHigh()[dim] == 0)
    return ofExtent(pad.getOperand(), dim);
  auto reify = dyn_cast_or_null<ReifyRankedShapedTypeOpInterface>(op);
  ReifiedRankedShapedTypeDims shapes;
  if (!reify)
    return {};
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(op);
  if (succeeded(reify.reifyResultShapes(builder, shapes)))
    return ofSize(shapes[cast<OpResult>(tensor).getResultNumber()][dim]);
  return {};
}

OpFoldResult ExtentForms::ofSize(OpFoldResult size) {
  auto value = dyn_cast<Value>(size);
  auto asked = value ? value.getDefiningOp<tensor::DimOp>() : nullptr;
  return asked && asked.getConstantIndex()
             ? ofExtent(asked.getSource(), *asked.getConstantIndex())
             : size;
}

bool ExtentForms::isSameProduct(ArrayRef<OpFoldResult> a,
                                ArrayRef<OpFoldResult> b) {
  auto factor = [](ArrayRef<OpFoldResult> list, SmallVectorImpl<void *> &rest) {
    int64_t number = 1;
    for (OpFoldResult entry : list)
      if (auto constant = getConstantIntValue(entry))
        number *= *constant;
      else
        rest.push_back(entry.getOpaqueValue());
    llvm::sort(rest);
    return number;
  };
  for (ArrayRef<OpFoldResult> list : {a, b})
    if (llvm::any_of(list, [](OpFoldResult form) { return !form; }))
      return false;
  SmallVector<void *> left, right;
  return factor(a, left) == factor(b, right) && left == right;
}

} // namespace tenon
