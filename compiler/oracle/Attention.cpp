// Attention from its definition. For each row: all its scores, their softmax,
// and the weighted average of the values.
#include "compiler/oracle/OpInstance.h"

#include <cmath>

using namespace mlir;

namespace tenon {

namespace {
/// A tensor indexed in the dimension order of the definition: [batch..., rows
/// or keys, depth].
struct OrderedTensor {
  const HostTensor &tensor;
  Indices order;
  SmallVector<int64_t> strides = rowMajorStrides(tensor.shape);

  int64_t extent(size_t i) const { return tensor.shape[order[i]]; }
  SmallVector<int64_t> extents() const {
    SmallVector<int64_t> result;
    for (int64_t dim : order)
      result.push_back(tensor.shape[dim]);
    return result;
  }
  /// The linear index of the element at `batch`, `row` and `depth`.
  int64_t place(Indices batch, int64_t row, int64_t depth) const {
    int64_t result = 0;
    for (auto [i, index] : llvm::enumerate(batch))
      result += index * strides[order[i]];
    return result + row * strides[order[batch.size()]] +
           depth * strides[order[batch.size() + 1]];
  }
};

struct Attention {
  mutable AttentionOp op;
  OrderedTensor query, key, value;
  const HostTensor *mask, *causal, *lengths, *table; ///< null: none
  size_t batch = op.getType().getRank() - 2;

  /// The batch index of key and value `k` for a batch index of the queries:
  /// consecutive query heads share a head, and the table names the entry.
  SmallVector<int64_t> sharedBatch(Indices index, int64_t k) const {
    SmallVector<int64_t> shared(index);
    if (batch)
      shared.back() /= query.extent(batch - 1) / key.extent(batch - 1);
    if (table)
      shared[0] = std::clamp<int64_t>(
          table->ints[index[0] * key.extent(batch) + k], 0, key.extent(0) - 1);
    return shared;
  }

  int64_t keyCount(Indices index) const {
    int64_t all = key.extent(batch);
    return lengths ? std::clamp<int64_t>(lengths->ints[index[0]], 0, all) : all;
  }

  /// True if `row` sees key `k`.
  bool isVisible(Indices index, int64_t row, int64_t k) const {
    if (!causal)
      return true;
    int64_t offset = causal->ints[causal->ints.size() == 1 ? 0 : index[0]];
    return k - row <= offset;
  }

  double score(Indices index, int64_t row, int64_t k) const {
    SmallVector<int64_t> shared = sharedBatch(index, k);
    double score = 0;
    for (int64_t d = 0; d < query.extent(batch + 1); ++d)
      score += query.tensor.floats[query.place(index, row, d)] *
               key.tensor.floats[key.place(shared, k, d)];
    score *= op.getScale().convertToDouble();
    bool visible = isVisible(index, row, k);
    int64_t place = 0;
    if (mask) {
      SmallVector<int64_t> at(index);
      at.append({row, k});
      place = linearIndex(at, rowMajorStrides(mask->shape));
      visible &= mask->isFloat() || mask->ints[place];
    }
    if (!visible)
      score = op.getFill()->convertToDouble();
    return mask && mask->isFloat() ? score + mask->floats[place] : score;
  }

  void row(Indices index, int64_t row, const OrderedTensor &result,
           std::vector<double> &floats) const {
    std::vector<double> weights;
    double greatest = floatIdentity(ReduceKind::Maximum), sum = 0;
    for (int64_t k = 0, count = keyCount(index); k < count; ++k) {
      weights.push_back(score(index, row, k));
      greatest = maximumOf(greatest, weights.back());
    }
    for (double &weight : weights)
      sum += weight = std::exp(weight - greatest);
    for (int64_t d = 0; d < value.extent(batch + 1); ++d) {
      double average = 0;
      for (auto [k, weight] : llvm::enumerate(weights))
        average +=
            weight / sum *
            value.tensor.floats[value.place(sharedBatch(index, k), k, d)];
      floats[result.place(index, row, d)] = average;
    }
  }
};
} // namespace

llvm::Expected<HostTensors> evaluateAttention(const OpInstance &at) {
  auto op = cast<AttentionOp>(at.op);
  size_t next = 3;
  auto optional = [&](Value operand) {
    return operand ? at.in[next++] : nullptr;
  };
  const HostTensor *mask = optional(op.getMask()),
                   *causal = optional(op.getCausal()),
                   *lengths = optional(op.getLengths()),
                   *table = optional(op.getTable());
  Attention attention{op,
                      {*at.in[0], op.getQueryOrder()},
                      {*at.in[1], op.getKeyOrder()},
                      {*at.in[2], op.getValueOrder()},
                      mask,
                      causal,
                      lengths,
                      table};
  SmallVector<int64_t> query = attention.query.extents(), scores(query),
                       key = attention.key.extents(),
                       value = attention.value.extents();
  size_t batch = attention.batch;
  scores.back() = key[batch];
  bool grouped =
      batch && key[batch - 1] > 0 && query[batch - 1] % key[batch - 1] == 0;
  SmallVector<int64_t> shared(Indices(query).take_front(batch));
  if (grouped)
    shared.back() = key[batch - 1];
  auto describesRows = [&](const HostTensor *operand, Indices extents) {
    return !operand || operand->shape.empty() ||
           Indices(operand->shape) == extents;
  };
  if (table && key[0] > 0)
    shared[0] = key[0];
  if (Indices(key).take_front(batch) != Indices(shared) ||
      Indices(value).take_front(batch + 1) !=
          Indices(key).take_front(batch + 1) ||
      key.back() != query.back() ||
      (mask && Indices(mask->shape) != Indices(scores)) ||
      !describesRows(causal, query[0]) || !describesRows(lengths, query[0]) ||
      !describesRows(table, {query[0], key[batch]}))
    return at.error("expected operands that fit, got queries " +
                    shapeText(query) + ", keys " + shapeText(key) +
                    " and values " + shapeText(value));
  SmallVector<int64_t> shape(query.size());
  for (size_t i = 0; i < shape.size(); ++i)
    shape[op.getResultOrder()[i]] =
        i + 1 < shape.size() ? query[i] : value.back();
  auto result = at.allocate(at.resultElement(), shape);
  if (!result)
    return result.takeError();
  OrderedTensor places{*result, op.getResultOrder()};
  forEachIndex(Indices(query).drop_back(), [&](Indices index, int64_t) {
    attention.row(index.drop_back(), index.back(), places, result->floats);
  });
  return HostTensors{std::move(*result)};
}

} // namespace tenon
