// Rotations as cosines and sines of positions times frequencies, in f32.
#include "compiler/import/huggingface/blocks/Rotary.h"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace mlir;

namespace tenon::hf {

std::vector<double> rotaryFrequencies(const RopeConfig &rope, int64_t headDim) {
  std::vector<double> frequencies;
  for (int64_t i = 0; i < headDim / 2; ++i) {
    double frequency = std::pow(rope.theta, -2.0 * double(i) / double(headDim));
    if (rope.scaling == RopeConfig::Scaling::Linear)
      frequency /= rope.factor;
    if (rope.scaling == RopeConfig::Scaling::Llama3) {
      // Waves longer than the original context are stretched, short ones stay,
      // and those between are interpolated.
      double turns =
          rope.originalPositions * frequency / (2 * std::numbers::pi);
      double share = (turns - rope.low) / (rope.high - rope.low);
      share = std::clamp(share, 0.0, 1.0);
      frequency = ((1 - share) / rope.factor + share) * frequency;
    }
    frequencies.push_back(frequency);
  }
  return frequencies;
}

Rotary::Rotary(GraphBuilder &g, const RopeConfig &rope, int64_t headDim,
               Value positions)
    : g(g) {
  int64_t rank = g.rankOf(positions);
  Value frequencies =
      g.floats(g.f32(), rotaryFrequencies(rope, headDim), {headDim / 2});
  Value angles = g.mul(
      g.unsqueeze(g.convert(positions, g.f32()), {rank, rank + 1, rank + 2}),
      frequencies);
  cosines = g.make<CosineOp>(angles);
  Value sine = g.make<SineOp>(angles);
  sines = g.concat({g.make<NegateOp>(sine), sine}, rank + 1);
}

Value Rotary::rotate(Value x) const {
  // Halves get a dimension of their own, so that one kernel computes both:
  // [first cos - second sin, second cos + first sin].
  Sizes whole = g.sizes(x), halves = whole;
  halves.back() = g.index(2);
  halves.push_back(g.index(GraphBuilder::shapeOf(x).back() / 2));
  Value pairs = g.reshape(x, halves);
  Value swapped = g.reverse(pairs, {3});
  return g.reshape(g.add(g.mul(pairs, cosines), g.mul(swapped, sines)), whole);
}

} // namespace tenon::hf
