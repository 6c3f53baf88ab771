// The key `pre_tokenizer`.
#include "tokenizers/ReadParts.h"

namespace tenon::tokenizers {

static Delimiter readDelimiter(const Fields &fields) {
  std::string_view name = fields.text("behavior");
  if (name == "Removed")
    return Delimiter::Removed;
  if (name == "MergedWithPrevious")
    return Delimiter::MergedWithPrevious;
  if (name == "MergedWithNext")
    return Delimiter::MergedWithNext;
  if (name == "Contiguous")
    return Delimiter::Contiguous;
  if (name != "Isolated" && fields.find("behavior"))
    fields.refuse("behavior", "one of Removed, Isolated, MergedWithPrevious, "
                              "MergedWithNext, Contiguous");
  return Delimiter::Isolated;
}

static void addSplit(const Fields &fields, PreTokenizer &steps) {
  Delimiter delimiter = readDelimiter(fields);
  bool invert = fields.boolean("invert");
  if (std::optional<Pattern> pattern = readPattern(fields))
    steps.add(makeSplit(std::move(*pattern), delimiter, invert));
}

static void addMetaspace(const Fields &fields, PreTokenizer &steps) {
  std::string mark = readCharacter(fields, "replacement");
  std::string_view scheme = fields.text("prepend_scheme", "always");
  // Older files say only whether a space is put before the text.
  if (!fields.boolean("add_prefix_space", true))
    scheme = "never";
  Prepend prepend = scheme == "first"   ? Prepend::First
                    : scheme == "never" ? Prepend::Never
                                        : Prepend::Always;
  if (prepend == Prepend::Always && scheme != "always")
    fields.refuse("prepend_scheme", "one of always, first, never");
  steps.add(
      makeMetaspace(std::move(mark), prepend, fields.boolean("split", true)));
}

static void addPreTokenizer(const JsonValue &value, const std::string &place,
                            int depth, ReadPreTokenizer &result,
                            Findings &findings) {
  Fields fields(value, place, findings);
  std::string_view type = fields.text("type");
  if (type == "Sequence") {
    if (depth == maxNestedSteps)
      return findings.limit(place, "expected sequences at most " +
                                       std::to_string(maxNestedSteps) +
                                       " deep");
    std::span<const JsonValue> steps = fields.list("pretokenizers");
    for (size_t i = 0; i < steps.size(); ++i)
      addPreTokenizer(steps[i],
                      fields.placeOf("pretokenizers") + "[" +
                          std::to_string(i) + "]",
                      depth + 1, result, findings);
  } else if (type == "Split") {
    addSplit(fields, result.steps);
  } else if (type == "ByteLevel") {
    result.steps.add(makeByteLevel(fields.boolean("add_prefix_space"),
                                   fields.boolean("use_regex", true)));
    result.makesByteCharacters = true;
  } else if (type == "WhitespaceSplit") {
    result.steps.add(makeWhitespaceSplit());
  } else if (type == "Digits") {
    result.steps.add(makeDigits(fields.boolean("individual_digits")));
  } else if (type == "Metaspace") {
    addMetaspace(fields, result.steps);
    result.makesByteCharacters = false;
  } else if (value.find("type") && value.find("type")->isText()) {
    fields.refuse("type", "one of Sequence, Split, ByteLevel, Digits, "
                          "Metaspace, WhitespaceSplit");
  }
}

ReadPreTokenizer readPreTokenizer(const JsonValue &value, Findings &findings) {
  ReadPreTokenizer result;
  if (!value.isNull())
    addPreTokenizer(value, "pre_tokenizer", 0, result, findings);
  return result;
}

} // namespace tenon::tokenizers
