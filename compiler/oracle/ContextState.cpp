// Shapes of states come from context extents, as in a context of the runtime.
#include "compiler/oracle/ContextState.h"

using namespace mlir;
using llvm::Error;
using llvm::Expected;

namespace tenon {

Expected<int64_t> contextExtent(Operation *op, FlatSymbolRefAttr name,
                                const OracleOptions &options) {
  auto extent = SymbolTable::lookupNearestSymbolFrom<ContextExtentOp>(op, name);
  if (!extent)
    return llvm::createStringError("expected a context extent named " +
                                   name.getValue());
  auto chosen = options.contextExtents.find(name.getValue().str());
  int64_t size = chosen == options.contextExtents.end()
                     ? int64_t(extent.getInitial())
                     : chosen->second;
  int64_t least = extent.getLeast(), most = extent.getMost();
  if (size < least || size > most)
    return llvm::createStringError("context extent " + name.getValue() +
                                   ": expected " + Twine(least) + " to " +
                                   Twine(most) + ", got " + Twine(size));
  return size;
}

static Expected<SmallVector<int64_t>> shapeOf(StateOp state,
                                              const OracleOptions &options) {
  auto type = cast<RankedTensorType>(state.getType());
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d)) {
      auto size = contextExtent(state, state.extentOf(d), options);
      if (!size)
        return size.takeError();
      shape[d] = *size;
    }
  return shape;
}

Expected<HostTensor> firstValue(StateOp state, const OracleOptions &options) {
  if (state.getValue())
    return HostTensor::fromAttr(*state.getValue());
  auto shape = shapeOf(state, options);
  if (!shape)
    return shape.takeError();
  int64_t count = checkedCount(*shape);
  if (count < 0 || count > options.maxElements)
    return llvm::createStringError("the state has too many elements");
  return HostTensor::zeros(getElementTypeOrSelf(state.getType()), *shape);
}

Error writeState(StateWriteOp op, const HostTensor &value,
                 const OracleOptions &options, OracleState &states) {
  auto state =
      SymbolTable::lookupNearestSymbolFrom<StateOp>(op, op.getStateAttr());
  if (!state)
    return llvm::createStringError("expected a state named " + op.getState());
  auto shape = shapeOf(state, options);
  if (!shape)
    return shape.takeError();
  if (ArrayRef<int64_t>(value.shape) != ArrayRef<int64_t>(*shape))
    return llvm::createStringError("expected a value of the state's shape");
  states.insert_or_assign(op.getState().str(), value);
  return Error::success();
}

} // namespace tenon
