// The key `model`: BPE with its vocabulary and merges, or Unigram with its
// tokens and scores.
#include "tokenizers/ReadParts.h"

namespace tenon::tokenizers {

/// Both tokens of a merge: `"a b"` or `["a", "b"]`.
static std::optional<MergeText> readMerge(const JsonValue &value,
                                          size_t place) {
  if (value.isList()) {
    std::span<const JsonValue> items = value.items();
    if (items.size() == 2 && items[0].isText() && items[1].isText())
      return MergeText{items[0].text(), items[1].text(), place};
    return std::nullopt;
  }
  if (!value.isText())
    return std::nullopt;
  std::string_view text = value.text();
  size_t space = text.find(' ');
  if (space == std::string_view::npos || text.rfind(' ') != space)
    return std::nullopt;
  return MergeText{text.substr(0, space), text.substr(space + 1), place};
}

static std::vector<MergeText> readMerges(const Fields &fields) {
  std::vector<MergeText> merges;
  std::span<const JsonValue> list = fields.list("merges");
  if (list.size() > maxMerges) {
    fields.getFindings().limit(fields.placeOf("merges"),
                               "expected at most " + std::to_string(maxMerges) +
                                   " merges, got " +
                                   std::to_string(list.size()));
    return merges;
  }
  merges.reserve(list.size());
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i].isText() && list[i].text().starts_with("#version"))
      continue;
    std::optional<MergeText> merge;
    if (list[i].getKind() == list[0].getKind())
      merge = readMerge(list[i], i);
    if (merge)
      merges.push_back(*merge);
    else
      fields.getFindings().invalid(
          fields.placeOf("merges") + "[" + std::to_string(i) + "]",
          "expected two tokens, as 'a b' everywhere or as a list everywhere, "
          "got " +
              list[i].describe());
  }
  return merges;
}

/// An option that must have no effect: absent, or a text without characters.
static void refuseText(const Fields &fields, std::string_view key) {
  if (!fields.text(key, "").empty())
    fields.refuse(key, "null or an empty text");
}

static std::unique_ptr<const Model> readBpe(const Fields &fields,
                                            bool onlyByteCharacters) {
  BpeOptions options;
  options.hasUnknown = !fields.isAbsent("unk_token");
  options.unknown = fields.text("unk_token", "");
  options.fuseUnknown = fields.boolean("fuse_unk", false);
  options.byteFallback = fields.boolean("byte_fallback", false);
  options.ignoreMerges = fields.boolean("ignore_merges", false);
  refuseText(fields, "continuing_subword_prefix");
  refuseText(fields, "end_of_word_suffix");
  if (const JsonValue *dropout = fields.find("dropout");
      dropout && !dropout->isNull() &&
      !(dropout->isInteger() && dropout->integer() == 0) &&
      !(dropout->getKind() == JsonValue::Kind::Real && dropout->real() == 0))
    fields.refuse("dropout", "null or 0, because ids must not be random");
  const JsonValue *tokens = fields.find("vocab");
  Findings &findings = fields.getFindings();
  Vocabulary vocabulary = Vocabulary::read(tokens ? *tokens : JsonValue(),
                                           fields.placeOf("vocab"), findings);
  auto model =
      std::make_unique<Bpe>(std::move(vocabulary), readMerges(fields),
                            std::move(options), "model.merges[#]", findings);
  model->checkUnknown(onlyByteCharacters, findings);
  return model;
}

/// The number of a value that is one, or nothing.
static std::optional<double> numberOf(const JsonValue &value) {
  if (value.isInteger())
    return double(value.integer());
  if (value.getKind() == JsonValue::Kind::Real)
    return value.real();
  return std::nullopt;
}

static std::unique_ptr<const Model> readUnigram(const Fields &fields) {
  Findings &findings = fields.getFindings();
  std::span<const JsonValue> list = fields.list("vocab");
  std::vector<std::string_view> texts;
  std::vector<Unigram::Token> tokens;
  double least = 0;
  for (size_t i = 0; i < list.size(); ++i) {
    std::span<const JsonValue> pair;
    if (list[i].isList())
      pair = list[i].items();
    std::optional<double> score;
    if (pair.size() == 2 && pair[0].isText())
      score = numberOf(pair[1]);
    if (!score) {
      findings.invalid("model.vocab[" + std::to_string(i) + "]",
                       "expected a token and its score as [text, number], "
                       "got " +
                           list[i].describe());
      continue;
    }
    texts.push_back(pair[0].text());
    tokens.push_back({*score});
    least = tokens.size() == 1 ? *score : std::min(least, *score);
  }
  if (list.empty())
    findings.invalid("model.vocab", "expected at least one token, got none");
  UnigramOptions options;
  options.byteFallback = fields.boolean("byte_fallback", false);
  options.unknownScore = least - unknownPenalty;
  int64_t unknown = fields.integer("unk_id");
  if (unknown < 0 || unknown >= int64_t(tokens.size()))
    findings.invalid("model.unk_id", "expected an id below " +
                                         std::to_string(tokens.size()) +
                                         ", got " + std::to_string(unknown));
  options.unknown = static_cast<uint32_t>(unknown);
  Vocabulary vocabulary = Vocabulary::ofList(texts, "model.vocab[#]", findings);
  return std::make_unique<Unigram>(std::move(vocabulary), std::move(tokens),
                                   options, "model.vocab", findings);
}

std::unique_ptr<const Model>
readModel(const JsonValue &value, bool onlyByteCharacters, Findings &findings) {
  Fields fields(value, "model", findings);
  if (!value.isObject())
    return nullptr;
  // The first files of GPT-2 have no type, nor had those of T5.
  const JsonValue *vocabulary = fields.find("vocab");
  bool looksLikeBpe = vocabulary && fields.find("merges");
  bool looksLikeUnigram = vocabulary && vocabulary->isList();
  std::string_view type = fields.text("type", looksLikeBpe       ? "BPE"
                                              : looksLikeUnigram ? "Unigram"
                                                                 : "");
  if (type == "BPE")
    return readBpe(fields, onlyByteCharacters);
  if (type == "Unigram")
    return readUnigram(fields);
  fields.refuse("type", "'BPE' or 'Unigram'");
  return nullptr;
}

} // namespace tenon::tokenizers
