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

} // namespace tenon
