// The key `model`: BPE with its vocabulary and merges.
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

std::optional<Bpe> readModel(const JsonValue &value, Findings &findings) {
  Fields fields(value, "model", findings);
  if (!value.isObject())
    return std::nullopt;
  // The first files of GPT-2 have no type.
  bool looksLikeBpe = fields.find("vocab") && fields.find("merges");
  if (fields.text("type", looksLikeBpe ? "BPE" : "") != "BPE") {
    fields.refuse("type", "'BPE'");
    return std::nullopt;
  }
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
  Vocabulary vocabulary = Vocabulary::read(tokens ? *tokens : JsonValue(),
                                           fields.placeOf("vocab"), findings);
  return std::optional<Bpe>(std::in_place, std::move(vocabulary),
                            readMerges(fields), std::move(options),
                            "model.merges[#]", findings);
}

} // namespace tenon::tokenizers
