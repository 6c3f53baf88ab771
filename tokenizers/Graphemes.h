// User-perceived characters: the extended grapheme clusters of Unicode 17
// (UAX 29), which the library that trained the models divides texts into before
// it normalizes them.
#ifndef TENON_TOKENIZERS_GRAPHEMES_H
#define TENON_TOKENIZERS_GRAPHEMES_H

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tenon::tokenizers {

/// What the rules of graphemes ask of a character.
enum class GraphemeClass : uint8_t {
  Other,
  Control,
  Extend,     ///< continues a grapheme, also between linked consonants
  ExtendOnly, ///< continues a grapheme, not between linked consonants
  Joiner,     ///< U+200D
  Linker,     ///< continues a grapheme and links consonants
  Spacing,    ///< continues a grapheme
  Before,     ///< begins a grapheme that goes on
  Picture,
  Consonant,
  Flag, ///< half a flag
  Lead, ///< a consonant of Hangul before vowels
  Vowel,
  Tail,
  LeadVowel,
  LeadVowelTail
};

/// Code points from `first` to `last`, both included.
struct GraphemeRange {
  uint32_t first, last;
  GraphemeClass type;
};
extern const GraphemeRange graphemeRanges[831];

/// The end of the grapheme that begins at text[at], in well-formed text.
size_t graphemeEnd(std::string_view text, size_t at);

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_GRAPHEMES_H
