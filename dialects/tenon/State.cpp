// State ops: verification of their symbols and types.
#include "dialects/tenon/State.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/tenon/State.cpp.inc"

namespace tenon {

LogicalResult ContextExtentOp::verify() {
  // context_extent C1
  int64_t least = getLeast(), most = getMost(), initial = getInitial();
  if (least < 0 || initial < least || most < initial)
    return emitOpError("expected 0 <= least <= default <= most (C1), got ")
           << least << ", " << initial << " and " << most;
  return success();
}

LogicalResult GetExtentOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // get_extent C1
  if (!symbols.lookupNearestSymbolFrom<ContextExtentOp>(getOperation(),
                                                        getExtentAttr()))
    return emitOpError("expected a context extent named ")
           << getExtent() << " (C1)";
  return success();
}

LogicalResult StateOffsetOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // state_offset C1
  auto state =
      symbols.lookupNearestSymbolFrom<StateOp>(getOperation(), getStateAttr());
  if (!state || !state.hasContextExtents())
    return emitOpError("expected a state with context extents named ")
           << getState() << " (C1)";
  return success();
}

LogicalResult StateOp::verify() {
  // state C1
  auto type = dyn_cast<RankedTensorType>(getType());
  if (!type)
    return emitOpError("expected a ranked tensor type (C1), got ") << getType();
  size_t named = getExtents() ? getExtents()->size() : 0;
  if (named != type.getNumDynamicDims())
    return emitOpError("expected ")
           << type.getNumDynamicDims()
           << " context extents, one for each dynamic dimension (C1), got "
           << named;
  // state C2
  if (getInitial() && getValue())
    return emitOpError("expected one initial value, a weight or a constant "
                       "(C2), got both");
  if (getValue() && getValue()->getType() != type)
    return emitOpError("expected an initial value of ")
           << type << " (C2), got " << getValue()->getType();
  return success();
}

FlatSymbolRefAttr StateOp::extentOf(int64_t dim) {
  auto type = cast<RankedTensorType>(getType());
  if (!type.isDynamicDim(dim))
    return {};
  return cast<FlatSymbolRefAttr>(
      getExtentsAttr()[type.getDynamicDimIndex(dim)]);
}

LogicalResult StateOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // state C1
  if (ArrayAttr extents = getExtentsAttr())
    for (Attribute extent : extents)
      if (!symbols.lookupNearestSymbolFrom<ContextExtentOp>(
              getOperation(), cast<FlatSymbolRefAttr>(extent)))
        return emitOpError("expected a context extent named ")
               << cast<FlatSymbolRefAttr>(extent).getValue() << " (C1)";
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

Value contextExtent(OpBuilder &builder, Operation *user,
                    FlatSymbolRefAttr extent) {
  Region *body = user->getParentRegion();
  while (Region *outer = body->getParentOp()->getParentRegion()) {
    if (isa<FunctionOpInterface>(body->getParentOp()))
      break;
    body = outer;
  }
  Block &entry = body->front();
  // One op for each extent, so that equal extents are one value.
  for (Operation &op : entry) {
    if (auto known = dyn_cast<GetExtentOp>(op);
        known && known.getExtentAttr() == extent)
      return known;
    if (!isa<GetExtentOp, StateOffsetOp>(op) &&
        !op.hasTrait<OpTrait::ConstantLike>())
      break;
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&entry);
  return GetExtentOp::create(builder, user->getLoc(), extent);
}

OpFoldResult stateExtent(OpBuilder &builder, Operation *user,
                         FlatSymbolRefAttr state, int64_t dim) {
  auto kept = SymbolTable::lookupNearestSymbolFrom<StateOp>(user, state);
  auto type = cast<RankedTensorType>(kept.getType());
  if (!type.isDynamicDim(dim))
    return builder.getIndexAttr(type.getDimSize(dim));
  return contextExtent(builder, user, kept.extentOf(dim));
}

LogicalResult
StateReadOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t d = 0; d < getType().getRank(); ++d)
    sizes.push_back(stateExtent(builder, getOperation(), getStateAttr(), d));
  shapes.push_back(std::move(sizes));
  return success();
}

} // namespace tenon
