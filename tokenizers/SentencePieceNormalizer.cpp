// The normalization of the sentencepiece library: the longest text of the table
// is replaced at each place, and spaces become marks.
#include "tokenizers/Normalizer.h"
#include "tokenizers/Utf8.h"

namespace tenon::tokenizers {

namespace {
class SentencePieceNormalizer : public NormalizerStep {
public:
  explicit SentencePieceNormalizer(SentencePieceRules rules)
      : rules(std::move(rules)),
        space(this->rules.markSpaces ? "\u2581" : " ") {}

  std::string apply(std::string text, bool &) const override {
    std::string_view rest = text;
    if (rules.removeExtraSpaces)
      while (!rest.empty()) {
        auto [length, replacement] = next(rest);
        if (replacement != " ")
          break;
        rest.remove_prefix(length);
      }
    std::string result;
    if (rest.empty())
      return result;
    result.reserve(rest.size() + rest.size() / 2 + space.size());
    if (rules.addSpace && !rules.suffixSpace)
      result += space;
    bool afterSpace = rules.removeExtraSpaces;
    while (!rest.empty()) {
      auto [length, replacement] = next(rest);
      rest.remove_prefix(length);
      while (afterSpace && replacement.starts_with(' '))
        replacement.remove_prefix(1);
      for (char c : replacement) {
        if (c == ' ')
          result += space;
        else
          result += c;
      }
      if (!replacement.empty())
        afterSpace = rules.removeExtraSpaces && replacement.ends_with(' ');
    }
    if (rules.removeExtraSpaces)
      while (result.ends_with(space))
        result.resize(result.size() - space.size());
    if (rules.addSpace && rules.suffixSpace)
      result += space;
    return result;
  }

private:
  /// What stands first in `text`, and its replacement.
  CharsMap::Match next(std::string_view text) const {
    size_t kept = 0;
    rules.kept.search(text, 0, [&](size_t length, uint32_t) { kept = length; });
    if (kept > 0)
      return {kept, text.substr(0, kept)};
    if (rules.map)
      if (std::optional<CharsMap::Match> match = rules.map->findLongest(text))
        return *match;
    size_t length = lengthFromFirst(text[0]);
    return {length, text.substr(0, length)};
  }

  SentencePieceRules rules;
  std::string space;
};
} // namespace

std::unique_ptr<const NormalizerStep>
makeSentencePieceNormalizer(SentencePieceRules rules) {
  return std::make_unique<SentencePieceNormalizer>(std::move(rules));
}

} // namespace tenon::tokenizers
