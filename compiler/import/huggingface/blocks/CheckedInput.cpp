// One check op for all elements.
#include "compiler/import/huggingface/blocks/CheckedInput.h"

using namespace mlir;

namespace tenon::hf {

Value checkedInput(GraphBuilder &g, Value elements, int64_t least, Size end,
                   StringRef input) {
  return g.make<CheckRangeOp>(
      elements, g.splatLike(elements, double(least)),
      g.broadcastTo(g.fromSize(end, g.i64()), g.sizes(elements)),
      g.ops.getStringAttr("input \"" + input.str() + "\""));
}

} // namespace tenon::hf
