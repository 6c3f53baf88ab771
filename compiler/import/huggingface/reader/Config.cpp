// Chooses the architecture by model_type, then reads what is common to all.
#include "compiler/import/huggingface/reader/Config.h"

#include "compiler/files/ReadFailure.h"
#include "compiler/import/huggingface/reader/ConfigReader.h"

namespace tenon::hf {
namespace {

struct Architecture {
  const char *modelType, *className;
  const char *formerName = ""; ///< of the class
  bool hasEncoder = false;
};
constexpr Architecture architectures[] = {
    {"gpt2", "GPT2LMHeadModel"},
    {"llama", "LlamaForCausalLM"},
    {"mistral", "MistralForCausalLM"},
    {"mt5", "MT5ForConditionalGeneration", "", true},
    {"opt", "OPTForCausalLM"},
    {"qwen2", "Qwen2ForCausalLM"},
    {"qwen3", "Qwen3ForCausalLM"},
    {"t5", "T5ForConditionalGeneration", "T5WithLMHeadModel", true},
    {"whisper", "WhisperForConditionalGeneration", "", true}};

const Architecture &findArchitecture(const ConfigReader &config,
                                     const std::string &modelType) {
  std::string known;
  for (const Architecture &one : architectures) {
    if (modelType == one.modelType)
      return one;
    known += (known.empty() ? "" : ", ") + std::string(one.modelType);
  }
  if (modelType.empty())
    fail(config.place("model_type"), "expected the name of an architecture, "
                                     "got nothing");
  config.unsupported("model_type", "the supported types are " + known);
}

/// A checkpoint may be saved with another head, such as a classifier.
void checkClass(const ConfigReader &config, const Architecture &architecture) {
  const Json *list = config.find("architectures");
  const auto *names = list ? list->get<JsonArray>() : nullptr;
  if (!names || names->empty())
    return;
  for (const Json &name : *names)
    if (const auto *text = name.get<std::string>();
        text &&
        (*text == architecture.className || *text == architecture.formerName))
      return;
  throw ReadFailure{Status::Unsupported, config.place("architectures"),
                    spell(names->front()) + " is not supported",
                    std::string("expected ") + architecture.className +
                        ", a model with a head for the next token"};
}
} // namespace

constexpr std::pair<const char *, Activation> activations[] = {
    {"relu", Activation::Relu},
    {"gelu", Activation::Gelu},
    {"gelu_new", Activation::GeluTanh},
    {"gelu_pytorch_tanh", Activation::GeluTanh},
    {"silu", Activation::Silu},
    {"swish", Activation::Silu}};

std::optional<Activation> activationNamed(std::string_view name) {
  for (const auto &[spelled, function] : activations)
    if (name == spelled)
      return function;
  return std::nullopt;
}

std::string knownActivations() {
  std::string known;
  for (const auto &[spelled, function] : activations)
    known += (known.empty() ? "" : ", ") + std::string(spelled);
  return known;
}

Activation readActivation(const ConfigReader &config, const char *key,
                          const char *absent) {
  if (std::optional<Activation> found =
          activationNamed(config.text(key, absent)))
    return *found;
  config.unsupported(key, "the supported functions are " + knownActivations());
}

Config readConfig(const Json &json) {
  ConfigReader config(json);
  // Models with code of their own, and models whose weights have other forms.
  config.expectUnset({"auto_map", "quantization_config"});
  Config result;
  result.modelType = config.text("model_type", "");
  const Architecture &architecture = findArchitecture(config, result.modelType);
  checkClass(config, architecture);
  if (!architecture.hasEncoder)
    config.expectUnset({"is_encoder_decoder", "add_cross_attention"});
  else if (!config.flag("is_encoder_decoder", true))
    config.unsupported("is_encoder_decoder");
  if (result.modelType == "gpt2")
    result.model = readGpt2Config(config);
  else if (result.modelType == "opt")
    result.model = readOptConfig(config);
  else if (result.modelType == "t5" || result.modelType == "mt5")
    result.model = readT5Config(config, result.modelType);
  else if (result.modelType == "whisper")
    result.model = readWhisperConfig(config);
  else
    result.model = readLlamaConfig(config, result.modelType);
  return result;
}

int64_t Config::vocabulary() const {
  return std::visit([](const auto &model) { return model.vocabulary; }, model);
}

int64_t Config::layers() const {
  return std::visit([](const auto &model) { return model.layers; }, model);
}

int64_t Config::headWidth() const {
  if (const auto *opt = std::get_if<OptConfig>(&model))
    return opt->embeddingWidth;
  return std::visit([](const auto &model) { return model.width; }, model);
}

int64_t Config::positions() const {
  return std::visit([](const auto &model) { return model.positions; }, model);
}

int64_t Config::usualPositions() const {
  const auto *t5 = std::get_if<T5Config>(&model);
  return t5 ? t5->usualPositions : positions();
}

bool Config::hasEncoder() const {
  return std::holds_alternative<T5Config>(model) ||
         std::holds_alternative<WhisperConfig>(model);
}

} // namespace tenon::hf
