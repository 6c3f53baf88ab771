// The finalizer of SplitMix64, as ops for words of the run and as arithmetic
// for keys that are known.
#include "compiler/import/graph/RandomWords.h"

#include <cmath>

using namespace mlir;

namespace tenon {
namespace {

constexpr uint64_t golden = 0x9e3779b97f4a7c15, first = 0xbf58476d1ce4e5b9,
                   second = 0x94d049bb133111eb;

Value word(GraphBuilder &g, uint64_t value) {
  return g.scalarInt(randomWordType(g), int64_t(value));
}

Value shift(GraphBuilder &g, Value x, uint64_t by) {
  return g.binary<ShiftRightLogicalOp>(x, word(g, by));
}

Value mixed(GraphBuilder &g, Value x, uint64_t by) {
  return g.binary<XorOp>(x, shift(g, x, by));
}

Value scramble(GraphBuilder &g, Value z) {
  z = g.mul(mixed(g, z, 30), word(g, first));
  z = g.mul(mixed(g, z, 27), word(g, second));
  return mixed(g, z, 31);
}
} // namespace

Type randomWordType(GraphBuilder &g) {
  return g.ops.getIntegerType(64, /*isSigned=*/false);
}

Value randomWords(GraphBuilder &g, Value starts, Value places) {
  return scramble(g, g.add(g.mul(places, word(g, golden)), starts));
}

uint64_t randomStream(uint64_t start, uint64_t number) {
  uint64_t z = start + number * golden;
  z = (z ^ z >> 30) * first;
  z = (z ^ z >> 27) * second;
  return z ^ z >> 31;
}

Value randomStream(GraphBuilder &g, Value start, Value number) {
  return randomWords(g, start, number);
}

Value uniformNumbers(GraphBuilder &g, Value words, int64_t bits, Type element) {
  return g.mul(g.convert(shift(g, words, uint64_t(64 - bits)), element),
               std::ldexp(1, int(-bits)));
}

} // namespace tenon
