// The rules GB3 to GB999 of UAX 29 as a walk from character to character. It
// remembers what the rules about pictures, flags and linked consonants look
// back at.
#include "tokenizers/Graphemes.h"

#include "tokenizers/Utf8.h"

#include <algorithm>
#include <iterator>

namespace tenon::tokenizers {

using enum GraphemeClass;

static GraphemeClass classOfCharacter(uint32_t c) {
  if (c < 0x300) {
    if (c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad)
      return Control;
    return c == 0xa9 || c == 0xae ? Picture : Other;
  }
  if (c >= 0xac00 && c <= 0xd7a3)
    return (c - 0xac00) % 28 == 0 ? LeadVowel : LeadVowelTail;
  auto after = std::upper_bound(
      std::begin(graphemeRanges), std::end(graphemeRanges), c,
      [](uint32_t c, const GraphemeRange &range) { return c < range.first; });
  const GraphemeRange &range = *std::prev(after);
  return c <= range.last ? range.type : Other;
}

/// Rules GB6 to GB8: parts of a syllable of Hangul.
static bool continuesSyllable(GraphemeClass before, GraphemeClass after) {
  switch (before) {
  case Lead:
    return after == Lead || after == Vowel || after == LeadVowel ||
           after == LeadVowelTail;
  case LeadVowel:
  case Vowel:
    return after == Vowel || after == Tail;
  case LeadVowelTail:
  case Tail:
    return after == Tail;
  default:
    return false;
  }
}

namespace {
/// The characters of a grapheme so far.
struct Walk {
  GraphemeClass last;
  bool afterPicture = false;   ///< a picture and then only Extend
  bool joinsPicture = false;   ///< the same and then a joiner
  bool afterConsonant = false; ///< a consonant and then what may link
  bool isLinked = false;       ///< a linker came after it
  bool oddFlags = false;       ///< an odd number of halves of flags

  /// True if `next` belongs to the same grapheme.
  bool takes(GraphemeClass next) const {
    if (last == Control || next == Control)
      return false;
    return continuesSyllable(last, next) || next == Extend ||
           next == ExtendOnly || next == Joiner || next == Linker ||
           next == Spacing || last == Before ||
           (next == Consonant && isLinked) ||
           (next == Picture && joinsPicture) ||
           (next == Flag && last == Flag && oddFlags);
  }

  void add(GraphemeClass next) {
    bool mayLink = next == Extend || next == Linker || next == Joiner;
    isLinked = (isLinked && mayLink) || (afterConsonant && next == Linker);
    afterConsonant = next == Consonant || (afterConsonant && mayLink);
    joinsPicture = afterPicture && next == Joiner;
    afterPicture = next == Picture ||
                   (afterPicture &&
                    (next == Extend || next == Linker || next == ExtendOnly));
    oddFlags = next == Flag && !oddFlags;
    last = next;
  }
};
} // namespace

size_t graphemeEnd(std::string_view text, size_t at) {
  size_t end = at + lengthFromFirst(text[at]);
  auto isPlain = [&](size_t i) {
    return i < text.size() && text[i] >= 0x20 && text[i] < 0x7f;
  };
  if (end == text.size() || (isPlain(at) && isPlain(end)))
    return end;
  if (text[at] == '\r' && text[end] == '\n')
    return end + 1;
  Walk walk{Other};
  walk.add(classOfCharacter(codePointAt(text, at)));
  while (end < text.size()) {
    GraphemeClass next = classOfCharacter(codePointAt(text, end));
    if (!walk.takes(next))
      break;
    walk.add(next);
    end += lengthFromFirst(text[end]);
  }
  return end;
}

} // namespace tenon::tokenizers
