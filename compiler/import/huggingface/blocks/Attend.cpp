// Attention within a sequence, as one op.
#include "compiler/import/huggingface/blocks/Attend.h"

#include <limits>

using namespace mlir;

namespace tenon::hf {

/// `causal` is null if every query reads all keys.
static Value attention(GraphBuilder &g, const Projections &tokens, Value causal,
                       FloatAttr fill, double scale) {
  // From rows x positions x heads x depth.
  DenseI64ArrayAttr order = g.ops.getDenseI64ArrayAttr({0, 2, 1, 3});
  Sizes sizes = g.sizes(tokens.queries);
  Value result = AttentionOp::create(g.ops, g.loc, tokens.queries.getType(),
                                     tokens.queries, tokens.keys, tokens.values,
                                     tokens.bias, causal, /*lengths=*/Value(),
                                     /*table=*/Value(), order, order, order,
                                     order, g.ops.getF64FloatAttr(scale), fill);
  g.recordSizes(result, sizes);
  return result;
}

Value AttendInSequence::operator()(GraphBuilder &g, int64_t,
                                   const Projections &tokens,
                                   double scale) const {
  // Every token sees itself, so the exponentials of masked keys vanish.
  FloatAttr fill = g.ops.getF64FloatAttr(std::numeric_limits<float>::lowest());
  return attention(g, tokens, g.indexValue(g.index(0)), fill, scale);
}

Value attendToAll(GraphBuilder &g, const Projections &tokens, double scale) {
  return attention(g, tokens, /*causal=*/Value(), FloatAttr(), scale);
}

} // namespace tenon::hf
