// A scatter per cache, and one attention op that reads both in place.
#include "compiler/import/huggingface/generation/CachedAttend.h"

using namespace mlir;

namespace tenon::hf {

Value CachedAttend::store(GraphBuilder &g, StringRef name, int64_t layer,
                          Value x) const {
  int64_t heads = GraphBuilder::shapeOf(x)[2],
          depth = GraphBuilder::shapeOf(x)[3];
  FlatSymbolRefAttr state =
      states.declare(("cache." + name + "." + Twine(layer)).str(), element,
                     {CallState::rows, heads, CallState::positions, depth});
  // The row and the position of each token.
  Sizes place = g.sizes(places.positions);
  place.push_back(g.index(1));
  Value row = g.broadcastInDim(places.row, {0}, place);
  Value index = g.concat({row, g.unsqueeze(places.positions, {2})}, 2);
  Value cache = states.readSymbol(state);
  Sizes sizes = g.sizes(cache);
  Value written = ScatterOp::create(
      g.ops, g.loc, cache.getType(), ScatterKind::Set, cache, index,
      g.convert(x, element), ArrayRef<int64_t>{2, 3}, ArrayRef<int64_t>{0, 2},
      ArrayRef<int64_t>{}, ArrayRef<int64_t>{}, ArrayRef<int64_t>{0, 2},
      uint64_t(2));
  g.recordSizes(written, sizes);
  states.writeSymbol(state, written);
  return states.readSymbol(state);
}

Value CachedAttend::operator()(GraphBuilder &g, int64_t layer,
                               const Projections &tokens, double scale) const {
  Value keys = store(g, "keys", layer, tokens.keys),
        values = store(g, "values", layer, tokens.values);
  Value queries = tokens.queries;
  Value first = places.first;
  if (needed && layer == layers - 1)
    first = g.add(first, needed->first);
  Sizes sizes = g.sizes(queries);
  DenseI64ArrayAttr heads = g.ops.getDenseI64ArrayAttr({0, 2, 1, 3}),
                    stored = g.ops.getDenseI64ArrayAttr({0, 1, 2, 3});
  FloatAttr fill =
      g.ops.getF64FloatAttr(GraphBuilder::leastOf(g.elementOf(queries)));
  Value result = AttentionOp::create(
      g.ops, g.loc, queries.getType(), queries, keys, values, tokens.bias,
      first, places.lengths, places.table, heads, stored, stored, heads,
      g.ops.getF64FloatAttr(scale), fill);
  g.recordSizes(result, sizes);
  return result;
}

Value CachedAttend::cross(GraphBuilder &, int64_t layer, Value queries,
                          double scale) const {
  return encoder->attend(layer, queries, places.items, places.rowsOfItem,
                         scale);
}

Value CachedAttend::kept(GraphBuilder &g, int64_t layer, Value x) const {
  return needed && layer == layers - 1 ? needed->from(g, x) : x;
}

LastTokens LastTokens::of(GraphBuilder &g, Value lengths, Size tokens,
                          Size most) {
  Size rows = g.size(lengths, 0);
  LastTokens result;
  result.first = g.sub(lengths, g.fromSize(most, g.i64()));
  Value own =
      g.add(g.unsqueeze(result.first, {1}), g.iota(g.i64(), {rows, most}, 1));
  Value firstOfRow =
      g.mul(g.iota(g.i64(), {rows}, 0), g.fromSize(tokens, g.i64()));
  result.number = g.add(g.maximum(own, 0.0), g.unsqueeze(firstOfRow, {1}));
  return result;
}

Value LastTokens::from(GraphBuilder &g, Value x) const {
  Sizes sizes = g.sizes(x), flat(sizes.begin() + 1, sizes.end());
  flat[0] = g.mul(sizes[0], sizes[1]);
  return g.take(g.reshape(x, flat), number, 0);
}

} // namespace tenon::hf
