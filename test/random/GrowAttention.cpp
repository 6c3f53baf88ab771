// Attention as frontends write it. Heads are split from rows or separate, and
// may be shared by groups of queries. It has a scale, masks, softmax and the
// average of the values; then heads are joined again.
#include "test/random/GraphGrower.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;

namespace tenon {

/// An extent that sometimes exceeds one block of the kernel.
GrownDim GraphGrower::attendedDim() {
  static constexpr int64_t extents[] = {1, 2, 5, 7, 16, 17, 33, 64, 65, 100};
  if (!named.empty() && random.oneIn(2)) {
    int which = int(random.below(named.size()));
    return {named[which], which + 1};
  }
  return {extents[random.below(std::size(extents))]};
}

GrownDim GraphGrower::attendedBatch() {
  if (!named.empty() && random.oneIn(2)) {
    int which = int(random.below(named.size()));
    if (named[which] <= 3)
      return {named[which], which + 1};
  }
  return {1 + random.below(3)};
}

/// Sometimes broadcasts `x` to its own shape. Importers write that where
/// dynamic extents are combined with static ones.
Grown GraphGrower::pinned(const Grown &x) {
  if (x.isStatic() || !random.oneIn(3))
    return x;
  Grown result = x;
  llvm::SmallVector<int64_t> dims, sizes;
  for (auto [d, dim] : llvm::enumerate(result.shape)) {
    dims.push_back(d);
    sizes.push_back(dim.size);
    dim.symbol = 0;
  }
  result.value = make<BroadcastInDimOp>(type(result.shape, x.element()),
                                        x.value, dims, ValueRange(), sizes);
  return result;
}

/// `x`, whose batch is one, broadcast to the batch of `model`; the ranks are
/// equal.
Grown GraphGrower::spreadAlong(const Grown &x, const Grown &model) {
  Grown result = x;
  result.shape[0] = model.shape[0];
  llvm::SmallVector<OpFoldResult> extents = sizes(x);
  extents[0] = sizes(model)[0];
  Mixed mixed = split(extents);
  result.value = make<BroadcastInDimOp>(type(result.shape, x.element()),
                                        x.value, ArrayRef<int64_t>{0, 1, 2, 3},
                                        mixed.values, mixed.list);
  return result;
}

Grown GraphGrower::transposed(const Grown &x, ArrayRef<int64_t> order) {
  Grown result = x;
  result.value = make<TransposeOp>(x.value, order);
  for (auto [to, from] : llvm::zip_equal(result.shape, order))
    to = x.shape[from];
  return result;
}

Grown GraphGrower::reshaped(const Grown &x, const GrownShape &shape,
                            ArrayRef<OpFoldResult> extents) {
  Mixed mixed = split(extents);
  Grown result = x;
  result.shape = shape;
  result.value = make<ReshapeOp>(type(shape, x.element()), x.value,
                                 mixed.values, mixed.list);
  return result;
}

/// A tensor [batch, heads, length, depth], made from an input in one of the
/// layouts that frontends use.
Grown GraphGrower::heads(Type element, const GrownShape &shape) {
  GrownDim batch = shape[0], number = shape[1], length = shape[2],
           depth = shape[3];
  if (random.oneIn(3))
    return fresh(element, shape);
  if (random.oneIn(2))
    return transposed(fresh(element, {batch, length, number, depth}),
                      {0, 2, 1, 3});
  // Rows that hold all heads.
  Grown rows = fresh(element, {batch, length, {number.size * depth.size}});
  llvm::SmallVector<OpFoldResult> extents = sizes(rows);
  extents.pop_back();
  extents.push_back(builder.getIndexAttr(number.size));
  extents.push_back(builder.getIndexAttr(depth.size));
  return transposed(reshaped(rows, {batch, length, number, depth}, extents),
                    {0, 2, 1, 3});
}

/// Repeats the heads of keys or values for each query head of their group.
Grown GraphGrower::repeatedHeads(const Grown &x, int64_t group) {
  if (group == 1)
    return x;
  llvm::SmallVector<OpFoldResult> apart = sizes(x);
  apart.insert(apart.begin() + 2, builder.getIndexAttr(group));
  GrownShape shape = x.shape;
  shape.insert(shape.begin() + 2, GrownDim{group});
  Mixed mixed = split(apart);
  Grown spread = x;
  spread.shape = shape;
  spread.value = make<BroadcastInDimOp>(type(shape, x.element()), x.value,
                                        ArrayRef<int64_t>{0, 1, 3, 4},
                                        mixed.values, mixed.list);
  shape.erase(shape.begin() + 2);
  shape[1].size *= group;
  apart.erase(apart.begin() + 2);
  apart[1] = builder.getIndexAttr(shape[1].size);
  return reshaped(spread, shape, apart);
}

/// Flags of the keys that each row may see, in the shape of `scores`.
Value GraphGrower::visibleKeys(const Grown &scores, bool causal) {
  Mixed mixed = split(sizes(scores));
  if (!causal) {
    GrownShape shape = {{1}, {1}, scores.shape[2], scores.shape[3]};
    if (random.oneIn(2))
      shape[0] = scores.shape[0];
    Grown flags = fresh(builder.getI1Type(), shape);
    return broadcastTo(flags.value, {0, 1, 2, 3}, scores);
  }
  auto along = [&](int64_t dim) -> Value {
    return make<IotaOp>(type(scores.shape, builder.getI64Type()), dim,
                        mixed.values, mixed.list);
  };
  Grown rows{along(2), scores.shape};
  Value last = rows.value;
  if (int64_t offset = random.below(3))
    last = make<AddOp>(rows.value, splat(rows, double(offset)));
  return make<CompareOp>(CompareDirection::LE, along(3), last);
}

/// The scores with a scale and masks.
Grown GraphGrower::maskedScores(Grown scores, int64_t depth) {
  double root = std::sqrt(double(depth));
  switch (random.below(3)) {
  case 0:
    scores.value = make<MultiplyOp>(scores.value, splat(scores, 1 / root));
    break;
  case 1:
    scores.value = make<DivideOp>(scores.value, splat(scores, root));
    break;
  default:
    break;
  }
  int64_t kind = random.below(5);
  if (kind == 1 || kind == 2) {
    bool causal = kind == 2;
    // Every row sees its first key, so the fill may be infinite.
    double fill = causal && random.oneIn(2)
                      ? -std::numeric_limits<double>::infinity()
                      : -10000;
    scores.value = make<SelectOp>(visibleKeys(scores, causal), scores.value,
                                  splat(scores, fill));
  }
  if (kind == 3) {
    Grown mask =
        fresh(scores.element(), {{1}, {1}, scores.shape[2], scores.shape[3]});
    scores.value = make<AddOp>(scores.value,
                               broadcastTo(mask.value, {0, 1, 2, 3}, scores));
  }
  return scores;
}

bool GraphGrower::attention() {
  if (random.oneIn(3))
    return cachedAttention();
  static constexpr int64_t depths[] = {1, 3, 4, 8, 16, 20};
  Type element = randomFloat();
  GrownDim batch = attendedBatch(), rows = attendedDim(),
           keys = random.oneIn(2) ? rows : attendedDim();
  int64_t group = random.oneIn(2) ? 1 : 2 + random.below(2);
  GrownDim number = {1 + random.below(2)}, depth = {depths[random.below(6)]},
           width = random.oneIn(2) ? depth : GrownDim{depths[random.below(6)]};
  GrownShape scoresShape = {batch, {number.size * group}, rows, keys};
  if (Grown{nullptr, scoresShape}.count() > maxElements)
    return false;
  Grown query = heads(element, {batch, scoresShape[1], rows, depth});
  // The batch of the keys may be one, shared by all queries.
  bool shared = batch.symbol && random.oneIn(2);
  Grown key =
      heads(element, {shared ? GrownDim{1} : batch, number, keys, depth});
  if (shared && random.oneIn(2))
    key.value = make<MultiplyOp>(key.value, splat(key, 0.5));
  Grown value = heads(element, {batch, number, keys, width});
  if (query.shape[2] != rows || key.shape[2] != keys || value.shape[2] != keys)
    return false; // an extent made by this graph cannot be an input's
  key = repeatedHeads(key, group);
  value = repeatedHeads(value, group);
  llvm::SmallVector<int64_t> both = {0, 1};
  bool turned = random.oneIn(2);
  if (turned)
    key = transposed(key, {0, 1, 3, 2});
  if (shared)
    key = spreadAlong(key, query);
  Grown scores{make<DotGeneralOp>(type(scoresShape, element), query.value,
                                  key.value, both, both, ArrayRef<int64_t>{3},
                                  ArrayRef<int64_t>{turned ? 2 : 3}),
               scoresShape};
  scores = pinned(maskedScores(pinned(scores), depth.size));
  rows = scores.shape[2];
  batch = scores.shape[0];
  Value weights = make<SoftmaxOp>(scores.value, 3);
  GrownShape shape = {batch, scoresShape[1], rows, width};
  Grown result{make<DotGeneralOp>(type(shape, element), weights, value.value,
                                  both, both, ArrayRef<int64_t>{3},
                                  ArrayRef<int64_t>{2}),
               shape, 4, false};
  if (random.oneIn(2)) {
    result = transposed(result, {0, 2, 1, 3});
    if (random.oneIn(2)) {
      llvm::SmallVector<OpFoldResult> extents = sizes(result);
      extents.pop_back();
      int64_t joined = scoresShape[1].size * width.size;
      extents.back() = builder.getIndexAttr(joined);
      result = reshaped(result, {batch, rows, {joined}}, extents);
    }
  }
  add(result.value, result.shape, result.bound, false);
  return true;
}

} // namespace tenon
