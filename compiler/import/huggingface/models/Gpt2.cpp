// GPT-2: learned positions, norms before attention and feed-forward, and linear
// layers stored by columns.
#include "compiler/import/huggingface/blocks/Layers.h"
#include "compiler/import/huggingface/models/Decoder.h"

#include <cmath>

using namespace mlir;

namespace tenon::hf {
namespace {

class Gpt2 : public Decoder {
public:
  Gpt2(const Gpt2Config &config, const Part &root)
      : config(config), root(root), g(root.g),
        model(root.prefixWith({"", "transformer"}, "wte.weight")),
        tokens{model["wte"], config.vocabulary, config.width, config.tied} {}

  Value hidden(Value ids, Value positions,
               const Attend &attend) const override {
    Value x = g.add(tokens.embed(ids), embed(model["wpe"], positions,
                                             config.positions, config.width));
    for (int64_t i = 0; i < config.layers; ++i)
      x = block(model["h"][i], i, x, attend);
    return norm(model["ln_f"], x);
  }

  Value logits(Value hidden) const override {
    return tokens.logits(root, hidden);
  }

private:
  Value block(const Part &part, int64_t layer, Value x,
              const Attend &attend) const {
    Value y = attention(part["attn"], layer, norm(part["ln_1"], x), attend);
    x = g.add(attend.kept(g, layer, x), y);
    return g.add(x, feedForward(part["mlp"], norm(part["ln_2"], x)));
  }

  Value attention(const Part &part, int64_t layer, Value x,
                  const Attend &attend) const {
    // The causal mask of older files.
    part.ignore("bias");
    part.ignore("masked_bias");
    Value all = linearByColumns(part["c_attn"], x, 3 * config.width);
    auto heads = [&](Value all, int64_t third) {
      return splitHeads(g,
                        g.sliceDim(all, 2, g.index(third * config.width),
                                   g.index(config.width)),
                        config.heads);
    };
    // Queries are part of a longer tensor in all layers, which then share a
    // kernel.
    Value queries = heads(attend.kept(g, layer, all), 0);
    double scale = 1;
    if (config.scaleByDepth)
      scale /= std::sqrt(double(config.width / config.heads));
    if (config.scaleByLayer)
      scale /= double(layer + 1);
    Value y = attend(g, layer, {queries, heads(all, 1), heads(all, 2)}, scale);
    return linearByColumns(part["c_proj"], joinHeads(g, y), config.width);
  }

  Value feedForward(const Part &part, Value x) const {
    x = linearByColumns(part["c_fc"], x, config.inner);
    return linearByColumns(part["c_proj"], activate(g, config.activation, x),
                           config.width);
  }

  Value norm(const Part &part, Value x) const {
    return layerNorm(part, x, config.epsilon);
  }

  const Gpt2Config &config;
  Part root;
  GraphBuilder &g;
  Part model;
  TokenTable tokens;
};
} // namespace

std::unique_ptr<Decoder> makeGpt2(const Gpt2Config &config, const Part &root) {
  return std::make_unique<Gpt2>(config, root);
}

} // namespace tenon::hf
