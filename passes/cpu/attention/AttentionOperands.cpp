// Operands are read in place, as slices and in any order of dimensions.
#include "passes/cpu/attention/AttentionOperands.h"

#include "passes/cpu/attention/TableRows.h"

using namespace mlir;

namespace tenon {

std::optional<AttentionOperands> AttentionOperands::of(Kernel &kernel) {
  AttentionOp op = opOf<AttentionOp>(kernel);
  // If joining is not possible, the tensor has no memory, so stridedOperand
  // fails below.
  auto joined = [&](Value tensor,
                    ArrayRef<int64_t> order) -> std::optional<JoinedRows> {
    auto join = tensor.getDefiningOp<ConcatenateOp>();
    // Attention that does not read all keys in order does not join all.
    return join && !op.getLengths() && !op.getTable()
               ? JoinedRows::of(kernel, join, order)
               : std::nullopt;
  };
  auto joinedKeys = joined(op.getKey(), op.getKeyOrder()),
       joinedValues = joined(op.getValue(), op.getValueOrder());
  auto query = stridedOperand(kernel, op.getQuery(), op.getQueryOrder()),
       key = stridedOperand(kernel, op.getKey(), op.getKeyOrder()),
       value = stridedOperand(kernel, op.getValue(), op.getValueOrder());
  std::optional<StridedOperand> table;
  if (Value rows = op.getTable()) {
    table = stridedOperand(kernel, rows, {0, 1});
    if (!table || !key || !value || !TableRows::canRead(*key) ||
        !TableRows::canRead(*value))
      return std::nullopt;
  }
  if (!query || !key || !value || !getConstantIntValue(query->extents.back()) ||
      !getConstantIntValue(value->extents.back()))
    return std::nullopt;
  return AttentionOperands{op,
                           *query,
                           *key,
                           *value,
                           table,
                           std::move(joinedKeys),
                           std::move(joinedValues)};
}

SmallVector<Value> AttentionOperands::sharedExtents() const {
  SmallVector<Value> extents(ArrayRef(key.extents).take_front(batch()));
  // The keys may have other entries than the queries.
  if (table)
    extents.front() = query.extents.front();
  return extents;
}

Value AttentionOperands::rows(Kernel &kernel) const {
  IndexBuilder at{kernel.builder, kernel.loc()};
  AttentionOp attention = op;
  return at.mul(query.extents[batch()], at.constant(attention.getHeadGroup()));
}

AttentionFacts AttentionOperands::facts(Kernel &kernel) const {
  int64_t heads = 1;
  for (Value extent : sharedExtents())
    heads *= getConstantIntValue(extent).value_or(1);
  AttentionOp attention = op;
  return {heads,
          getConstantIntValue(rows(kernel)),
          *getConstantIntValue(query.extents.back()),
          *getConstantIntValue(value.extents.back()),
          bool(attention.getCausal()),
          getConstantIntValue(key.strides.back()) == 1,
          query.element.isF32() &&
              getConstantIntValue(value.strides.back()) == 1,
          getConstantIntValue(query.strides.back()) == 1 &&
              std::abs(attention.getScale().convertToDouble()) <= 1,
          table ? TableRows::bytes(key) + TableRows::bytes(value) : 0};
}

} // namespace tenon
