// The key `post_processor`: what it adds to the ids of a text. Pairs of texts
// and the types of tokens have no use here.
#include "tokenizers/ReadParts.h"

namespace tenon::tokenizers {

namespace {
/// What the readers of this file share.
struct Reading {
  const std::function<bool(uint32_t)> &hasId;
  Template &result;
  Findings &findings;
};
} // namespace

/// The ids of the special token `name` of a template.
static std::vector<uint32_t>
readIds(const Fields &fields, std::string_view name, const Reading &reading) {
  std::string place =
      fields.placeOf("special_tokens") + "[" + quoted(name) + "]";
  const JsonValue *tokens = fields.find("special_tokens");
  const JsonValue *token = tokens ? tokens->find(name) : nullptr;
  if (!token) {
    reading.findings.invalid(place, "expected the ids of the token, got "
                                    "nothing");
    return {};
  }
  std::vector<uint32_t> ids;
  Fields list(*token, place, reading.findings);
  for (const JsonValue &id : list.list("ids")) {
    if (id.isInteger() && id.integer() >= 0 &&
        id.integer() < Vocabulary::idLimit && reading.hasId(id.integer()))
      ids.push_back(id.integer());
    else
      reading.findings.invalid(place + ".ids",
                               "expected ids of the vocabulary, got " +
                                   id.describe());
  }
  return ids;
}

static void addTemplate(const Fields &fields, const Reading &reading) {
  Template::Items items;
  std::span<const JsonValue> pieces = fields.list("single");
  for (size_t i = 0; i < pieces.size(); ++i) {
    std::string place =
        fields.placeOf("single") + "[" + std::to_string(i) + "]";
    const JsonValue *text = pieces[i].find("Sequence");
    const JsonValue *special = pieces[i].find("SpecialToken");
    if (text) {
      Fields sequence(*text, place + ".Sequence", reading.findings);
      if (sequence.text("id") == "A")
        items.push_back({});
      else
        sequence.refuse("id", "'A', the only text");
    } else if (special) {
      Fields token(*special, place + ".SpecialToken", reading.findings);
      std::vector<uint32_t> ids = readIds(fields, token.text("id"), reading);
      // A token without ids adds nothing.
      if (!ids.empty())
        items.push_back({std::move(ids)});
    } else {
      reading.findings.invalid(place, "expected an object with 'Sequence' or "
                                      "'SpecialToken', got " +
                                          pieces[i].describe());
    }
  }
  reading.result.add(std::move(items));
}

static void addProcessor(const JsonValue &value, const std::string &place,
                         int depth, const Reading &reading) {
  Fields fields(value, place, reading.findings);
  std::string_view type = fields.text("type");
  if (type == "Sequence") {
    if (depth == maxNestedSteps)
      return reading.findings.limit(place, "expected sequences at most " +
                                               std::to_string(maxNestedSteps) +
                                               " deep");
    std::span<const JsonValue> steps = fields.list("processors");
    for (size_t i = 0; i < steps.size(); ++i)
      addProcessor(steps[i],
                   fields.placeOf("processors") + "[" + std::to_string(i) + "]",
                   depth + 1, reading);
  } else if (type == "TemplateProcessing") {
    addTemplate(fields, reading);
  } else if (type != "ByteLevel" && value.find("type") &&
             value.find("type")->isText()) {
    // ByteLevel changes only offsets.
    fields.refuse("type", "one of Sequence, TemplateProcessing, ByteLevel");
  }
}

Template readTemplate(const JsonValue &value,
                      const std::function<bool(uint32_t)> &hasId,
                      Findings &findings) {
  Template result;
  if (!value.isNull())
    addProcessor(value, "post_processor", 0, {hasId, result, findings});
  return result;
}

} // namespace tenon::tokenizers
