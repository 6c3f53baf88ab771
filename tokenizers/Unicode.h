// Classes of characters. The tables are the library's own, because ids must not
// depend on the Unicode version of a system's libraries.
#ifndef TENON_TOKENIZERS_UNICODE_H
#define TENON_TOKENIZERS_UNICODE_H

#include <cstdint>

namespace tenon::tokenizers {

/// Code points from `first` to `last`, both included.
struct CharacterRange {
  uint32_t first, last;
};
extern const CharacterRange letterRanges[677];
extern const CharacterRange numberRanges[144];
extern const CharacterRange wordRanges[796];
extern const CharacterRange laterRanges[75];

/// What the expressions of pre-tokenizers ask of a character.
enum class CharacterClass : uint8_t { Letter, Number, Space, Other };

/// The class of a code point: general category L or N, or White_Space.
CharacterClass classOf(uint32_t c);

/// True for what the Digits pre-tokenizer divides: numbers of Unicode 17, which
/// has 13 more than the expressions know.
bool isNumber(uint32_t c);
inline bool isSpace(uint32_t c) { return classOf(c) == CharacterClass::Space; }

/// True for characters of words: \w of Rust's regular expressions.
bool isWord(uint32_t c);

/// True for characters that normalization must not touch, because the tables of
/// the library that trained the models do not have them.
bool isLater(uint32_t c);

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_UNICODE_H
