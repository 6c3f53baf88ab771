// The keys of GPT-2. Some writers use the names of later architectures.
#include "compiler/files/ReadFailure.h"
#include "compiler/import/huggingface/reader/Config.h"
#include "compiler/import/huggingface/reader/ConfigReader.h"

namespace tenon::hf {

/// The value of `key`, else of `alias`, else `absent`.
static int64_t either(const ConfigReader &config, const char *key,
                      const char *alias, int64_t most, int64_t absent) {
  return config.has(key) ? config.integer(key, 1, most)
                         : config.integer(alias, 1, most, absent);
}

Gpt2Config readGpt2Config(const ConfigReader &config) {
  Gpt2Config result;
  result.vocabulary = config.integer("vocab_size", 1, maxWidth, 50257);
  result.positions = either(config, "n_positions", "max_position_embeddings",
                            maxPositions, 1024);
  result.width = either(config, "n_embd", "hidden_size", maxWidth, 768);
  result.layers = either(config, "n_layer", "num_hidden_layers", maxLayers, 12);
  result.heads = either(config, "n_head", "num_attention_heads", maxHeads, 12);
  result.inner = config.integer("n_inner", 1, maxWidth, 4 * result.width);
  if (result.width % result.heads != 0)
    fail(config.place("n_head"), "expected a divisor of the width " +
                                     std::to_string(result.width) + ", got " +
                                     std::to_string(result.heads));
  result.activation = readActivation(config, "activation_function", "gelu_new");
  result.epsilon = config.positive("layer_norm_epsilon", 1e-5);
  result.scaleByDepth = config.flag("scale_attn_weights", true);
  result.scaleByLayer = config.flag("scale_attn_by_inverse_layer_idx", false);
  result.tied = config.flag("tie_word_embeddings", true);
  return result;
}

} // namespace tenon::hf
