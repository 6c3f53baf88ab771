// Gathers along flattened rows.
#include "compiler/import/huggingface/blocks/LeftPads.h"

using namespace mlir;

namespace tenon::hf {

LeftPads::LeftPads(GraphBuilder &g, Value like, Value lengths) : g(g) {
  Sizes sizes = g.sizes(like);
  sizes.resize(2);
  Value extent = g.fromSize(sizes[1], g.i64());
  column = g.iota(g.i64(), sizes, 1);
  firstOfRow = g.mul(g.iota(g.i64(), sizes, 0), extent);
  pads = g.unsqueeze(g.sub(extent, lengths), {1});
  last = g.sub(extent, 1.0);
}

Value LeftPads::take(Value x, Value columns) {
  Sizes sizes = g.sizes(x);
  Sizes flat(sizes.begin() + 1, sizes.end());
  flat.front() = g.mul(sizes[0], sizes[1]);
  return g.take(g.reshape(x, flat), g.add(firstOfRow, columns), 0);
}

Value LeftPads::removeFrom(Value x) {
  return take(x, g.minimum(g.add(column, pads), last));
}

Value LeftPads::restoreTo(Value x) {
  return take(x, g.maximum(g.sub(column, pads), 0.0));
}

} // namespace tenon::hf
