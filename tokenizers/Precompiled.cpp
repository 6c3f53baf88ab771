// Replaces characters by a table as Hugging Face's library does, bug for bug,
// since models were trained with its output: the shortest beginning of a small
// grapheme that has a replacement stands for the whole of it.
#include "tokenizers/Graphemes.h"
#include "tokenizers/Normalizer.h"
#include "tokenizers/Utf8.h"

namespace tenon::tokenizers {

namespace {
class Precompiled : public NormalizerStep {
public:
  explicit Precompiled(CharsMap map) : map(std::move(map)) {}

  std::string apply(std::string text, bool &) const override {
    std::string result;
    result.reserve(text.size() + text.size() / 8);
    for (size_t at = 0; at < text.size();) {
      size_t end = graphemeEnd(text, at);
      std::string_view grapheme = std::string_view(text).substr(at, end - at);
      at = end;
      // Larger graphemes are replaced character by character.
      constexpr size_t smallBytes = 5;
      if (grapheme.size() <= smallBytes) {
        if (auto replacement = map.findShortest(grapheme)) {
          result += *replacement;
          continue;
        }
        if (grapheme.size() == lengthFromFirst(grapheme[0])) {
          result += grapheme;
          continue;
        }
      }
      while (!grapheme.empty()) {
        size_t length = lengthFromFirst(grapheme[0]);
        std::string_view character = grapheme.substr(0, length);
        result += map.findShortest(character).value_or(character);
        grapheme.remove_prefix(length);
      }
    }
    return result;
  }

private:
  CharsMap map;
};
} // namespace

std::unique_ptr<const NormalizerStep> makePrecompiled(CharsMap map) {
  return std::make_unique<Precompiled>(std::move(map));
}

} // namespace tenon::tokenizers
