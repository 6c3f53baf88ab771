// Checks the tokens and the number of words, and names the option at an error.
#include "compiler/import/huggingface/reader/WordLists.h"

#include "compiler/files/ReadFailure.h"

#include <charconv>
#include <cmath>

namespace tenon::hf {
namespace {

using Word = std::vector<int64_t>;

/// The words of one option.
class WordReader {
public:
  WordReader(const ConfigReader &config, const char *key)
      : place(config.place(key)) {}

  [[noreturn]] void expected(const std::string &what, const Json &got) const {
    fail(place, "expected " + what + ", got " + spell(got));
  }

  /// What `read` makes of each element of a list of `what`.
  template <typename Read>
  auto listOf(const Json &value, const char *what, Read read) const {
    const auto *list = value.get<JsonArray>();
    if (!list)
      expected(what, value);
    checkCount(list->size());
    std::vector<decltype(read(value))> result;
    for (const Json &element : *list)
      result.push_back(read(element));
    return result;
  }

  void checkCount(size_t words) const {
    if (words > size_t(maxWords))
      fail(place,
           "lists of more than " + std::to_string(maxWords) +
               " words are not supported, got " + std::to_string(words),
           Status::Unsupported);
  }

  Word list(const Json &value) const {
    const auto *elements = value.get<JsonArray>();
    if (!elements || elements->empty())
      expected("a list of tokens", value);
    Word word;
    for (const Json &element : *elements) {
      const auto *id = element.get<int64_t>();
      if (!id || *id < 0 || *id > maxToken)
        expected("tokens from 0 to " + std::to_string(maxToken), element);
      word.push_back(*id);
    }
    return checked(std::move(word));
  }

  /// The text of a tuple: "(5, 7)", "(5,)" or "5".
  Word tuple(const std::string &text) const {
    std::string_view rest = text;
    auto skip = [&](char sign) {
      while (rest.starts_with(' '))
        rest.remove_prefix(1);
      bool found = rest.starts_with(sign);
      if (found)
        rest.remove_prefix(1);
      return found;
    };
    Word word;
    bool isOpen = skip('(');
    do {
      if (rest.starts_with(')') && !word.empty())
        break;
      skip(' ');
      int64_t id = -1;
      auto [end, error] =
          std::from_chars(rest.data(), rest.data() + rest.size(), id);
      if (error != std::errc() || id < 0 || id > maxToken)
        expected("a tuple of tokens from 0 to " + std::to_string(maxToken),
                 {text});
      rest.remove_prefix(end - rest.data());
      word.push_back(id);
    } while (skip(','));
    if ((isOpen && !skip(')')) || !rest.empty())
      expected("a tuple of tokens", {text});
    return checked(std::move(word));
  }

  double bias(const Json &value) const {
    double bias = numberIn(&value);
    if (!(std::abs(bias) <= maxNumber))
      expected("a number as bias", value);
    return bias;
  }

private:
  Word checked(Word word) const {
    if (word.size() > size_t(maxWordTokens))
      fail(place,
           "words of more than " + std::to_string(maxWordTokens) +
               " tokens are not supported, got " + std::to_string(word.size()),
           Status::Unsupported);
    return word;
  }

  std::string place;
};
} // namespace

std::vector<Word> badWords(const ConfigReader &config) {
  const char *key = "bad_words_ids";
  const Json *value = config.find(key);
  if (!value)
    return {};
  WordReader words(config, key);
  return words.listOf(*value, "a list of words",
                      [&](const Json &word) { return words.list(word); });
}

std::vector<BiasedWord> sequenceBias(const ConfigReader &config) {
  const char *key = "sequence_bias";
  const Json *value = config.find(key);
  if (!value)
    return {};
  WordReader words(config, key);
  if (const auto *members = value->get<JsonObject>()) {
    words.checkCount(members->size());
    std::vector<BiasedWord> result;
    for (const auto &[text, bias] : *members)
      result.push_back({words.tuple(text), words.bias(bias)});
    return result;
  }
  return words.listOf(
      *value, "a list of pairs of a word and its bias",
      [&](const Json &element) -> BiasedWord {
        const auto *pair = element.get<JsonArray>();
        if (!pair || pair->size() != 2)
          words.expected("a pair of a word and its bias", element);
        return {words.list(pair->front()), words.bias(pair->back())};
      });
}

} // namespace tenon::hf
