// The keys of T5 and mT5. Later versions of the library write keys that follow
// from others; a file in which they disagree is refused.
#include "compiler/files/ReadFailure.h"
#include "compiler/import/huggingface/reader/Config.h"
#include "compiler/import/huggingface/reader/ConfigReader.h"

namespace tenon::hf {
namespace {

/// The greatest length of an input or a text, which bounds the memory that a
/// call can ask for.
constexpr int64_t mostPositions = 32768;
constexpr int64_t maxBuckets = 65536;
constexpr int64_t maxDistance = int64_t(1) << 20;

/// Reads feed_forward_proj: "gelu", or "gated-gelu".
void readFeedForward(const ConfigReader &config, const char *absent,
                     T5Config &result) {
  const char *key = "feed_forward_proj";
  std::string text = config.text(key, absent), function = text;
  constexpr std::string_view prefix = "gated-";
  result.isGated = text.starts_with(prefix);
  if (result.isGated)
    function = text.substr(prefix.size());
  // The library's name for this pair means the approximation.
  if (text == "gated-gelu")
    function = "gelu_new";
  std::optional<Activation> found = activationNamed(function);
  if (!found)
    config.unsupported(key, "the supported functions are " +
                                knownActivations() +
                                ", each also after \"gated-\"");
  result.activation = *found;
  if (config.has("dense_act_fn") &&
      readActivation(config, "dense_act_fn", "") != result.activation)
    config.unsupported("dense_act_fn", "expected \"" + function +
                                           "\", as feed_forward_proj says");
  if (config.flag("is_gated_act", result.isGated) != result.isGated)
    config.unsupported("is_gated_act",
                       "expected the value that feed_forward_proj implies");
}
} // namespace

T5Config readT5Config(const ConfigReader &config,
                      const std::string &modelType) {
  config.expectUnset({"tie_encoder_decoder"});
  bool isMt5 = modelType == "mt5";
  auto size = [&](const char *key, int64_t most, int64_t t5, int64_t mt5) {
    return config.integer(key, 1, most, isMt5 ? mt5 : t5);
  };
  T5Config result;
  result.vocabulary = size("vocab_size", maxWidth, 32128, 250112);
  result.positions = mostPositions;
  result.usualPositions = config.integer("n_positions", 1, mostPositions, 512);
  result.width = size("d_model", maxWidth, 512, 512);
  result.headDim = size("d_kv", maxHeads, 64, 64);
  result.inner = size("d_ff", maxWidth, 2048, 1024);
  result.encoderLayers = size("num_layers", maxLayers, 6, 8);
  result.layers =
      config.integer("num_decoder_layers", 1, maxLayers, result.encoderLayers);
  result.heads = size("num_heads", maxHeads, 8, 6);
  // The encoder halves the buckets for the two directions, and half of these
  // are for one distance each.
  result.buckets =
      config.integer("relative_attention_num_buckets", 4, maxBuckets, 32);
  result.farthest =
      config.integer("relative_attention_max_distance", 1, maxDistance, 128);
  if (result.farthest <= result.buckets / 2)
    fail(config.place("relative_attention_max_distance"),
         "expected more than half of the " + std::to_string(result.buckets) +
             " buckets, got " + std::to_string(result.farthest));
  readFeedForward(config, isMt5 ? "gated-gelu" : "relu", result);
  result.epsilon = config.positive("layer_norm_epsilon", 1e-6);
  result.scalesHead = config.flag("scale_decoder_outputs",
                                  config.flag("tie_word_embeddings", !isMt5));
  return result;
}

} // namespace tenon::hf
