// Assigns ascending offsets; every tensor starts at an aligned offset.
#include "passes/buffer/BlobLayout.h"

#include "dialects/tenon/Annotations.h"
#include "dialects/tenon/State.h"
#include "passes/buffer/SizeCloner.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tenon {

/// The bytes from the start of a tensor to the start of the next.
static int64_t strideOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return llvm::alignTo(tensor.getNumElements() *
                           llvm::divideCeil(tensor.getElementTypeBitWidth(), 8),
                       bufferAlignment);
}

/// True if every byte of the value is zero.
static bool isZero(ElementsAttr value) {
  auto dense = dyn_cast<DenseElementsAttr>(value);
  return dense && dense.isSplat() &&
         llvm::all_of(dense.getRawData(), [](char byte) { return byte == 0; });
}

/// Turns initial values that are constants into weights, because the artifact
/// reads initial values from the weight blob only.
static void constantsBecomeWeights(ModuleOp module) {
  SymbolTable symbols(module);
  for (auto state : module.getOps<StateOp>()) {
    ElementsAttr value = state.getValueAttr();
    if (!value)
      continue;
    state.removeValueAttr();
    if (isZero(value))
      continue;
    OpBuilder builder(state);
    auto weight = WeightOp::create(builder, state.getLoc(),
                                   (state.getSymName() + ".initial").str(),
                                   state.getType(), WeightSourceAttr());
    builder.createBlock(&weight.getRecipe());
    Value constant = ConstantOp::create(builder, state.getLoc(), value);
    YieldOp::create(builder, state.getLoc(), constant);
    state.setInitial(symbols.insert(weight).getValue());
  }
}

/// Numbers the states and the context extents as the artifact's tables have
/// them, and gives offsets to the states whose size is known: they come first.
/// Returns the bytes up to their end.
static int64_t layOutStates(ModuleOp module) {
  int64_t bytes = 0, number = 0;
  for (auto state : module.getOps<StateOp>()) {
    if (state.hasContextExtents())
      continue;
    state.setOffset(bytes);
    state.setNumber(number++);
    bytes += strideOf(state.getType());
  }
  for (auto state : module.getOps<StateOp>())
    if (state.hasContextExtents())
      state.setNumber(number++);
  number = 0;
  for (auto extent :
       llvm::make_early_inc_range(module.getOps<ContextExtentOp>())) {
    if (SymbolTable::symbolKnownUseEmpty(extent, module))
      extent.erase();
    else
      extent.setNumber(number++);
  }
  return bytes;
}

void layOutBlobs(ModuleOp module) {
  llvm::DenseSet<StringRef> usedWeights, usedStates;
  for (auto func : module.getOps<func::FuncOp>())
    func.walk([&](Operation *op) {
      if (auto use = dyn_cast<GetWeightOp>(op))
        usedWeights.insert(use.getWeight());
      else if (auto use = dyn_cast<StateMemoryOp>(op))
        usedStates.insert(use.getState());
    });
  for (auto state : llvm::make_early_inc_range(module.getOps<StateOp>()))
    if (!usedStates.contains(state.getSymName()))
      state.erase();
  constantsBecomeWeights(module);
  int64_t stateBytes = layOutStates(module), weightBytes = 0;
  for (auto state : module.getOps<StateOp>())
    if (std::optional<StringRef> initial = state.getInitial())
      usedWeights.insert(*initial);
  for (auto weight : module.getOps<WeightOp>()) {
    if (!usedWeights.contains(weight.getSymName()))
      continue;
    weight.setOffset(weightBytes);
    weightBytes += strideOf(weight.getType());
  }
  annotation::weightBytes.setCount(module, weightBytes);
  annotation::stateBytes.setCount(module, stateBytes);
}

} // namespace tenon
