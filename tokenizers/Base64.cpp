// Four characters are three bytes; the last four may have one or two `=`.
#include "tokenizers/Base64.h"

#include <cstdint>

namespace tenon::tokenizers {

static std::optional<uint32_t> valueOf(char c) {
  if (c >= 'A' && c <= 'Z')
    return c - 'A';
  if (c >= 'a' && c <= 'z')
    return c - 'a' + 26;
  if (c >= '0' && c <= '9')
    return c - '0' + 52;
  if (c == '+')
    return 62;
  if (c == '/')
    return 63;
  return std::nullopt;
}

std::optional<std::string> decodeBase64(std::string_view text) {
  if (text.size() % 4 != 0)
    return std::nullopt;
  size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (size_t at = 0; at < text.size(); at += 4) {
    size_t missing = at + 4 == text.size() ? padding : 0;
    uint32_t word = 0;
    for (size_t i = 0; i < 4; ++i) {
      std::optional<uint32_t> value =
          i < 4 - missing ? valueOf(text[at + i]) : std::optional(0u);
      if (!value)
        return std::nullopt;
      word = word << 6 | *value;
    }
    // The bits that padding leaves over must be zero.
    if (missing && (word & ((1u << 8 * missing) - 1)))
      return std::nullopt;
    for (size_t i = 0; i < 3 - missing; ++i)
      bytes += static_cast<char>(word >> (16 - 8 * i));
  }
  return bytes;
}

} // namespace tenon::tokenizers
