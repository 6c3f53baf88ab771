// Items are computed one by one: none has pads, and its bits do not depend on
// its neighbours.
#include "compiler/import/huggingface/generation/EncoderStates.h"

#include "compiler/import/huggingface/blocks/Loop.h"

using namespace mlir;

namespace tenon::hf {

FlatSymbolRefAttr EncoderStates::stateOf(StringRef name, int64_t layer,
                                         Value like) {
  ArrayRef<int64_t> shape = GraphBuilder::shapeOf(like);
  return states.declare(
      ("cross." + name + "." + Twine(layer)).str(), element,
      {CallState::items, shape[2], CallState::encoderPositions, shape[3]});
}

void EncoderStates::write(FlatSymbolRefAttr state, Size item, Value x) {
  // From item x positions x heads x depth.
  Value update = g.convert(g.transpose(x, {0, 2, 1, 3}), element);
  Value whole = states.readSymbol(state);
  states.writeSymbol(
      state, g.dynamicUpdateSlice(whole, update,
                                  {item, g.index(0), g.index(0), g.index(0)}));
}

void EncoderStates::encode(const EncoderDecoder &model, const Encoder &encoder,
                           Size items, int64_t layers) {
  // A run that ends before all items are computed leaves none.
  states.writeSize(state::encoded, g.index(0));
  forEach(g, items, [&](Size item) {
    Value hidden = encoder.encode(item);
    for (int64_t layer = 0; layer < layers; ++layer) {
      Projections projected = model.crossProjections(layer, hidden);
      write(stateOf("keys", layer, projected.keys), item, projected.keys);
      write(stateOf("values", layer, projected.values), item, projected.values);
    }
    Value lengths = states.read(state::encoderLengths);
    Value length =
        g.reshape(g.fromSize(g.size(hidden, 1), g.i64()), ArrayRef<int64_t>{1});
    states.write(state::encoderLengths,
                 g.dynamicUpdateSlice(lengths, length, {item}));
    if (Value tokens = encoder.tokens(item)) {
      Value whole = states.read(state::encoderIds);
      Value none =
          g.splat(g.i64(), {g.index(1), states.encoderPositions()}, -1);
      Value padded =
          g.dynamicUpdateSlice(none, tokens, {g.index(0), g.index(0)});
      states.write(state::encoderIds,
                   g.dynamicUpdateSlice(whole, padded, {item, g.index(0)}));
    }
  });
  states.writeSize(state::encoded, items);
}

void EncoderStates::checkKept(Size items) {
  g.checkSize(states.readSize(state::encoded), items, items,
              "input \"keep_encoder\": the rows of the call before");
}

Value EncoderStates::attend(int64_t layer, Value queries, Size items,
                            Size rowsOfItem, double scale) {
  Sizes sizes = g.sizes(queries);
  Value grouped = g.reshape(
      queries, {items, g.mul(rowsOfItem, sizes[1]), sizes[2], sizes[3]});
  auto read = [&](StringRef name) {
    return g.sliceDim(states.readSymbol(stateOf(name, layer, queries)), 0,
                      g.index(0), items);
  };
  Value keys = read("keys"), values = read("values");
  Value lengths = states.readFirst(state::encoderLengths, items);
  DenseI64ArrayAttr heads = g.ops.getDenseI64ArrayAttr({0, 2, 1, 3}),
                    stored = g.ops.getDenseI64ArrayAttr({0, 1, 2, 3});
  Sizes groupedSizes = g.sizes(grouped);
  Value result = AttentionOp::create(
      g.ops, g.loc, grouped.getType(), grouped, keys, values,
      /*mask=*/Value(), /*causal=*/Value(), lengths, /*table=*/Value(), heads,
      stored, stored, heads, g.ops.getF64FloatAttr(scale), FloatAttr());
  g.recordSizes(result, groupedSizes);
  return g.reshape(result, sizes);
}

} // namespace tenon::hf
