// The key `added_tokens`.
#include "tokenizers/ReadParts.h"

namespace tenon::tokenizers {

AddedToken readAddedToken(const Fields &fields) {
  AddedToken token;
  token.content = fields.text("content");
  token.singleWord = fields.boolean("single_word", false);
  token.leftStrip = fields.boolean("lstrip", false);
  token.rightStrip = fields.boolean("rstrip", false);
  token.special = fields.boolean("special", false);
  token.normalized = fields.boolean("normalized", !token.special);
  return token;
}

void readAddedTokens(const JsonValue &value, const Vocabulary &vocabulary,
                     const Normalizer &normalizer, AddedTokens &added,
                     Findings &findings) {
  if (value.isNull())
    return;
  if (!value.isList())
    return findings.invalid("added_tokens",
                            "expected a list, got " + value.describe());
  added.beginFile(vocabulary);
  for (size_t i = 0; i < value.items().size(); ++i) {
    std::string place = "added_tokens[" + std::to_string(i) + "]";
    Fields fields(value.items()[i], place, findings);
    if (!value.items()[i].isObject())
      continue;
    AddedToken token = readAddedToken(fields);
    if (fields.find("content") && fields.find("content")->isText())
      added.add(std::move(token), fields.integer("id"), place, vocabulary,
                normalizer, findings);
  }
}

} // namespace tenon::tokenizers
