// Follows an argument through elementwise ops to the kernel's yield.
#include "passes/buffer/OwnElements.h"

using namespace mlir;

namespace tenon {

bool readsOwnElements(FusionOp fusion, BlockArgument argument) {
  if (fusion.getKind() != FusionKind::Map)
    return false;
  SmallVector<Value> open = {argument};
  while (!open.empty())
    for (Operation *user : open.pop_back_val().getUsers()) {
      if (isa<YieldOp>(user))
        continue;
      if (!user->hasTrait<Elementwise>())
        return false;
      llvm::append_range(open, user->getResults());
    }
  return true;
}

std::optional<unsigned> updatedInput(FusionOp fusion) {
  if (fusion.getKind() != FusionKind::Scatter ||
      fusion.getOutputs().size() != 1)
    return std::nullopt;
  for (BlockArgument argument : fusion.getBlock().getArguments())
    if (argument.hasOneUse() &&
        isa<ScatterOp, DynamicUpdateSliceOp>(*argument.user_begin()) &&
        argument.use_begin()->getOperandNumber() == 0)
      return argument.getArgNumber();
  return std::nullopt;
}

} // namespace tenon
