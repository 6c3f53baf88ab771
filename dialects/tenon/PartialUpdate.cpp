// Finds the one op of a scatter kernel and the input that it updates.
#include "dialects/tenon/PartialUpdate.h"

using namespace mlir;

namespace tenon {

std::optional<PartialUpdate> PartialUpdate::of(FusionOp fusion) {
  if (fusion.getKind() != FusionKind::Scatter ||
      fusion.getOutputs().size() != 1)
    return std::nullopt;
  for (BlockArgument argument : fusion.getBlock().getArguments())
    if (argument.hasOneUse() &&
        isa<ScatterOp, DynamicUpdateSliceOp>(*argument.user_begin()) &&
        argument.use_begin()->getOperandNumber() == 0)
      return PartialUpdate{*argument.user_begin(), argument.getArgNumber()};
  return std::nullopt;
}

Value PartialUpdate::update() const {
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return scatter.getUpdates();
  return cast<DynamicUpdateSliceOp>(op).getUpdate();
}

bool updatesInPlace(FusionOp fusion) {
  std::optional<PartialUpdate> partial = PartialUpdate::of(fusion);
  if (!partial || !isa<MemRefType>(fusion.getOutputs()[0].getType()))
    return false;
  Value update = partial->update();
  return fusion.getInputs()[partial->operand] == fusion.getOutputs()[0] &&
         (isa<BlockArgument>(update) ||
          cast<RankedTensorType>(update.getType()).hasStaticShape());
}

} // namespace tenon
