// Chooses the architecture by model_type, then reads what is common to all.
#include "compiler/import/huggingface/reader/Config.h"

#include "compiler/files/ReadFailure.h"
#include "compiler/import/huggingface/reader/ConfigReader.h"

namespace tenon::hf {
namespace {

struct Architecture {
  const char *modelType, *className;
};
constexpr Architecture architectures[] = {
    {"gpt2", "GPT2LMHeadModel"},       {"llama", "LlamaForCausalLM"},
    {"mistral", "MistralForCausalLM"}, {"opt", "OPTForCausalLM"},
    {"qwen2", "Qwen2ForCausalLM"},     {"qwen3", "Qwen3ForCausalLM"}};

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
        text && *text == architecture.className)
      return;
  throw ReadFailure{Status::Unsupported, config.place("architectures"),
                    spell(names->front()) + " is not supported",
                    std::string("expected ") + architecture.className +
                        ", a model with a head for the next token"};
}
} // namespace

Activation readActivation(const ConfigReader &config, const char *key,
                          const char *absent) {
  constexpr std::pair<const char *, Activation> functions[] = {
      {"relu", Activation::Relu},
      {"gelu", Activation::Gelu},
      {"gelu_new", Activation::GeluTanh},
      {"gelu_pytorch_tanh", Activation::GeluTanh},
      {"silu", Activation::Silu},
      {"swish", Activation::Silu}};
  std::string name = config.text(key, absent), known;
  for (const auto &[spelled, function] : functions) {
    if (name == spelled)
      return function;
    known += (known.empty() ? "" : ", ") + std::string(spelled);
  }
  config.unsupported(key, "the supported functions are " + known);
}

Config readConfig(const Json &json) {
  ConfigReader config(json);
  // Models with code of their own, and models whose weights have other forms.
  config.expectUnset({"auto_map", "quantization_config", "is_encoder_decoder",
                      "add_cross_attention"});
  Config result;
  result.modelType = config.text("model_type", "");
  checkClass(config, findArchitecture(config, result.modelType));
  if (result.modelType == "gpt2")
    result.model = readGpt2Config(config);
  else if (result.modelType == "opt")
    result.model = readOptConfig(config);
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

int64_t Config::positions() const {
  return std::visit([](const auto &model) { return model.positions; }, model);
}

} // namespace tenon::hf
