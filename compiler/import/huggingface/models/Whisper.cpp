// Whisper: an encoder of windows of sound, which all have one length, and a
// decoder of text. Norms before attention and feed-forward, keys without
// biases, learned positions.
#include "compiler/import/huggingface/blocks/CheckedInput.h"
#include "compiler/import/huggingface/blocks/Layers.h"
#include "compiler/import/huggingface/blocks/LogMel.h"
#include "compiler/import/huggingface/blocks/Loop.h"
#include "compiler/import/huggingface/models/EncoderDecoder.h"

#include <cmath>

using namespace mlir;

namespace tenon::hf {
namespace {

constexpr double epsilon = 1e-5;
constexpr int64_t kernelLength = 3;

/// What the layers of both stacks share.
class Stack {
public:
  Stack(const WhisperConfig &config, const WhisperStack &sizes,
        const Part &part)
      : config(config), sizes(sizes), part(part), g(part.g) {}

  Part layer(int64_t number) const { return part["layers"][number]; }

  Value heads(const Part &attention, const char *name, Value x,
              bool bias = true) const {
    return splitHeads(g, linear(attention[name], x, config.width, bias),
                      sizes.heads);
  }
  Value queries(const Part &attention, Value x) const {
    return heads(attention, "q_proj", x);
  }
  Projections keysAndValues(const Part &attention, Value x) const {
    return {Value(), heads(attention, "k_proj", x, /*bias=*/false),
            heads(attention, "v_proj", x)};
  }
  Projections project(const Part &attention, Value x) const {
    Value projected = queries(attention, x);
    Projections all = keysAndValues(attention, x);
    all.queries = projected;
    return all;
  }
  Value output(const Part &attention, Value heads) const {
    return linear(attention["out_proj"], joinHeads(g, heads), config.width,
                  true);
  }
  double scale() const {
    return 1 / std::sqrt(double(config.width / sizes.heads));
  }

  Value norm(const Part &part, Value x) const {
    return layerNorm(part, x, epsilon);
  }
  Value lastNorm(Value x) const { return norm(part["layer_norm"], x); }

  Value feedForward(const Part &layer, Value x) const {
    Value y = norm(layer["final_layer_norm"], x);
    y = linear(layer["fc1"], y, sizes.inner, true);
    y = activate(g, config.activation, y);
    return g.add(x, linear(layer["fc2"], y, config.width, true));
  }

  const WhisperConfig &config;
  const WhisperStack &sizes;
  Part part;
  GraphBuilder &g;
};

class SoundEncoder : public Encoder {
public:
  SoundEncoder(const WhisperConfig &config, const Part &model,
               ArrayRef<EncoderArgument> inputs)
      : stack(config, config.encoder, model["encoder"]), g(model.g),
        features(inputs[0].value), greatest(inputs[2].value) {
    const EncoderArgument &given = inputs[1];
    frames = checkedInput(g, given.value, 1,
                          g.add(g.size(features, 2), g.index(1)), given.name);
  }

  Size positions() const override {
    return g.index(stack.config.encoderPositions);
  }

  Value tokens(Size) const override { return {}; }

  Value encode(Size item) const override {
    Value x = window(item);
    x = convolve("conv1", x, 1);
    x = convolve("conv2", x, 2);
    x = g.add(x, positionTable());
    for (int64_t i = 0; i < stack.sizes.layers; ++i) {
      Part layer = stack.layer(i), attention = layer["self_attn"];
      Projections projected = stack.project(
          attention, stack.norm(layer["self_attn_layer_norm"], x));
      attention.enter();
      Value y = attendToAll(g, projected, stack.scale());
      x = g.add(x, stack.output(attention, y));
      x = stack.feedForward(layer, x);
    }
    return stack.lastNorm(x);
  }

private:
  /// The scaled features of an item, [1, frames, bins]. After its frames there
  /// are zeros, which are no silence: the library pads scaled features.
  Value window(Size item) const {
    const WhisperConfig &config = stack.config;
    stack.part.enter();
    Size most = g.size(features, 2);
    Size length =
        g.bound(g.clamp(sizeAt(g, frames, item), g.index(0), most), most);
    Sizes one = g.indices({1, 1, 1});
    Value own = g.slice(features, {item, g.index(0), g.index(0)},
                        {g.index(1), g.index(config.bins), length}, one);
    Value scaled =
        scaledFeatures(g, own, g.sliceDim(greatest, 0, item, g.index(1)));
    Value none =
        g.splat(g.f32(), g.indices({1, config.frames(), config.bins}), 0);
    return g.dynamicUpdateSlice(none, g.transpose(scaled, {0, 2, 1}),
                                g.indices({0, 0, 0}));
  }

  /// A convolution along the frames, and the activation.
  Value convolve(const char *name, Value x, int64_t stride) const {
    Part part = stack.part[name];
    part.enter();
    int64_t width = stack.config.width,
            inputs = GraphBuilder::shapeOf(x).back(),
            frames = GraphBuilder::shapeOf(x)[1] / stride;
    Value kernel = g.transpose(
        part.weight("weight", {width, inputs, kernelLength}), {2, 1, 0});
    Value y = ConvolutionOp::create(
        g.ops, g.loc, RankedTensorType::get({1, frames, width}, g.f32()), x,
        kernel, ArrayRef<int64_t>{stride}, ArrayRef<int64_t>{1, 1},
        ArrayRef<int64_t>{1}, ArrayRef<int64_t>{1}, uint64_t(1));
    return activate(g, Activation::Gelu,
                    g.add(y, part.weight("bias", {width})));
  }

  /// [positions, width]: the stored table, or the sinusoids that it begins as.
  Value positionTable() const {
    const WhisperConfig &config = stack.config;
    Part part = stack.part["embed_positions"];
    part.enter();
    SmallVector<int64_t> shape = {config.encoderPositions, config.width};
    if (part.has("weight"))
      return part.weight("weight", shape);
    std::vector<double> rates;
    int64_t half = config.width / 2;
    for (int64_t i = 0; i < half; ++i)
      rates.push_back(std::exp(-std::log(10000.0) * double(i) /
                               double(std::max<int64_t>(half - 1, 1))));
    // In f64: the last angles are large.
    Type f64 = g.ops.getF64Type();
    Value angles =
        g.mul(g.iota(f64, g.indices({config.encoderPositions, half}), 0),
              g.floats(f64, rates, {half}));
    return g.convert(
        g.concat({g.make<SineOp>(angles), g.make<CosineOp>(angles)}, 1),
        g.f32());
  }

  Stack stack;
  GraphBuilder &g;
  Value features, frames, greatest;
};

class Whisper : public EncoderDecoder {
public:
  Whisper(const WhisperConfig &config, const Part &root)
      : config(config), root(root), g(root.g),
        model(root.prefixWith({"model", ""}, "decoder.embed_tokens.weight")),
        stack(config, config.decoder, model["decoder"]),
        tokens{stack.part["embed_tokens"], config.vocabulary, config.width,
               /*tied=*/true} {}

  std::unique_ptr<Encoder>
  encoder(ArrayRef<EncoderArgument> inputs) const override {
    return std::make_unique<SoundEncoder>(config, model, inputs);
  }

  int64_t encoderWidth() const override { return config.width; }

  Projections crossProjections(int64_t layer, Value hidden) const override {
    return stack.keysAndValues(stack.layer(layer)["encoder_attn"], hidden);
  }

  Value hidden(Value ids, Value positions,
               const Attend &attend) const override {
    Value x =
        g.add(tokens.embed(ids), embed(stack.part["embed_positions"], positions,
                                       config.positions, config.width));
    for (int64_t i = 0; i < config.layers; ++i) {
      Part layer = stack.layer(i);
      x = selfAttention(layer, i, x, attend);
      x = crossAttention(layer, i, x, attend);
      x = stack.feedForward(layer, x);
    }
    return stack.lastNorm(x);
  }

  Value logits(Value hidden) const override {
    // Writers may store the tied head a second time.
    root["proj_out"].ignore("weight");
    return tokens.logits(root, hidden);
  }

private:
  Value selfAttention(const Part &layer, int64_t number, Value x,
                      const Attend &attend) const {
    Part attention = layer["self_attn"];
    Projections projected =
        stack.project(attention, stack.norm(layer["self_attn_layer_norm"], x));
    attention.enter();
    projected.queries = attend.kept(g, number, projected.queries);
    Value y = attend(g, number, projected, stack.scale());
    return g.add(attend.kept(g, number, x), stack.output(attention, y));
  }

  Value crossAttention(const Part &layer, int64_t number, Value x,
                       const Attend &attend) const {
    Part attention = layer["encoder_attn"];
    Value queries = stack.queries(
        attention, stack.norm(layer["encoder_attn_layer_norm"], x));
    attention.enter();
    Value y = attend.cross(g, number, queries, stack.scale());
    return g.add(x, stack.output(attention, y));
  }

  const WhisperConfig &config;
  Part root;
  GraphBuilder &g;
  Part model;
  Stack stack;
  TokenTable tokens;
};
} // namespace

EncoderInputs whisperEncoderInputs(const WhisperConfig &config) {
  EncoderInput::Extent rows{"rows"};
  std::vector<EncoderInput> inputs = {
      {"features", {rows, {"", config.bins}, {"frames"}}, /*isFloat=*/true},
      {"frames", {rows}},
      {"greatest", {rows}, /*isFloat=*/true}};
  return {inputs,
          inputs,
          {{"frames", config.frames()}},
          config.encoderPositions,
          config.encoderPositions,
          /*isFixed=*/true,
          /*hasTokens=*/false};
}

std::unique_ptr<EncoderDecoder> makeWhisper(const WhisperConfig &config,
                                            const Part &root) {
  return std::make_unique<Whisper>(config, root);
}

} // namespace tenon::hf
