// Checks each option against the range that the search allows.
#include "compiler/import/huggingface/reader/GenerationConfig.h"

#include "compiler/files/ReadFailure.h"
#include "compiler/import/huggingface/reader/ConfigReader.h"
#include "compiler/import/huggingface/reader/WordLists.h"

namespace tenon::hf {
namespace {

/// A token; older files write -1 for none.
std::optional<int64_t> token(const ConfigReader &config, const char *key) {
  int64_t id = config.integer(key, -1, maxToken, -1);
  return id < 0 ? std::nullopt : std::optional(id);
}

/// One token or a list of them.
std::vector<int64_t> tokens(const ConfigReader &config, const char *key) {
  const Json *value = config.find(key);
  const auto *list = value ? value->get<JsonArray>() : nullptr;
  if (!list) {
    std::optional<int64_t> one = token(config, key);
    return one ? std::vector{*one} : std::vector<int64_t>();
  }
  std::vector<int64_t> result;
  for (const Json &element : *list) {
    const auto *id = element.get<int64_t>();
    if (!id || *id < 0 || *id > maxToken)
      fail(config.place(key), "expected tokens from 0 to " +
                                  std::to_string(maxToken) + ", got " +
                                  spell(element));
    result.push_back(*id);
  }
  return result;
}

/// Tokens that end a sequence.
std::vector<int64_t> endTokens(const ConfigReader &config, const char *key) {
  std::vector<int64_t> result = tokens(config, key);
  if (int64_t(result.size()) > maxEndTokens)
    fail(config.place(key), "expected at most " + std::to_string(maxEndTokens) +
                                " tokens, got " +
                                std::to_string(result.size()));
  return result;
}

std::optional<int64_t> count(const ConfigReader &config, const char *key) {
  if (!config.has(key))
    return std::nullopt;
  return config.integer(key, 1, maxCount);
}

/// A number above zero that is not zero or infinite in f32 either.
double positive(const ConfigReader &config, const char *key) {
  config.positive(key, 1);
  return config.number(key, leastPositive, maxNumber, 1);
}

/// [start, factor].
std::optional<LengthDecay> lengthDecay(const ConfigReader &config) {
  const char *key = "exponential_decay_length_penalty";
  const Json *value = config.find(key);
  if (!value)
    return std::nullopt;
  const auto *pair = value->get<JsonArray>();
  if (!pair || pair->size() != 2)
    fail(config.place(key),
         "expected a start and a factor, got " + spell(*value));
  const auto *start = pair->front().get<int64_t>();
  if (!start || *start < 0 || *start > maxCount)
    fail(config.place(key), "expected a start from 0 to " +
                                std::to_string(maxCount) + ", got " +
                                spell(pair->front()));
  double factor = numberIn(&pair->back());
  if (!(factor >= leastPositive && factor <= maxNumber))
    fail(config.place(key),
         "expected a factor above 0, got " + spell(pair->back()));
  return LengthDecay{*start, factor};
}

EarlyStopping earlyStopping(const ConfigReader &config) {
  const Json *value = config.find("early_stopping");
  const auto *text = value ? value->get<std::string>() : nullptr;
  if (text && *text == "never")
    return EarlyStopping::Never;
  return config.flag("early_stopping", false) ? EarlyStopping::Yes
                                              : EarlyStopping::No;
}

/// The decoder's first token: by its own key, else the one that begins texts,
/// else the pad, which T5 begins with.
int64_t firstDecoderToken(const ConfigReader &config, const Json *model) {
  const char *key = "decoder_start_token_id";
  std::optional<int64_t> found = token(config, key);
  if (!found && model)
    found = token(ConfigReader(*model), key);
  for (const char *other : {"bos_token_id", "pad_token_id"})
    if (!found)
      found = token(config, other);
  return found.value_or(0);
}
} // namespace

GenerationConfig readGenerationConfig(const Json &json, const Json *model) {
  ConfigReader config(json);
  GenerationConfig result;
  result.firstToken = token(config, "bos_token_id");
  result.padToken = token(config, "pad_token_id");
  result.firstDecoderToken = firstDecoderToken(config, model);
  result.endTokens = endTokens(config, "eos_token_id");
  result.maxLength = count(config, "max_length");
  result.maxNewTokens = count(config, "max_new_tokens");
  result.minLength = config.integer("min_length", 0, maxCount, 0);
  result.minNewTokens = config.integer("min_new_tokens", 0, maxCount, 0);
  result.sample = config.flag("do_sample", false);
  result.beams = config.integer("num_beams", 1, maxBeams, 1);
  result.sequences = config.integer("num_return_sequences", 1, maxSequences, 1);
  result.earlyStopping = earlyStopping(config);
  result.lengthPenalty =
      config.number("length_penalty", -maxLengthPenalty, maxLengthPenalty, 1);
  result.repetitionPenalty = positive(config, "repetition_penalty");
  result.noRepeatNgram = config.integer("no_repeat_ngram_size", 0, maxCount, 0);
  result.temperature = positive(config, "temperature");
  result.topK = config.integer("top_k", 0, maxCount, 50);
  result.topP = config.number("top_p", 0, 1, 1);
  config.positive("typical_p", 1);
  result.typicalP = config.number("typical_p", leastPositive, 1, 1);
  result.minP = config.number("min_p", 0, 1, 0);
  result.epsilonCutoff = config.number("epsilon_cutoff", 0, 1, 0);
  result.etaCutoff = config.number("eta_cutoff", 0, 1, 0);
  result.penaltyAlpha = config.number("penalty_alpha", 0, 1, 0);
  result.suppressTokens = tokens(config, "suppress_tokens");
  result.beginSuppressTokens = tokens(config, "begin_suppress_tokens");
  result.promptRepetitionPenalty =
      positive(config, "encoder_repetition_penalty");
  result.noRepeatPromptNgram =
      config.integer("encoder_no_repeat_ngram_size", 0, maxCount, 0);
  result.badWords = badWords(config);
  result.sequenceBias = sequenceBias(config);
  result.forcedFirstToken = token(config, "forced_bos_token_id");
  result.forcedEndTokens = endTokens(config, "forced_eos_token_id");
  result.lengthDecay = lengthDecay(config);
  result.renormalize = config.flag("renormalize_logits", false);
  result.removeInvalid = config.flag("remove_invalid_values", false);
  return result;
}

void checkPromptTokens(const GenerationConfig &config, int64_t vocabulary) {
  auto check = [&](const std::string &key, std::optional<int64_t> token) {
    if (token && *token >= vocabulary)
      fail("\"" + key + "\"",
           "expected a token of the " + std::to_string(vocabulary) +
               " that the model has, got " + std::to_string(*token));
  };
  check("decoder_start_token_id", config.firstDecoderToken);
  if (!config.speech)
    return;
  const SpeechTokens &speech = *config.speech;
  for (const NamedToken &language : speech.languages)
    check("lang_to_id", language.token);
  for (const NamedToken &task : speech.tasks)
    check("task_to_id", task.token);
  for (std::optional<int64_t> token : speech.first)
    check("forced_decoder_ids", token);
  check("no_timestamps_token_id", speech.noTimestamps);
  check("prev_sot_token_id", speech.previous);
  // Without that, earlier text begins with the last but one of these.
  const std::vector<int64_t> &never = config.suppressTokens;
  if (!speech.previous && never.size() > 1)
    check("suppress_tokens", never[never.size() - 2]);
}

} // namespace tenon::hf
