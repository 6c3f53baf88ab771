// OPT: learned positions with two rows of their own before the first, norms
// before or after attention and feed-forward, and token embeddings that may be
// narrower than the model.
#include "compiler/import/huggingface/blocks/Layers.h"
#include "compiler/import/huggingface/models/Decoder.h"

#include <cmath>

using namespace mlir;

namespace tenon::hf {
namespace {

/// The row of position 0. The rows before it are for pads.
constexpr int64_t firstPosition = 2;
constexpr double epsilon = 1e-5;

class Opt : public Decoder {
public:
  Opt(const OptConfig &config, const Part &root)
      : config(config), root(root), g(root.g),
        model(root.prefixWith({"model.decoder", "decoder"},
                              "embed_tokens.weight")),
        tokens{model["embed_tokens"], config.vocabulary, config.embeddingWidth,
               config.tied} {}

  Value hidden(Value ids, Value positions,
               const Attend &attend) const override {
    Value x = tokens.embed(ids);
    if (isProjected())
      x = linear(model["project_in"], x, config.width, false);
    x = g.add(x,
              embed(model["embed_positions"], g.add(positions, firstPosition),
                    config.positions + firstPosition, config.width));
    for (int64_t i = 0; i < config.layers; ++i)
      x = layer(model["layers"][i], i, x, attend);
    if (config.finalNorm)
      x = norm(model["final_layer_norm"], x);
    if (isProjected())
      x = linear(model["project_out"], x, config.embeddingWidth, false);
    return x;
  }

  Value logits(Value hidden) const override {
    return tokens.logits(root, hidden);
  }

private:
  bool isProjected() const { return config.embeddingWidth != config.width; }

  Value layer(const Part &part, int64_t number, Value x,
              const Attend &attend) const {
    auto all = [](Value y) { return y; };
    x = withNorm(
        part["self_attn_layer_norm"], x,
        [&](Value y) {
          return attention(part["self_attn"], number, y, attend);
        },
        [&](Value y) { return attend.kept(g, number, y); });
    return withNorm(
        part["final_layer_norm"], x,
        [&](Value y) { return feedForward(part, y); }, all);
  }

  /// x + body(norm(x)), or norm(x + body(x)), for the tokens of `x` that are
  /// kept.
  template <typename Body, typename Kept>
  Value withNorm(const Part &part, Value x, const Body &body,
                 const Kept &kept) const {
    if (config.normFirst)
      return g.add(kept(x), body(norm(part, x)));
    return norm(part, g.add(kept(x), body(x)));
  }

  Value attention(const Part &part, int64_t number, Value x,
                  const Attend &attend) const {
    auto heads = [&](const char *name) {
      return splitHeads(g, linear(part[name], x, config.width, config.biases),
                        config.heads);
    };
    double depth = double(config.width / config.heads);
    Value queries = attend.kept(g, number, heads("q_proj"));
    Value y = attend(g, number, {queries, heads("k_proj"), heads("v_proj")},
                     1 / std::sqrt(depth));
    return linear(part["out_proj"], joinHeads(g, y), config.width,
                  config.biases);
  }

  Value feedForward(const Part &part, Value x) const {
    x = linear(part["fc1"], x, config.inner, config.biases);
    return linear(part["fc2"], activate(g, config.activation, x), config.width,
                  config.biases);
  }

  Value norm(const Part &part, Value x) const {
    return layerNorm(part, x, epsilon, config.affineNorm);
  }

  const OptConfig &config;
  Part root;
  GraphBuilder &g;
  Part model;
  TokenTable tokens;
};
} // namespace

std::unique_ptr<Decoder> makeOpt(const OptConfig &config, const Part &root) {
  return std::make_unique<Opt>(config, root);
}

} // namespace tenon::hf
