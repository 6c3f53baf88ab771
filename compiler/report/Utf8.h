// Decodes UTF-8 by table 3-7 of the Unicode standard: no overlong forms, no
// surrogates, nothing above U+10FFFF.
#ifndef TENON_COMPILER_REPORT_UTF8_H
#define TENON_COMPILER_REPORT_UTF8_H

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tenon {

/// The length in bytes of the well-formed sequence at s[at]; 0 if there is
/// none. Requires at < s.size().
inline size_t utf8SequenceLength(std::string_view s, size_t at) {
  auto byte = [&](size_t i) -> uint8_t {
    return at + i < s.size() ? static_cast<uint8_t>(s[at + i]) : 0;
  };
  auto tail = [&](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  uint8_t first = byte(0);
  if (first < 0x80)
    return 1;
  if (first >= 0xc2 && first <= 0xdf)
    return tail(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f))
      return 0;
    return tail(1) && tail(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    if ((first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f))
      return 0;
    return tail(1) && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

/// The offset of the first byte that is not UTF-8; npos if all of `s` is UTF-8.
inline size_t findInvalidUtf8(std::string_view s) {
  for (size_t i = 0; i < s.size();) {
    size_t length = utf8SequenceLength(s, i);
    if (length == 0)
      return i;
    i += length;
  }
  return std::string_view::npos;
}

} // namespace tenon

#endif // TENON_COMPILER_REPORT_UTF8_H
