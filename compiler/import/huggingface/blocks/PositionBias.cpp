// A vector for each head, by distance, from which rows of the bias are taken.
#include "compiler/import/huggingface/blocks/PositionBias.h"

#include <cmath>

using namespace mlir;

namespace tenon::hf {

/// The bucket of a distance in one direction, which has `count` buckets: half
/// of them for one distance each, the others for ranges that grow by a factor.
int64_t DistanceBuckets::ofDistance(int64_t distance, int64_t count) const {
  int64_t exact = count / 2;
  if (distance < exact)
    return distance;
  // In f32, as the library computes it.
  float range = std::log(float(distance) / float(exact)) /
                float(std::log(double(farthest) / double(exact))) *
                float(count - exact);
  return std::min(exact + int64_t(range), count - 1);
}

int64_t DistanceBuckets::of(int64_t ahead) const {
  if (!bothDirections)
    return ofDistance(std::max<int64_t>(-ahead, 0), buckets);
  int64_t half = buckets / 2;
  return ofDistance(std::abs(ahead), half) + (ahead > 0 ? half : 0);
}

int64_t DistanceBuckets::last() const {
  // The bucket of `farthest` is the last one.
  int64_t distance = farthest;
  while (distance > 0 && of(-(distance - 1)) == of(-farthest))
    --distance;
  return distance;
}

PositionBias::PositionBias(const Part &part, const DistanceBuckets &buckets,
                           int64_t heads)
    : g(part.g) {
  Part table = part["relative_attention_bias"];
  table.enter();
  int64_t last = buckets.last();
  first = -last;
  count = (buckets.bothDirections ? 2 * last : last) + 1;
  SmallVector<int64_t> numbers;
  for (int64_t ahead = first; ahead < first + count; ++ahead)
    numbers.push_back(buckets.of(ahead));
  Value rows = g.take(table.weight("weight", {buckets.buckets, heads}),
                      g.ints(numbers), 0);
  byDistance = g.transpose(rows, {1, 0});
}

Value PositionBias::of(Value positions, Size keys) const {
  if (g.rankOf(positions) == 1)
    positions = g.unsqueeze(positions, {0});
  Sizes sizes = g.sizes(positions);
  sizes.push_back(keys);
  Value key = g.iota(g.i64(), sizes, 2);
  Value ahead = g.sub(key, g.broadcastInDim(positions, {0, 1}, sizes));
  Value place = g.sub(g.clamp(ahead, double(first), double(first + count - 1)),
                      double(first));
  // From heads x rows x queries x keys.
  return g.transpose(g.take(byDistance, place, 1), {1, 0, 2, 3});
}

} // namespace tenon::hf
