// A size is an index, an integer in a tensor is not.
#include "compiler/import/huggingface/blocks/SizeIn.h"

using namespace mlir;

namespace tenon::hf {

Size sizeIn(GraphBuilder &g, Value scalar) {
  return g.make<arith::IndexCastOp>(g.ops.getIndexType(),
                                    g.extractScalar(scalar));
}

} // namespace tenon::hf
