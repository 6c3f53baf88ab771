// The key `normalizer`, and patterns, which other parts have as well.
#include "tokenizers/ReadParts.h"

#include "tokenizers/Base64.h"
#include "tokenizers/Utf8.h"

namespace tenon::tokenizers {

std::optional<Pattern> readPattern(const Fields &fields) {
  const JsonValue *value = fields.find("pattern");
  const JsonValue *literal = value ? value->find("String") : nullptr;
  const JsonValue *expression = value ? value->find("Regex") : nullptr;
  Findings &findings = fields.getFindings();
  if (literal && literal->isText() && !literal->text().empty())
    return Pattern::ofText(std::string(literal->text()));
  if (!expression || !expression->isText() || expression->text().empty()) {
    findings.invalid(fields.placeOf("pattern"),
                     "expected an object with a text that is not empty as "
                     "'String' or 'Regex'");
    return std::nullopt;
  }
  try {
    return Pattern::ofExpression(expression->text());
  } catch (const Failure &failure) {
    if (failure.status == TENON_TOKENIZER_LIMIT)
      findings.limit(fields.placeOf("pattern.Regex"), failure.text);
    else if (failure.status == TENON_TOKENIZER_UNSUPPORTED)
      findings.unsupported(fields.placeOf("pattern.Regex"), failure.text);
    else
      findings.invalid(fields.placeOf("pattern.Regex"), failure.text);
    return std::nullopt;
  }
}

std::string readCharacter(const Fields &fields, std::string_view key) {
  std::string_view text = fields.text(key);
  if (!text.empty() && lengthFromFirst(text[0]) == text.size())
    return std::string(text);
  if (const JsonValue *field = fields.find(key); field && field->isText())
    fields.getFindings().invalid(fields.placeOf(key),
                                 "expected one character, got " + quoted(text));
  return " ";
}

/// The table of `Precompiled`; nothing after a finding.
static std::optional<CharsMap> readCharsMap(const Fields &fields) {
  constexpr std::string_view key = "precompiled_charsmap";
  std::string_view text = fields.text(key);
  Findings &findings = fields.getFindings();
  std::optional<std::string> bytes = decodeBase64(text);
  if (!bytes) {
    findings.invalid(fields.placeOf(key),
                     "expected base64, got " + quoted(text));
    return std::nullopt;
  }
  return CharsMap::read(*bytes, fields.placeOf(key), findings);
}

static void addNormalizer(const JsonValue &value, const std::string &place,
                          int depth, Normalizer &result, Findings &findings) {
  Fields fields(value, place, findings);
  std::string_view type = fields.text("type");
  if (type == "Sequence") {
    if (depth == maxNestedSteps)
      return findings.limit(place, "expected sequences at most " +
                                       std::to_string(maxNestedSteps) +
                                       " deep");
    std::span<const JsonValue> steps = fields.list("normalizers");
    for (size_t i = 0; i < steps.size(); ++i)
      addNormalizer(steps[i],
                    fields.placeOf("normalizers") + "[" + std::to_string(i) +
                        "]",
                    depth + 1, result, findings);
  } else if (type == "NFC") {
    result.add(makeUnicodeForm(/*compatibility=*/false, /*composed=*/true));
  } else if (type == "NFD") {
    result.add(makeUnicodeForm(/*compatibility=*/false, /*composed=*/false));
  } else if (type == "NFKC") {
    result.add(makeUnicodeForm(/*compatibility=*/true, /*composed=*/true));
  } else if (type == "NFKD") {
    result.add(makeUnicodeForm(/*compatibility=*/true, /*composed=*/false));
  } else if (type == "Prepend") {
    result.add(makePrepend(std::string(fields.text("prepend"))));
  } else if (type == "Replace") {
    std::string content(fields.text("content"));
    if (std::optional<Pattern> pattern = readPattern(fields))
      result.add(makeReplace(std::move(*pattern), std::move(content)));
  } else if (type == "Precompiled") {
    if (std::optional<CharsMap> map = readCharsMap(fields))
      result.add(makePrecompiled(std::move(*map)));
  } else if (type == "Nmt") {
    result.add(makeNmt());
  } else if (type == "Strip") {
    result.add(
        makeStrip(fields.boolean("strip_left"), fields.boolean("strip_right")));
  } else if (value.find("type") && value.find("type")->isText()) {
    fields.refuse("type", "one of Sequence, NFC, NFD, NFKC, NFKD, Nmt, "
                          "Precompiled, Prepend, Replace, Strip");
  }
}

Normalizer readNormalizer(const JsonValue &value, Findings &findings) {
  Normalizer result;
  if (!value.isNull())
    addNormalizer(value, "normalizer", 0, result, findings);
  return result;
}

} // namespace tenon::tokenizers
