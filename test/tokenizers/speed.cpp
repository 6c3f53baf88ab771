// Ten million bytes without a space, of several kinds, in at most ten seconds
// of processor time each, and back.
#include "test/tokenizers/Files.h"
#include "test/tokenizers/Session.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <random>

using namespace tenon::test;

using nlohmann::json;

static constexpr size_t size = 10'000'000;
static constexpr double mostSeconds = 10;

/// Texts of parts in any order.
static std::string textOf(const std::vector<std::string> &parts) {
  std::mt19937 random(1);
  std::string text;
  while (text.size() < size)
    text += parts[random() % parts.size()];
  return text;
}

/// A Unigram model that has every run of up to 256 of one letter: at each place
/// of such a text all tokens are found.
static json longTokens() {
  json vocabulary = json::array({json::array({"?", 0})});
  for (size_t length = 1; length <= 256; ++length)
    vocabulary.push_back({std::string(length, 'a'), -1.0 * length});
  return {
      {"model", {{"type", "Unigram"}, {"unk_id", 0}, {"vocab", vocabulary}}},
      {"decoder", {{"type", "Fuse"}}}};
}

static std::map<std::string, std::string> filesOf(const std::string &kind) {
  if (kind == "long tokens")
    return asFiles(longTokens());
  return {{"tokenizer.json", readFile(golden(kind) + "/tokenizer.json")}};
}

int main() {
  std::vector<std::string> letters, characters;
  for (char c = 'a'; c <= 'z'; ++c)
    letters.push_back(std::string(1, c));
  for (unsigned c = 0x4e00; c < 0x9f00; ++c)
    characters.push_back({char(0xe0 | c >> 12), char(0x80 | (c >> 6 & 63)),
                          char(0x80 | (c & 63))});
  const std::pair<const char *, std::string> texts[] = {
      {"one letter", textOf({"a"})},
      {"letters", textOf(letters)},
      {"words", textOf({"the", "and", "ing", "brown"})},
      {"Chinese", textOf(characters)},
      {"marks", "a" + textOf({"\u0301", "\u0316"})},
      {"digits", textOf({"0", "1", "77"})},
      {"line ends", textOf({"\n", "\r\n"})},
      {"spaces", textOf({" "})},
      {"pictures", textOf({"\U0001f469\u200d", "\u231a", "\U0001f1e6"})},
      {"no text", textOf({"\xff", "\xe2\x82", "\xc3"})}};
  // Kinds that take different ways, with the texts that matter to them.
  struct Kind {
    const char *name;
    std::vector<std::string> texts;
    bool keepsText = true; ///< decoding gives the text back
  };
  const Kind kinds[] = {
      {"llama3",
       {"one letter", "letters", "words", "Chinese", "digits", "line ends"}},
      {"qwen2", {"marks"}},
      {"llama2", {"letters", "no text"}},
      {"t5", {"one letter", "words"}},
      {"t5", {"Chinese", "marks", "spaces", "pictures", "no text"}, false},
      {"mt5", {"letters", "Chinese", "marks"}},
      {"long tokens", {"one letter"}}};
  int failed = 0;
  for (const Kind &kind : kinds) {
    Session session(filesOf(kind.name));
    for (const auto &[name, text] : texts) {
      if (std::find(kind.texts.begin(), kind.texts.end(), name) ==
          kind.texts.end())
        continue;
      clock_t begin = clock();
      std::vector<uint32_t> ids = session.encode(text, true);
      double there = double(clock() - begin) / CLOCKS_PER_SEC;
      begin = clock();
      std::string back = session.decode(ids, true);
      double seconds = double(clock() - begin) / CLOCKS_PER_SEC;
      bool good = !ids.empty() && there <= mostSeconds &&
                  seconds <= mostSeconds &&
                  (!kind.keepsText || back.size() >= size / 2);
      failed += !good;
      std::printf("%-11s %-10s %8zu ids %5.2f s, back in %5.2f s%s\n",
                  kind.name, name, ids.size(), there, seconds,
                  good ? "" : "  FAILED");
    }
  }
  return failed != 0;
}
