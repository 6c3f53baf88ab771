// Both directions of the alphabet of bytes, by tables.
#include "tokenizers/ByteLevel.h"

#include "tokenizers/Utf8.h"

#include <array>

namespace tenon::tokenizers {

namespace {
struct Alphabet {
  std::array<uint16_t, 256> characters;
  std::array<std::string, 256> texts;
  std::array<int16_t, 0x144> bytes; ///< -1: no byte has this character
};
} // namespace

static const Alphabet &alphabet() {
  static const Alphabet table = [] {
    Alphabet made;
    made.bytes.fill(-1);
    uint16_t next = 0x100;
    for (unsigned byte = 0; byte < 256; ++byte) {
      bool printable = (byte >= '!' && byte <= '~') ||
                       (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
      made.characters[byte] = printable ? byte : next++;
      made.bytes[made.characters[byte]] = static_cast<int16_t>(byte);
      appendUtf8(made.texts[byte], made.characters[byte]);
    }
    return made;
  }();
  return table;
}

uint32_t characterOfByte(uint8_t byte) { return alphabet().characters[byte]; }

void appendByteCharacters(std::string &result, std::string_view text) {
  const Alphabet &table = alphabet();
  for (char c : text)
    result += table.texts[static_cast<uint8_t>(c)];
}

void appendBytesOfCharacters(std::string &result, std::string_view token) {
  const Alphabet &table = alphabet();
  size_t before = result.size();
  for (size_t at = 0; at < token.size(); at += lengthFromFirst(token[at])) {
    uint32_t c = codePointAt(token, at);
    if (c >= table.bytes.size() || table.bytes[c] < 0) {
      result.resize(before);
      result += token;
      return;
    }
    result += static_cast<char>(table.bytes[c]);
  }
}

} // namespace tenon::tokenizers
