// Maps write an element after they have read those of the same index.
#include "passes/buffer/OwnElements.h"

using namespace mlir;

namespace tenon {

bool readsOwnElements(FusionOp fusion, BlockArgument argument) {
  return fusion.getKind() == FusionKind::Map && isReadElementwise(argument);
}

} // namespace tenon
