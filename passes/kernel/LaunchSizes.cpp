// Sizes at the place of a launch: the elements that its tasks divide, and
// whether there are any.
#include "passes/kernel/LaunchSizes.h"

#include "dialects/tenon/KernelPlan.h"
#include "dialects/tenon/PartialUpdate.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace tenon {

bool hasNoElements(FusionOp fusion) {
  return llvm::all_of(fusion.getOutputs(), [](Value output) {
    auto type = dyn_cast<MemRefType>(output.getType());
    return type && llvm::is_contained(type.getShape(), 0);
  });
}

SmallVector<OpFoldResult> dividedSizes(OpBuilder &builder, FusionOp fusion) {
  Location loc = fusion.getLoc();
  if (!isa<UpdatePlanAttr>(planOf(fusion)))
    return memref::getMixedSizes(builder, loc, fusion.getOutputs()[0]);
  Value update = PartialUpdate::of(fusion)->update();
  if (auto argument = dyn_cast<BlockArgument>(update))
    return memref::getMixedSizes(builder, loc,
                                 fusion.getInputs()[argument.getArgNumber()]);
  return getAsIndexOpFoldResult(
      builder.getContext(),
      cast<RankedTensorType>(update.getType()).getShape());
}

Value unlessEmpty(OpBuilder &builder, FusionOp fusion, Value tasks) {
  auto shape = dyn_cast<MemRefType>(fusion.getOutputs()[0].getType());
  if (fusion.getKind() == FusionKind::Map && shape && shape.getRank() <= 1)
    return tasks;
  Location loc = fusion.getLoc();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value empty;
  for (Value output : fusion.getOutputs()) {
    auto type = dyn_cast<MemRefType>(output.getType());
    if (!type || (type.hasStaticShape() && type.getNumElements() != 0))
      return tasks;
    Value none;
    for (OpFoldResult size : memref::getMixedSizes(builder, loc, output)) {
      if (auto known = getConstantIntValue(size); known && *known != 0)
        continue;
      Value isZero = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq,
          getValueOrCreateConstantIndexOp(builder, loc, size), zero);
      none = none ? arith::OrIOp::create(builder, loc, none, isZero) : isZero;
    }
    empty = empty ? arith::AndIOp::create(builder, loc, empty, none) : none;
  }
  return empty ? arith::SelectOp::create(builder, loc, empty, zero, tasks)
               : tasks;
}

} // namespace tenon
