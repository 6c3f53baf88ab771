// Items are computed one by one: none has pads, and its bits do not depend on
// its neighbours.
#include "compiler/import/huggingface/generation/EncoderStates.h"

#include "compiler/import/huggingface/blocks/Loop.h"
#include "compiler/import/huggingface/generation/Conditional.h"

using namespace mlir;

namespace tenon::hf {
namespace {

/// The rows of one tile of attention. With a known number of rows up to this
/// one, a task reads keys and values once, where they are.
constexpr int64_t fewRows = 6;

/// attend(queries), where `queries` are [items, rows, heads, depth]. One row,
/// which greedy search has, and few rows, as of beams, have ops of their own.
Value forFewRows(GraphBuilder &g, Value queries, Size rows,
                 llvm::function_ref<Value(Value)> attend) {
  if (GraphBuilder::staticSize(rows))
    return attend(queries);
  Sizes sizes = g.sizes(queries);
  auto isAtMost = [&](int64_t most) {
    return g.cmp(arith::CmpIPredicate::sle, rows, g.index(most));
  };
  auto withRows = [&](int64_t count) {
    Sizes known = sizes;
    known[1] = g.index(count);
    return known;
  };
  auto one = [&] {
    return g.reshape(attend(g.reshape(queries, withRows(1))), sizes);
  };
  auto few = [&] {
    Value padded = g.dynamicUpdateSlice(
        g.splat(g.elementOf(queries), withRows(fewRows), 0), queries,
        Sizes(4, g.index(0)));
    return g.sliceDim(attend(padded), 1, g.index(0), rows);
  };
  auto more = [&] { return attend(queries); };
  return choose(g, isAtMost(1), sizes, one,
                [&] { return choose(g, isAtMost(fewRows), sizes, few, more); });
}
} // namespace

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
  Size rows = g.mul(rowsOfItem, sizes[1]);
  Value grouped = g.reshape(queries, {items, rows, sizes[2], sizes[3]});
  auto read = [&](StringRef name) {
    return g.sliceDim(states.readSymbol(stateOf(name, layer, queries)), 0,
                      g.index(0), items);
  };
  auto attention = [&](Value queries) {
    // Beside the op, which then reads the states where they are.
    Value keys = read("keys"), values = read("values"),
          lengths = states.readFirst(state::encoderLengths, items);
    DenseI64ArrayAttr heads = g.ops.getDenseI64ArrayAttr({0, 2, 1, 3}),
                      stored = g.ops.getDenseI64ArrayAttr({0, 1, 2, 3});
    Sizes sizes = g.sizes(queries);
    Value result = AttentionOp::create(
        g.ops, g.loc, queries.getType(), queries, keys, values,
        /*mask=*/Value(), /*causal=*/Value(), lengths, /*table=*/Value(), heads,
        stored, stored, heads, g.ops.getF64FloatAttr(scale), FloatAttr());
    g.recordSizes(result, sizes);
    return result;
  };
  return g.reshape(forFewRows(g, grouped, rows, attention), sizes);
}

} // namespace tenon::hf
