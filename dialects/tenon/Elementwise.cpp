// Folds of elementwise ops with splat constants and identities. The type
// inference stands in the .td file.
#include "dialects/tenon/InferShared.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tenon {

/// True if `value` is a splat constant whose element has exactly the bits of
/// `number`.
static bool isSplat(Attribute value, double number) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(value);
  if (!splat)
    return false;
  if (isa<FloatType>(splat.getElementType())) {
    APFloat element = splat.getSplatValue<APFloat>();
    APFloat wanted(number);
    bool lossy;
    wanted.convert(element.getSemantics(), APFloat::rmNearestTiesToEven,
                   &lossy);
    return element.bitwiseIsEqual(wanted);
  }
  APInt element = splat.getSplatValue<APInt>();
  return element ==
         APInt(element.getBitWidth(), uint64_t(int64_t(number)), false, true);
}

static bool isInteger(Value value) { return !isa<FloatType>(elementOf(value)); }

OpFoldResult NegateOp::fold(FoldAdaptor) {
  if (auto inner = getOperand().getDefiningOp<NegateOp>())
    if (inner.getOperand().getType() == getType())
      return inner.getOperand();
  return {};
}

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  // x + -0.0 equals x for every x. x + 0.0 does not: for x = -0.0 it is +0.0.
  if (getLhs().getType() == getType() &&
      isSplat(adaptor.getRhs(), isInteger(getLhs()) ? 0.0 : -0.0))
    return getLhs();
  return {};
}

OpFoldResult SubtractOp::fold(FoldAdaptor adaptor) {
  if (getLhs().getType() == getType() && isSplat(adaptor.getRhs(), 0.0))
    return getLhs();
  return {};
}

OpFoldResult MultiplyOp::fold(FoldAdaptor adaptor) {
  if (getLhs().getType() == getType() && isSplat(adaptor.getRhs(), 1.0) &&
      !elementOf(getLhs()).isInteger(1))
    return getLhs();
  return {};
}

OpFoldResult DivideOp::fold(FoldAdaptor adaptor) {
  if (getLhs().getType() == getType() && isSplat(adaptor.getRhs(), 1.0))
    return getLhs();
  return {};
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (getOnTrue() == getOnFalse() && getOnTrue().getType() == getType())
    return getOnTrue();
  auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getPred());
  if (!splat)
    return {};
  Value chosen = splat.getSplatValue<bool>() ? getOnTrue() : getOnFalse();
  return chosen.getType() == getType() ? chosen : Value();
}

OpFoldResult ConvertOp::fold(FoldAdaptor) {
  return getOperand().getType() == getType() ? getOperand() : Value();
}

LogicalResult BitcastConvertOp::verify() {
  // bitcast_convert C2
  Type from = elementOf(getOperand());
  if (from.getIntOrFloatBitWidth() !=
      getType().getElementType().getIntOrFloatBitWidth())
    return emitOpError("expected element types of equal width (C2), got ")
           << from << " and " << getType().getElementType();
  return success();
}

} // namespace tenon
