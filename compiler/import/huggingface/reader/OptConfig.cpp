// The keys of OPT.
#include "compiler/files/ReadFailure.h"
#include "compiler/import/huggingface/reader/Config.h"
#include "compiler/import/huggingface/reader/ConfigReader.h"

namespace tenon::hf {

OptConfig readOptConfig(const ConfigReader &config) {
  OptConfig result;
  result.vocabulary = config.integer("vocab_size", 1, maxWidth, 50272);
  result.positions =
      config.integer("max_position_embeddings", 1, maxPositions, 2048);
  result.width = config.integer("hidden_size", 1, maxWidth, 768);
  result.layers = config.integer("num_hidden_layers", 1, maxLayers, 12);
  result.heads = config.integer("num_attention_heads", 1, maxHeads, 12);
  result.inner = config.integer("ffn_dim", 1, maxWidth, 3072);
  result.embeddingWidth =
      config.integer("word_embed_proj_dim", 1, maxWidth, result.width);
  if (result.width % result.heads != 0)
    fail(config.place("num_attention_heads"),
         "expected a divisor of the width " + std::to_string(result.width) +
             ", got " + std::to_string(result.heads));
  result.activation = readActivation(config, "activation_function", "relu");
  result.normFirst = config.flag("do_layer_norm_before", true);
  result.finalNorm =
      result.normFirst && !config.flag("_remove_final_layer_norm", false);
  result.biases = config.flag("enable_bias", true);
  result.affineNorm = config.flag("layer_norm_elementwise_affine", true);
  result.tied = config.flag("tie_word_embeddings", true);
  return result;
}

} // namespace tenon::hf
