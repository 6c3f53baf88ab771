// Each key is checked by itself; what a checkpoint lacks has no value.
#include "compiler/import/huggingface/reader/SpeechTokens.h"

#include "compiler/files/ReadFailure.h"
#include "compiler/import/huggingface/reader/ConfigReader.h"
#include "compiler/import/huggingface/reader/GenerationConfig.h"

namespace tenon::hf {
namespace {

/// The most languages or tasks: a call compares their names one by one.
constexpr size_t mostNames = 4096;
/// The most tokens between the start token and the text.
constexpr size_t mostFirstTokens = 16;

std::optional<int64_t> token(const ConfigReader &config, const char *key) {
  if (!config.has(key))
    return std::nullopt;
  return config.integer(key, 0, maxToken);
}

/// A language is written "<|en|>".
std::string plainName(const std::string &name) {
  if (name.size() > 4 && name.starts_with("<|") && name.ends_with("|>"))
    return name.substr(2, name.size() - 4);
  return name;
}

/// An object from names to tokens.
std::vector<NamedToken> named(const ConfigReader &config, const char *key) {
  std::vector<NamedToken> result;
  const Json *value = config.find(key);
  if (!value)
    return result;
  const auto *members = value->get<JsonObject>();
  if (!members || members->size() > mostNames)
    fail(config.place(key), "expected an object of at most " +
                                std::to_string(mostNames) +
                                " names and tokens, got " + spell(*value));
  for (const auto &[name, element] : *members) {
    const auto *id = element.get<int64_t>();
    if (!id || *id < 0 || *id > maxToken)
      fail(config.place(key), "expected tokens from 0 to " +
                                  std::to_string(maxToken) + ", got " +
                                  spell(element));
    std::string plain = plainName(name);
    // A table of names ends each with a zero.
    if (plain.empty() || plain.find('\0') != std::string::npos)
      fail(config.place(key), "expected names, got " + spell(Json{name}));
    for (const NamedToken &other : result)
      if (other.name == plain)
        fail(config.place(key),
             "expected each name once, got " + spell(Json{plain}) + " twice");
    result.push_back({plain, *id});
  }
  return result;
}

/// Pairs of a place, from 1 on without a gap, and a token or null.
std::vector<std::optional<int64_t>> firstTokens(const ConfigReader &config) {
  const char *key = "forced_decoder_ids";
  std::vector<std::optional<int64_t>> result;
  const Json *value = config.find(key);
  if (!value)
    return result;
  const auto *list = value->get<JsonArray>();
  if (!list || list->size() > mostFirstTokens)
    fail(config.place(key), "expected a list of at most " +
                                std::to_string(mostFirstTokens) +
                                " pairs, got " + spell(*value));
  for (const Json &element : *list) {
    const auto *pair = element.get<JsonArray>();
    const auto *place =
        pair && pair->size() == 2 ? pair->front().get<int64_t>() : nullptr;
    if (!place || *place != int64_t(result.size()) + 1)
      fail(config.place(key), "expected a pair of place " +
                                  std::to_string(result.size() + 1) +
                                  " and a token, got " + spell(element));
    const Json &id = pair->back();
    if (id.isNull()) {
      result.push_back(std::nullopt);
      continue;
    }
    const auto *number = id.get<int64_t>();
    if (!number || *number < 0 || *number > maxToken)
      fail(config.place(key), "expected tokens from 0 to " +
                                  std::to_string(maxToken) + ", got " +
                                  spell(id));
    result.push_back(*number);
  }
  return result;
}
} // namespace

SpeechTokens readSpeechTokens(const Json &json, const Json &model) {
  ConfigReader config(json), modelConfig(model);
  SpeechTokens result;
  result.languages = named(config, "lang_to_id");
  result.tasks = named(config, "task_to_id");
  result.first =
      firstTokens(config.has("forced_decoder_ids") ? config : modelConfig);
  result.noTimestamps = token(config, "no_timestamps_token_id");
  result.previous = token(config, "prev_sot_token_id");
  result.lastInitialTimestamp = token(config, "max_initial_timestamp_index");
  result.isMultilingual =
      config.flag("is_multilingual", !result.languages.empty());
  result.makesTimestamps = config.flag("return_timestamps", false);
  return result;
}

} // namespace tenon::hf
