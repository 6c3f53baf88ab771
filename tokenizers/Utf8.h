// UTF-8 by table 3-7 of the Unicode standard: no overlong forms, no surrogates,
// nothing above U+10FFFF.
#ifndef TENON_TOKENIZERS_UTF8_H
#define TENON_TOKENIZERS_UTF8_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::tokenizers {

/// The character that stands for ill-formed bytes, U+FFFD.
inline constexpr std::string_view replacementCharacter = "\xef\xbf\xbd";

/// What the bytes at one place are.
struct Sequence {
  size_t length; ///< bytes of a character; or of its beginning, if ill-formed
  bool whole;    ///< a well-formed character
  bool open;     ///< the text ends before the character does
};

/// The sequence at text[at]. An ill-formed one is as long as the longest
/// beginning of a character that the bytes have, and at least one byte.
/// Requires at < text.size().
inline Sequence sequenceAt(std::string_view text, size_t at) {
  uint8_t first = text[at];
  if (first < 0x80)
    return {1, true, false};
  if (first < 0xc2 || first > 0xf4)
    return {1, false, false};
  size_t needed = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  uint8_t low = 0x80, high = 0xbf;
  if (first == 0xe0)
    low = 0xa0;
  else if (first == 0xed)
    high = 0x9f;
  else if (first == 0xf0)
    low = 0x90;
  else if (first == 0xf4)
    high = 0x8f;
  for (size_t i = 1; i < needed; ++i) {
    if (at + i == text.size())
      return {i, false, true};
    uint8_t byte = text[at + i];
    if (byte < low || byte > high)
      return {i, false, false};
    low = 0x80;
    high = 0xbf;
  }
  return {needed, true, false};
}

/// The bytes of the character at text[at]; 0 if it is ill-formed.
inline size_t sequenceLength(std::string_view text, size_t at) {
  Sequence sequence = sequenceAt(text, at);
  return sequence.whole ? sequence.length : 0;
}

/// The bytes of the character that begins with `first`, in well-formed text.
inline size_t lengthFromFirst(char first) {
  uint8_t byte = first;
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

/// The code point at text[at], in well-formed text.
inline uint32_t codePointAt(std::string_view text, size_t at) {
  auto byte = [&](size_t i) -> uint32_t {
    return static_cast<uint8_t>(text[at + i]);
  };
  if (byte(0) < 0x80)
    return byte(0);
  if (byte(0) < 0xe0)
    return (byte(0) & 0x1f) << 6 | (byte(1) & 0x3f);
  if (byte(0) < 0xf0)
    return (byte(0) & 0xf) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
  return (byte(0) & 7) << 18 | (byte(1) & 0x3f) << 12 | (byte(2) & 0x3f) << 6 |
         (byte(3) & 0x3f);
}

/// The offset of the character that ends before text[end], in well-formed text.
inline size_t previousCharacter(std::string_view text, size_t end) {
  do
    --end;
  while ((static_cast<uint8_t>(text[end]) & 0xc0) == 0x80);
  return end;
}

/// Appends a code point.
inline void appendUtf8(std::string &text, uint32_t c) {
  auto tail = [&](unsigned shift) {
    text += static_cast<char>(0x80 | ((c >> shift) & 0x3f));
  };
  if (c < 0x80) {
    text += static_cast<char>(c);
  } else if (c < 0x800) {
    text += static_cast<char>(0xc0 | c >> 6);
    tail(0);
  } else if (c < 0x10000) {
    text += static_cast<char>(0xe0 | c >> 12);
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xf0 | c >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

/// `text` with U+FFFD for each ill-formed sequence.
inline std::string wellFormed(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    Sequence sequence = sequenceAt(text, at);
    result += sequence.whole ? text.substr(at, sequence.length)
                             : replacementCharacter;
    at += sequence.length;
  }
  return result;
}

/// True if all of `text` is well-formed.
inline bool isUtf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    size_t length = sequenceLength(text, at);
    if (length == 0)
      return false;
    at += length;
  }
  return true;
}

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_UTF8_H
