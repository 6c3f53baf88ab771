// The keys of Llama, Mistral, Qwen2 and Qwen3. Rotary embedding has two forms:
// rope_theta with rope_scaling, and in newer files rope_parameters.
#include "compiler/files/ReadFailure.h"
#include "compiler/import/huggingface/reader/Config.h"
#include "compiler/import/huggingface/reader/ConfigReader.h"

namespace tenon::hf {
namespace {

void readScaling(const ConfigReader &config, RopeConfig &rope) {
  const char *key = config.has("rope_type") ? "rope_type" : "type";
  std::string type = config.text(key, "default");
  if (type == "default")
    return;
  if (type != "linear" && type != "llama3")
    config.unsupported(key, "the supported types are default, linear, llama3");
  rope.factor = config.positive("factor");
  if (type == "linear") {
    rope.scaling = RopeConfig::Scaling::Linear;
    return;
  }
  rope.scaling = RopeConfig::Scaling::Llama3;
  rope.low = config.positive("low_freq_factor");
  rope.high = config.positive("high_freq_factor");
  rope.originalPositions = double(
      config.integer("original_max_position_embeddings", 1, maxPositions));
  if (rope.high <= rope.low)
    fail(config.place("high_freq_factor"),
         "expected a number above low_freq_factor");
}

RopeConfig readRope(const ConfigReader &config) {
  RopeConfig rope;
  rope.theta = config.positive("rope_theta", 10000.0);
  auto rotatesAll = [](const ConfigReader &object) {
    if (object.positive("partial_rotary_factor", 1.0) != 1.0)
      object.unsupported("partial_rotary_factor");
  };
  rotatesAll(config);
  for (const char *key : {"rope_parameters", "rope_scaling"})
    if (config.has(key)) {
      ConfigReader object = config.object(key);
      rope.theta = object.positive("rope_theta", rope.theta);
      rotatesAll(object);
      readScaling(object, rope);
      break;
    }
  return rope;
}

/// True if some layer attends within the window: by layer_types, else by the
/// number of layers that do not.
bool usesWindow(const ConfigReader &config, int64_t layers) {
  const Json *types = config.find("layer_types");
  const auto *list = types ? types->get<JsonArray>() : nullptr;
  if (!list)
    return config.integer("max_window_layers", 0, INT64_MAX, layers) < layers ||
           !config.has("max_window_layers");
  bool slides = false;
  for (const Json &type : *list) {
    const auto *text = type.get<std::string>();
    if (text && *text == "sliding_attention")
      slides = true;
    else if (!text || *text != "full_attention")
      throw ReadFailure{Status::Unsupported, config.place("layer_types"),
                        spell(type) + " is not supported"};
  }
  return slides;
}

void readWindow(const ConfigReader &config, const std::string &modelType,
                LlamaConfig &result) {
  if (modelType == "llama")
    return;
  bool isMistral = modelType == "mistral";
  if (isMistral ? config.isNull("sliding_window")
                : !config.flag("use_sliding_window", false))
    return;
  if (!isMistral && config.isNull("sliding_window"))
    return;
  int64_t window = config.integer("sliding_window", 1, INT64_MAX, 4096);
  if (!isMistral && !usesWindow(config, result.layers))
    return;
  result.window = window;
  result.windowKey = config.place("sliding_window");
}
} // namespace

LlamaConfig readLlamaConfig(const ConfigReader &config,
                            const std::string &modelType) {
  config.expectUnset({"num_experts", "num_local_experts"});
  LlamaConfig result;
  result.vocabulary = config.integer("vocab_size", 1, maxWidth);
  result.positions = config.integer("max_position_embeddings", 1, maxPositions);
  result.width = config.integer("hidden_size", 1, maxWidth);
  result.inner = config.integer("intermediate_size", 1, maxWidth);
  result.layers = config.integer("num_hidden_layers", 1, maxLayers);
  result.heads = config.integer("num_attention_heads", 1, maxHeads);
  result.sharedHeads =
      config.integer("num_key_value_heads", 1, maxHeads,
                     modelType == "mistral" ? 8 : result.heads);
  if (result.heads % result.sharedHeads != 0)
    fail(config.place("num_key_value_heads"),
         "expected a divisor of the " + std::to_string(result.heads) +
             " heads, got " + std::to_string(result.sharedHeads));
  if (!config.has("head_dim") && modelType != "qwen3" &&
      result.width % result.heads != 0)
    fail(config.place("num_attention_heads"),
         "expected a divisor of the width " + std::to_string(result.width) +
             ", got " + std::to_string(result.heads));
  result.headDim =
      config.integer("head_dim", 1, maxHeads,
                     modelType == "qwen3" ? 128 : result.width / result.heads);
  if (result.headDim % 2 != 0 || result.headDim > maxHeads)
    fail(config.place("head_dim"),
         "expected an even number of elements to rotate, at most " +
             std::to_string(maxHeads) + ", got " +
             std::to_string(result.headDim));
  result.activation = readActivation(config, "hidden_act", "silu");
  result.epsilon = config.positive("rms_norm_eps", 1e-6);
  result.rope = readRope(config);
  bool attentionBias = config.flag("attention_bias", false);
  result.queryBias = modelType == "qwen2" || attentionBias;
  result.outputBias = attentionBias && modelType != "qwen2";
  result.feedForwardBias =
      modelType == "llama" && config.flag("mlp_bias", false);
  result.headNorms = modelType == "qwen3";
  if (modelType == "mistral" && attentionBias)
    config.unsupported("attention_bias");
  readWindow(config, modelType, result);
  result.tied = config.flag("tie_word_embeddings", false);
  return result;
}

} // namespace tenon::hf
