// Reads configurations as Hugging Face's Transformers does: tokens with ids
// come first, by id, and then the tokens that have a role.
#include "tokenizers/Config.h"

#include "tokenizers/ReadParts.h"

#include <algorithm>

namespace tenon::tokenizers {

static constexpr const char *configName = "tokenizer_config.json";
static constexpr const char *roles[] = {"bos_token", "eos_token", "unk_token",
                                        "sep_token", "pad_token", "cls_token",
                                        "mask_token"};

/// A token with a role: a text, or an object with flags.
static std::optional<AddedToken>
readRole(const JsonValue &value, const std::string &place, Findings &findings) {
  if (value.isNull())
    return std::nullopt;
  AddedToken token;
  if (value.isText()) {
    token.content = value.text();
    token.normalized = false;
  } else {
    token = readAddedToken(Fields(value, place, findings));
  }
  token.special = true;
  if (token.content.empty())
    return std::nullopt;
  return token;
}

/// Reads the roles of a file into `found`, by key.
static void readRoles(const JsonValue &root, Findings &findings,
                      std::map<std::string, AddedToken> &found,
                      std::vector<AddedToken> &others) {
  for (const char *role : roles)
    if (const JsonValue *value = root.find(role))
      if (std::optional<AddedToken> token = readRole(*value, role, findings))
        found.insert_or_assign(role, std::move(*token));
  const JsonValue *list = root.find("additional_special_tokens");
  if (!list || !list->isList())
    return;
  others.clear();
  for (size_t i = 0; i < list->items().size(); ++i)
    if (std::optional<AddedToken> token = readRole(
            list->items()[i],
            "additional_special_tokens[" + std::to_string(i) + "]", findings))
      others.push_back(std::move(*token));
}

/// The object `added_tokens_decoder`: tokens by their ids.
static void readTokensById(const JsonValue &value, Findings &findings,
                           std::vector<Config::Token> &tokens) {
  std::string key = "added_tokens_decoder";
  if (!value.isObject())
    return findings.invalid(key, "expected an object, got " + value.describe());
  for (const JsonMember &member : value.members()) {
    std::string place = key + "[" + quoted(member.key) + "]";
    bool isNumber =
        !member.key.empty() && member.key.size() <= 10 &&
        member.key.find_first_not_of("0123456789") == std::string_view::npos;
    if (!isNumber) {
      findings.invalid(place, "expected an id as key");
      continue;
    }
    Fields fields(member.value, place, findings);
    tokens.push_back(
        {readAddedToken(fields), std::stoll(std::string(member.key))});
  }
  std::sort(tokens.begin(), tokens.end(),
            [](const auto &a, const auto &b) { return *a.id < *b.id; });
}

/// The file added_tokens.json: ids by tokens.
static void readIdsByToken(const Files &files,
                           std::vector<Config::Token> &tokens) {
  const std::string name = "added_tokens.json";
  const std::string *text = files.find(name);
  if (!text)
    return;
  Findings findings(files.nameOf(name));
  JsonText json(*text, files.nameOf(name));
  Vocabulary ids = Vocabulary::read(json.getRoot(), "", findings);
  findings.check();
  for (const JsonMember &member : json.getRoot().members()) {
    AddedToken token;
    token.content = member.key;
    tokens.push_back({std::move(token), member.value.integer()});
  }
  std::sort(tokens.begin(), tokens.end(),
            [](const auto &a, const auto &b) { return *a.id < *b.id; });
}

static void readMain(const JsonValue &root, Findings &findings,
                     Config &config) {
  Fields fields(root, "", findings);
  config.className = fields.text("tokenizer_class", "");
  config.prefixSpace = fields.boolean("add_prefix_space", false);
  config.legacy = fields.boolean("legacy", true);
  if (!fields.isAbsent("extra_ids"))
    config.extraIds = fields.integer("extra_ids");
  config.addBegin = fields.boolean("add_bos_token", false);
  config.addEnd = fields.boolean("add_eos_token", false);
  if (const JsonValue *tokens = root.find("added_tokens_decoder");
      tokens && !tokens->isNull())
    readTokensById(*tokens, findings, config.tokens);
}

Config readConfig(const Files &files) {
  Config config;
  std::map<std::string, AddedToken> byRole;
  std::vector<AddedToken> others;
  if (const std::string *text = files.find(configName)) {
    Findings findings(files.nameOf(configName));
    JsonText json(*text, files.nameOf(configName));
    readMain(json.getRoot(), findings, config);
    readRoles(json.getRoot(), findings, byRole, others);
    findings.check();
  }
  // Newer checkpoints say everything in one file.
  if (config.tokens.empty()) {
    const std::string name = "special_tokens_map.json";
    if (const std::string *text = files.find(name)) {
      Findings findings(files.nameOf(name));
      JsonText json(*text, files.nameOf(name));
      readRoles(json.getRoot(), findings, byRole, others);
      findings.check();
    }
    readIdsByToken(files, config.tokens);
  }
  for (const char *role : roles)
    if (auto found = byRole.find(role); found != byRole.end())
      config.tokens.push_back({found->second, std::nullopt});
  for (AddedToken &token : others)
    config.tokens.push_back({std::move(token), std::nullopt});
  config.begin = byRole["bos_token"].content;
  config.end = byRole["eos_token"].content;
  return config;
}

void addTokens(const Config &config, const Files &files,
               const Vocabulary &vocabulary, const Normalizer &normalizer,
               AddedTokens &added) {
  Findings findings(files.nameOf(configName));
  added.beginFile(vocabulary);
  for (const Config::Token &each : config.tokens)
    if (!added.contains(each.token.content))
      added.add(each.token, each.id, quoted(each.token.content), vocabulary,
                normalizer, findings);
  findings.check();
}

} // namespace tenon::tokenizers
