// Ten million bytes without a space, of several kinds, in at most ten seconds
// of processor time each, and back.
#include "test/tokenizers/Files.h"
#include "test/tokenizers/Session.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <random>

using namespace tenon::test;

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
      {"no text", textOf({"\xff", "\xe2\x82", "\xc3"})}};
  // Kinds that take different ways, with the texts that matter to them.
  const std::pair<const char *, std::vector<std::string>> kinds[] = {
      {"llama3",
       {"one letter", "letters", "words", "Chinese", "digits", "line ends"}},
      {"qwen2", {"marks"}},
      {"llama2", {"letters", "no text"}}};
  int failed = 0;
  for (const auto &[kind, names] : kinds) {
    Session session(golden(kind));
    for (const auto &[name, text] : texts) {
      if (std::find(names.begin(), names.end(), name) == names.end())
        continue;
      clock_t begin = clock();
      std::vector<uint32_t> ids = session.encode(text, true);
      double there = double(clock() - begin) / CLOCKS_PER_SEC;
      begin = clock();
      std::string back = session.decode(ids, true);
      double seconds = double(clock() - begin) / CLOCKS_PER_SEC;
      bool good = !ids.empty() && there <= mostSeconds &&
                  seconds <= mostSeconds && back.size() >= size / 2;
      failed += !good;
      std::printf("%-7s %-10s %8zu ids %5.2f s, back in %5.2f s%s\n", kind,
                  name, ids.size(), there, seconds, good ? "" : "  FAILED");
    }
  }
  return failed != 0;
}
