// Lookup of characters: a small table for the first 256, a search in the ranges
// for the others.
#include "tokenizers/Unicode.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

namespace tenon::tokenizers {

static bool isIn(std::span<const CharacterRange> ranges, uint32_t c) {
  auto after = std::upper_bound(
      ranges.begin(), ranges.end(), c,
      [](uint32_t c, const CharacterRange &range) { return c < range.first; });
  return after != ranges.begin() && c <= std::prev(after)->last;
}

/// White_Space of Unicode, which has not changed since version 6.3.
static bool isWhiteSpace(uint32_t c) {
  return (c >= 0x9 && c <= 0xd) || c == 0x20 || c == 0x85 || c == 0xa0 ||
         c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 ||
         c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

static CharacterClass searchClass(uint32_t c) {
  if (isWhiteSpace(c))
    return CharacterClass::Space;
  if (isIn(letterRanges, c))
    return CharacterClass::Letter;
  return isIn(numberRanges, c) ? CharacterClass::Number : CharacterClass::Other;
}

CharacterClass classOf(uint32_t c) {
  static const std::array<CharacterClass, 256> low = [] {
    std::array<CharacterClass, 256> classes;
    for (uint32_t i = 0; i < 256; ++i)
      classes[i] = searchClass(i);
    return classes;
  }();
  return c < 256 ? low[c] : searchClass(c);
}

bool isNumber(uint32_t c) {
  return classOf(c) == CharacterClass::Number ||
         (c >= 0x11de0 && c <= 0x11de9) || (c >= 0x16ff4 && c <= 0x16ff6);
}

bool isWord(uint32_t c) { return isIn(wordRanges, c); }

bool isLater(uint32_t c) {
  return c >= laterRanges[0].first && isIn(laterRanges, c);
}

} // namespace tenon::tokenizers
