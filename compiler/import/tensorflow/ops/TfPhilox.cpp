// A block takes ten rounds of two 32-bit products.
#include "compiler/import/tensorflow/ops/TfPhilox.h"

using namespace mlir;

namespace tenon::tf {

constexpr uint64_t kWordBits = 32, kWordMask = 0xffffffff;

mlir::Type wordType(GraphBuilder &g) {
  return g.ops.getIntegerType(64, /*isSigned=*/false);
}

static Value number(GraphBuilder &g, uint64_t value) {
  return g.scalarInt(wordType(g), int64_t(value));
}
static Value lowWord(GraphBuilder &g, Value x) {
  return g.binary<AndOp>(x, number(g, kWordMask));
}
static Value highWord(GraphBuilder &g, Value x) {
  return g.binary<ShiftRightLogicalOp>(x, number(g, kWordBits));
}

Value joinWords(GraphBuilder &g, Value low, Value high) {
  return g.binary<OrOp>(low, g.binary<ShiftLeftOp>(high, number(g, kWordBits)));
}

/// The blocks of the counters with the halves `low` and `high`.
static Words blocks(GraphBuilder &g, Value key, Value low, Value high) {
  Words words = {lowWord(g, low), highWord(g, low), lowWord(g, high),
                 highWord(g, high)};
  Value keys[] = {lowWord(g, key), highWord(g, key)};
  constexpr int rounds = 10;
  constexpr uint64_t factors[] = {0xd2511f53, 0xcd9e8d57},
                     steps[] = {0x9e3779b9, 0xbb67ae85};
  for (int round = 0; round < rounds; ++round) {
    Value products[] = {g.mul(words[0], number(g, factors[0])),
                        g.mul(words[2], number(g, factors[1]))};
    auto mixed = [&](Value product, Value word, Value own) {
      return g.binary<XorOp>(g.binary<XorOp>(highWord(g, product), word), own);
    };
    words = {mixed(products[1], words[1], keys[0]), lowWord(g, products[1]),
             mixed(products[0], words[3], keys[1]), lowWord(g, products[0])};
    for (int i : {0, 1})
      keys[i] = lowWord(g, g.add(keys[i], number(g, steps[i])));
  }
  return words;
}

Words blocksAt(GraphBuilder &g, const Philox &first, Value places) {
  Value low = g.add(places, first.low);
  Value carry =
      g.convert(g.compare(CompareDirection::LT, low, places), wordType(g));
  return blocks(g, first.key, low, g.add(carry, first.high));
}

Philox philoxOfSeeds(GraphBuilder &g, Value first, Value second) {
  // The key with which TensorFlow mixes seeds.
  Value key = number(g, 0x02461e293ec8f720);
  Words words = blocks(g, key, first, second);
  return {joinWords(g, words[0], words[1]), number(g, 0),
          joinWords(g, words[2], words[3])};
}

} // namespace tenon::tf
