// Operands are read in place, as slices and in any order of dimensions.
#include "passes/cpu/attention/AttentionOperands.h"

using namespace mlir;

namespace tenon {

AttentionOp attentionOf(FusionOp fusion) {
  for (Operation &inner : fusion.getBlock())
    if (auto attention = dyn_cast<AttentionOp>(inner))
      return attention;
  return {};
}

std::optional<AttentionOperands> AttentionOperands::of(Kernel &kernel) {
  AttentionOp op = attentionOf(kernel.fusion);
  // If joining is not possible, the tensor has no memory, so stridedOperand
  // fails below.
  auto joined = [&](Value tensor,
                    ArrayRef<int64_t> order) -> std::optional<JoinedRows> {
    auto join = tensor.getDefiningOp<ConcatenateOp>();
    return join ? JoinedRows::of(kernel, join, order) : std::nullopt;
  };
  auto joinedKeys = joined(op.getKey(), op.getKeyOrder()),
       joinedValues = joined(op.getValue(), op.getValueOrder());
  auto query = stridedOperand(kernel, op.getQuery(), op.getQueryOrder()),
       key = stridedOperand(kernel, op.getKey(), op.getKeyOrder()),
       value = stridedOperand(kernel, op.getValue(), op.getValueOrder());
  if (!query || !key || !value || !getConstantIntValue(query->extents.back()) ||
      !getConstantIntValue(value->extents.back()))
    return std::nullopt;
  return AttentionOperands{
      op, *query, *key, *value, std::move(joinedKeys), std::move(joinedValues)};
}

Value AttentionOperands::rows(Kernel &kernel) const {
  IndexBuilder at{kernel.builder, kernel.loc()};
  AttentionOp attention = op;
  return at.mul(query.extents[batch()], at.constant(attention.getHeadGroup()));
}

AttentionFacts AttentionOperands::facts(Kernel &kernel) const {
  int64_t heads = 1;
  for (Value extent : ArrayRef(key.extents).take_front(batch()))
    heads *= getConstantIntValue(extent).value_or(1);
  AttentionOp attention = op;
  return {heads,
          getConstantIntValue(rows(kernel)),
          *getConstantIntValue(query.extents.back()),
          *getConstantIntValue(value.extents.back()),
          bool(attention.getCausal()),
          getConstantIntValue(key.strides.back()) == 1,
          value.element.isF32() &&
              getConstantIntValue(value.strides.back()) == 1};
}

} // namespace tenon
