// State ops: verification of their symbols and types.
#include "dialects/tenon/State.h"

#include "dialects/tenon/InferShared.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/tenon/State.cpp.inc"

namespace tenon {

LogicalResult StateOp::verify() {
  // state C1
  auto type = dyn_cast<RankedTensorType>(getType());
  if (!type || !type.hasStaticShape())
    return emitOpError("expected a static tensor type (C1), got ") << getType();
  // state C2
  if (getInitial() && getValue())
    return emitOpError("expected one initial value, a weight or a constant "
                       "(C2), got both");
  if (getValue() && getValue()->getType() != type)
    return emitOpError("expected an initial value of ")
           << type << " (C2), got " << getValue()->getType();
  return success();
}

LogicalResult StateOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // state C2
  if (!getInitial())
    return success();
  auto weight = symbols.lookupNearestSymbolFrom<WeightOp>(getOperation(),
                                                          getInitialAttr());
  if (!weight || weight.getType() != getType())
    return emitOpError("expected a weight of type ")
           << getType() << " named " << *getInitial() << " (C2)";
  return success();
}

/// Checks that `name` is a state of type `used` (state_read C1, state_write C1,
/// state_memory C1).
static LogicalResult verifyState(Operation *op, FlatSymbolRefAttr name,
                                 Type used, SymbolTableCollection &symbols) {
  auto state = symbols.lookupNearestSymbolFrom<StateOp>(op, name);
  auto type = cast<ShapedType>(used);
  auto expected =
      state ? dyn_cast<RankedTensorType>(state.getType()) : RankedTensorType();
  if (!expected || type.getShape() != expected.getShape() ||
      type.getElementType() != expected.getElementType())
    return op->emitOpError("expected a state of type ")
           << used << " named " << name.getValue() << " (C1)";
  return success();
}

LogicalResult StateReadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyState(getOperation(), getStateAttr(), getType(), symbols);
}

LogicalResult StateWriteOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyState(getOperation(), getStateAttr(), getValue().getType(),
                     symbols);
}

LogicalResult StateMemoryOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyState(getOperation(), getStateAttr(), getType(), symbols);
}

LogicalResult
StateReadOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  reifyMixed(builder, getType().getShape(), {}, shapes);
  return success();
}

} // namespace tenon
