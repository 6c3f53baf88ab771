// Attention over keys and values of a cache: entries with lengths and offsets
// of their own, a table of entries, and narrow keys and values.
#include "test/random/GraphGrower.h"

#include <limits>

using namespace mlir;

namespace tenon {

bool GraphGrower::cachedAttention() {
  static constexpr int64_t depths[] = {1, 4, 16, 20, 32};
  Type element = randomFloat();
  // Only f32 and f64 have narrower types.
  Type cached = element.getIntOrFloatBitWidth() > 16 && random.oneIn(2)
                    ? Type(builder.getBF16Type())
                    : element;
  GrownDim batch = attendedBatch(),
           rows = random.oneIn(2) ? GrownDim{1} : attendedDim(),
           keys = attendedDim(), number = {1 + random.below(2)},
           depth = {depths[random.below(5)]},
           width = random.oneIn(2) ? depth : GrownDim{depths[random.below(5)]},
           group = {1 + random.below(3)};
  bool byTable = random.oneIn(2);
  GrownDim entries = byTable ? GrownDim{1 + random.below(4)} : batch;
  GrownShape shape = {batch, {number.size * group.size}, rows, width};
  GrownShape scores = {batch, shape[1], rows, keys};
  if (Grown{nullptr, scores}.count() > maxElements)
    return false;
  Grown query = fresh(element, {batch, shape[1], rows, depth}),
        key = heads(cached, {entries, number, keys, depth}),
        value = heads(cached, {entries, number, keys, width});
  auto described = [&](const Grown &x, const GrownDim &first,
                       const GrownDim &second) {
    return x.shape[0] == first && x.shape[2] == second;
  };
  if (!described(query, batch, rows) || !described(key, entries, keys) ||
      !described(value, entries, keys))
    return false; // an extent made by this graph cannot be an input's
  Type i64 = builder.getI64Type();
  Grown lengths, causal, table;
  // Every entry has a key, and every row sees its first one.
  if (!byTable || random.oneIn(2))
    lengths = fresh(i64, {batch}, 1, double(keys.size + 2));
  if (random.oneIn(2))
    causal = fresh(i64, {batch}, 0, double(keys.size));
  if (byTable)
    table = fresh(i64, {batch, keys}, -2, double(entries.size + 1));
  double fill =
      random.oneIn(2) ? -std::numeric_limits<double>::infinity() : -10000;
  auto order = builder.getDenseI64ArrayAttr({0, 1, 2, 3});
  Grown result{make<AttentionOp>(
                   type(shape, element), query.value, key.value, value.value,
                   /*mask=*/Value(), causal.value, lengths.value, table.value,
                   order, order, order, order, builder.getF64FloatAttr(0.25),
                   causal.value ? builder.getF64FloatAttr(fill) : FloatAttr()),
               shape, 4, false};
  if (random.oneIn(2))
    result = transposed(result, {0, 2, 1, 3});
  add(result.value, result.shape, result.bound, false);
  return true;
}

} // namespace tenon
