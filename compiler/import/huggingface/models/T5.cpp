// T5 and mT5: relative positions as a bias of scores, root-mean-square norms
// before attention and feed-forward, no biases of layers, and heads whose joint
// width differs from the model's. Scores are not scaled.
#include "compiler/import/huggingface/blocks/CheckedInput.h"
#include "compiler/import/huggingface/blocks/Layers.h"
#include "compiler/import/huggingface/blocks/Loop.h"
#include "compiler/import/huggingface/blocks/PositionBias.h"
#include "compiler/import/huggingface/models/EncoderDecoder.h"

#include <cmath>

using namespace mlir;

namespace tenon::hf {
namespace {

/// What the two stacks share.
class Stack {
public:
  Stack(const T5Config &config, const Part &root, bool isEncoder)
      : config(config), g(root.g), isEncoder(isEncoder),
        part(root[isEncoder ? "encoder" : "decoder"]) {}

  Part layer(int64_t number, int64_t sublayer) const {
    return part["block"][number]["layer"][sublayer];
  }

  PositionBias bias() const {
    return PositionBias(layer(0, 0)["SelfAttention"],
                        {config.buckets, config.farthest, isEncoder},
                        config.heads);
  }

  /// A projection of `x` to heads, or its keys for an item's results.
  Value heads(const Part &attention, const char *name, Value x) const {
    return splitHeads(
        g, linear(attention[name], x, config.heads * config.headDim, false),
        config.heads);
  }
  Projections project(const Part &attention, Value x, Value bias) const {
    return {heads(attention, "q", x), heads(attention, "k", x),
            heads(attention, "v", x), bias};
  }
  Value output(const Part &attention, Value heads) const {
    return linear(attention["o"], joinHeads(g, heads), config.width, false);
  }

  Value norm(const Part &sublayer, Value x) const {
    return rmsNorm(sublayer["layer_norm"], x, config.epsilon);
  }
  Value lastNorm(Value x) const {
    return rmsNorm(part["final_layer_norm"], x, config.epsilon);
  }

  Value feedForward(const Part &sublayer, Value x) const {
    Part dense = sublayer["DenseReluDense"];
    Value y = norm(sublayer, x);
    auto inner = [&](const char *name) {
      return linear(dense[name], y, config.inner, false);
    };
    Value gate =
        activate(g, config.activation, inner(config.isGated ? "wi_0" : "wi"));
    if (config.isGated)
      gate = g.mul(gate, inner("wi_1"));
    return g.add(x, linear(dense["wo"], gate, config.width, false));
  }

  const T5Config &config;
  GraphBuilder &g;

private:
  bool isEncoder;
  Part part;
};

class TextEncoder : public Encoder {
public:
  TextEncoder(const T5Config &config, const Part &root,
              const TokenTable &tokens, ArrayRef<EncoderArgument> inputs)
      : stack(config, root, /*isEncoder=*/true), table(tokens), g(root.g),
        ids(inputs[0]), bias(stack.bias()) {
    const EncoderArgument &given = inputs[1];
    lengths = checkedInput(g, given.value, 0,
                           g.add(g.size(ids.value, 1), g.index(1)), given.name);
  }

  Size positions() const override { return g.size(ids.value, 1); }

  Value tokens(Size item) const override {
    Sizes offsets = {item, g.index(0)}, strides = g.indices({1, 1});
    Size columns = g.size(ids.value, 1);
    Size length = g.bound(
        g.clamp(sizeAt(g, lengths, item), g.index(0), columns), columns);
    Value own = g.slice(ids.value, offsets, {g.index(1), length}, strides);
    return checkedInput(g, own, 0, g.index(stack.config.vocabulary), ids.name);
  }

  Value encode(Size item) const override {
    Value x = table.embed(tokens(item));
    Size length = g.size(x, 1);
    Value scores = bias.of(g.iota(g.i64(), {length}, 0), length);
    for (int64_t i = 0; i < stack.config.encoderLayers; ++i) {
      Part layer = stack.layer(i, 0), attention = layer["SelfAttention"];
      Projections projected =
          stack.project(attention, stack.norm(layer, x), scores);
      attention.enter();
      x = g.add(x, stack.output(attention, attendToAll(g, projected, 1)));
      x = stack.feedForward(stack.layer(i, 1), x);
    }
    return stack.lastNorm(x);
  }

private:
  Stack stack;
  TokenTable table;
  GraphBuilder &g;
  EncoderArgument ids;
  Value lengths;
  PositionBias bias;
};

class T5 : public EncoderDecoder {
public:
  T5(const T5Config &config, const Part &root)
      : config(config), root(root), g(root.g),
        stack(config, root, /*isEncoder=*/false),
        tokens(tableOf(config, root)) {}

  std::unique_ptr<Encoder>
  encoder(ArrayRef<EncoderArgument> inputs) const override {
    return std::make_unique<TextEncoder>(config, root, tokens, inputs);
  }

  int64_t encoderWidth() const override { return config.width; }

  Projections crossProjections(int64_t layer, Value hidden) const override {
    Part attention = stack.layer(layer, 1)["EncDecAttention"];
    return {Value(), stack.heads(attention, "k", hidden),
            stack.heads(attention, "v", hidden)};
  }

  Value hidden(Value ids, Value positions,
               const Attend &attend) const override {
    // A table that the library does not read.
    stack.layer(0, 1)["EncDecAttention"]["relative_attention_bias"].ignore(
        "weight");
    Value x = tokens.embed(ids);
    PositionBias bias = stack.bias();
    Size keys = attend.keys(g, ids);
    auto scoresOf = [&](Value positions) {
      Value scores = bias.of(positions, keys);
      Sizes sizes = g.sizes(scores);
      sizes[0] = g.size(ids, 0);
      return g.broadcastTo(scores, sizes);
    };
    Value scores = scoresOf(positions);
    for (int64_t i = 0; i < config.layers; ++i) {
      // The last layer may keep one query of each row.
      if (Value kept = attend.kept(g, i, positions); kept != positions)
        scores = scoresOf(kept);
      x = selfAttention(i, x, scores, attend);
      x = crossAttention(i, x, attend);
      x = stack.feedForward(stack.layer(i, 2), x);
    }
    return stack.lastNorm(x);
  }

  Value logits(Value hidden) const override {
    if (config.scalesHead)
      hidden = g.mul(hidden, 1 / std::sqrt(double(config.width)));
    return tokens.logits(root, hidden);
  }

private:
  /// The table that both stacks read. Writers keep one of its names.
  static TokenTable tableOf(const T5Config &config, const Part &root) {
    constexpr StringRef names[] = {"shared", "encoder.embed_tokens",
                                   "decoder.embed_tokens"};
    for (StringRef name : names)
      root[name].ignore("weight");
    return {root.prefixWith(names, "weight"), config.vocabulary, config.width,
            /*tied=*/!root["lm_head"].has("weight")};
  }

  Value selfAttention(int64_t number, Value x, Value scores,
                      const Attend &attend) const {
    Part layer = stack.layer(number, 0), attention = layer["SelfAttention"];
    Projections projected =
        stack.project(attention, stack.norm(layer, x), scores);
    attention.enter();
    projected.queries = attend.kept(g, number, projected.queries);
    Value y = attend(g, number, projected, 1);
    return g.add(attend.kept(g, number, x), stack.output(attention, y));
  }

  Value crossAttention(int64_t number, Value x, const Attend &attend) const {
    Part layer = stack.layer(number, 1), attention = layer["EncDecAttention"];
    Value queries = stack.heads(attention, "q", stack.norm(layer, x));
    attention.enter();
    Value y = attend.cross(g, number, queries, 1);
    return g.add(x, stack.output(attention, y));
  }

  const T5Config &config;
  Part root;
  GraphBuilder &g;
  Stack stack;
  TokenTable tokens;
};
} // namespace

EncoderInputs t5EncoderInputs(const T5Config &config) {
  auto inputs = [](const std::string &prefix, const std::string &columns) {
    EncoderInput::Extent rows{"rows"};
    return std::vector<EncoderInput>{{prefix + "ids", {rows, {columns}}},
                                     {prefix + "lengths", {rows}}};
  };
  return {inputs("", "seq"),
          inputs("encoder_", "encoder_seq"),
          {{"encoder_seq", config.positions}},
          config.positions,
          config.usualPositions};
}

std::unique_ptr<EncoderDecoder> makeT5(const T5Config &config,
                                       const Part &root) {
  return std::make_unique<T5>(config, root);
}

} // namespace tenon::hf
