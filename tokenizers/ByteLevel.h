// The alphabet of byte-level tokenizers: one printable character for each byte.
// Bytes that are printable in Latin-1 stand for themselves; the others, in
// order, are the characters from U+0100 on.
#ifndef TENON_TOKENIZERS_BYTELEVEL_H
#define TENON_TOKENIZERS_BYTELEVEL_H

#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::tokenizers {

/// The character of a byte.
uint32_t characterOfByte(uint8_t byte);

/// Appends the characters of the bytes of `text`.
void appendByteCharacters(std::string &result, std::string_view text);

/// Appends the bytes that the characters of `token` stand for. A token with
/// another character stands for its own bytes.
void appendBytesOfCharacters(std::string &result, std::string_view token);

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_BYTELEVEL_H
