// The keys of Whisper.
#include "compiler/files/ReadFailure.h"
#include "compiler/import/huggingface/reader/Config.h"
#include "compiler/import/huggingface/reader/ConfigReader.h"

namespace tenon::hf {

/// More bins than frequencies would be empty bands.
constexpr int64_t mostBins = 201;

WhisperConfig readWhisperConfig(const ConfigReader &config) {
  config.expectUnset({"scale_embedding", "tie_encoder_decoder"});
  WhisperConfig result;
  result.vocabulary = config.integer("vocab_size", 1, maxWidth, 51865);
  result.bins = config.integer("num_mel_bins", 1, mostBins, 80);
  result.width = config.integer("d_model", 2, maxWidth, 384);
  auto stack = [&](const std::string &name) {
    WhisperStack stack;
    stack.layers = config.integer(name + "_layers", 1, maxLayers, 4);
    std::string heads = name + "_attention_heads";
    stack.heads = config.integer(heads, 1, maxHeads, 6);
    stack.inner = config.integer(name + "_ffn_dim", 1, maxWidth, 1536);
    if (result.width % stack.heads != 0)
      fail(config.place(heads), "expected a divisor of the width " +
                                    std::to_string(result.width) + ", got " +
                                    std::to_string(stack.heads));
    return stack;
  };
  result.encoder = stack("encoder");
  result.decoder = stack("decoder");
  result.layers = result.decoder.layers;
  result.encoderPositions =
      config.integer("max_source_positions", 1, maxPositions, 1500);
  result.positions =
      config.integer("max_target_positions", 1, maxPositions, 448);
  result.activation = readActivation(config, "activation_function", "gelu");
  if (!config.flag("tie_word_embeddings", true))
    config.unsupported("tie_word_embeddings",
                       "the head is always the table of tokens");
  return result;
}

} // namespace tenon::hf
