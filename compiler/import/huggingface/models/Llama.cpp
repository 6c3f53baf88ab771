// Llama, Mistral, Qwen2 and Qwen3: rotary positions, root-mean-square norms,
// gated feed-forward, and heads of keys and values that queries share. They
// differ in biases and in norms of queries and keys.
#include "compiler/import/huggingface/blocks/Layers.h"
#include "compiler/import/huggingface/blocks/Rotary.h"
#include "compiler/import/huggingface/models/Decoder.h"

#include <cmath>

using namespace mlir;

namespace tenon::hf {
namespace {

class Llama : public Decoder {
public:
  Llama(const LlamaConfig &config, const Part &root)
      : config(config), root(root), g(root.g),
        model(root.prefixWith({"model", ""}, "embed_tokens.weight")),
        tokens{model["embed_tokens"], config.vocabulary, config.width,
               config.tied} {}

  Value hidden(Value ids, Value positions,
               const Attend &attend) const override {
    Value x = tokens.embed(ids);
    model["rotary_emb"].enter();
    Rotary rotary(g, config.rope, config.headDim, positions);
    for (int64_t i = 0; i < config.layers; ++i)
      x = layer(model["layers"][i], i, x, rotary, attend);
    return norm(model["norm"], x);
  }

  Value logits(Value hidden) const override {
    return tokens.logits(root, hidden);
  }

private:
  Value layer(const Part &part, int64_t number, Value x, const Rotary &rotary,
              const Attend &attend) const {
    Value y = attention(part["self_attn"], number,
                        norm(part["input_layernorm"], x), rotary, attend);
    x = g.add(attend.kept(g, number, x), y);
    return g.add(
        x, feedForward(part["mlp"], norm(part["post_attention_layernorm"], x)));
  }

  Value attention(const Part &part, int64_t number, Value x,
                  const Rotary &rotary, const Attend &attend) const {
    // The frequencies of older files.
    part["rotary_emb"].ignore("inv_freq");
    auto heads = [&](const char *name, int64_t count) {
      return splitHeads(
          g, linear(part[name], x, count * config.headDim, config.queryBias),
          count);
    };
    Value queries = heads("q_proj", config.heads),
          keys = heads("k_proj", config.sharedHeads),
          values = heads("v_proj", config.sharedHeads);
    if (config.headNorms) {
      queries = norm(part["q_norm"], queries);
      keys = norm(part["k_norm"], keys);
    }
    part.enter();
    queries = attend.kept(g, number, rotary.rotate(queries));
    Value y = attend(g, number, {queries, rotary.rotate(keys), values},
                     1 / std::sqrt(double(config.headDim)));
    return linear(part["o_proj"], joinHeads(g, y), config.width,
                  config.outputBias);
  }

  Value feedForward(const Part &part, Value x) const {
    auto project = [&](const char *name, Value from, int64_t outputs) {
      return linear(part[name], from, outputs, config.feedForwardBias);
    };
    Value gate =
        activate(g, config.activation, project("gate_proj", x, config.inner));
    return project("down_proj",
                   g.mul(gate, project("up_proj", x, config.inner)),
                   config.width);
  }

  Value norm(const Part &part, Value x) const {
    return rmsNorm(part, x, config.epsilon);
  }

  const LlamaConfig &config;
  Part root;
  GraphBuilder &g;
  Part model;
  TokenTable tokens;
};
} // namespace

std::unique_ptr<Decoder> makeLlama(const LlamaConfig &config,
                                   const Part &root) {
  return std::make_unique<Llama>(config, root);
}

} // namespace tenon::hf
