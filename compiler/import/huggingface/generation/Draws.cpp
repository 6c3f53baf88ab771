// A stream of random words for each seed, row and step.
#include "compiler/import/huggingface/generation/Draws.h"

#include "compiler/import/graph/RandomWords.h"

using namespace mlir;

namespace tenon::hf {

Value gumbelNoise(GraphBuilder &g, Value seed, Size step, Value columns) {
  Size rows = g.size(columns, 0);
  Type words = randomWordType(g);
  Value row = g.iota(words, {rows, g.index(1)}, 0);
  Value ofRow = randomStream(g, g.convert(seed, words), g.add(row, 1.0));
  Value ofStep =
      randomStream(g, ofRow, g.fromSize(g.add(step, g.index(1)), words));
  Value u = uniformNumbers(g, randomWords(g, ofStep, g.convert(columns, words)),
                           23, g.f32());
  // Half a step more, so that u is in (0, 1).
  u = g.add(u, 0x1p-24);
  return g.make<NegateOp>(g.make<LogOp>(g.make<NegateOp>(g.make<LogOp>(u))));
}

} // namespace tenon::hf
