// GPT-2's alphabet: a printable byte stands for itself, and the others are the
// characters from 256 on, in their order.
#include "compiler/import/huggingface/reader/TokenPieces.h"

#include "compiler/files/ReadFailure.h"

#include <array>
#include <optional>

namespace tenon::hf {
namespace {

/// More tokens are in no vocabulary.
constexpr int64_t mostTokens = 1 << 20;

/// The byte that each character below 512 stands for; -1: none.
std::array<int, 512> makeAlphabet() {
  std::array<int, 512> alphabet;
  alphabet.fill(-1);
  int next = 256;
  for (int byte = 0; byte < 256; ++byte) {
    bool isPrinted = (byte >= '!' && byte <= '~') ||
                     (byte >= 0xa1 && byte <= 0xff && byte != 0xad);
    alphabet[isPrinted ? byte : next++] = byte;
  }
  return alphabet;
}

/// The bytes of a token. Nullopt if a character stands for none.
std::optional<std::string> bytesOf(std::string_view token) {
  static const std::array<int, 512> alphabet = makeAlphabet();
  std::string bytes;
  for (size_t i = 0; i < token.size(); ++i) {
    unsigned character = static_cast<unsigned char>(token[i]);
    if (character >= 0x80) {
      if (character < 0xc2 || character > 0xc7 || ++i == token.size())
        return std::nullopt;
      character = (character & 0x1f) << 6 |
                  (static_cast<unsigned char>(token[i]) & 0x3f);
    }
    if (alphabet[character] < 0)
      return std::nullopt;
    bytes += static_cast<char>(alphabet[character]);
  }
  return bytes;
}

bool isSpecial(std::string_view token) {
  return token.size() > 4 && token.starts_with("<|") && token.ends_with("|>");
}
} // namespace

std::vector<uint8_t> makeTokenPieces(const Json &vocabulary, size_t mostBytes) {
  const auto *members = vocabulary.get<JsonObject>();
  if (!members)
    fail("", "expected an object with an id for each token");
  std::vector<std::string> pieces;
  for (const auto &[token, id] : *members) {
    const auto *number = id.get<int64_t>();
    if (!number || *number < 0 || *number >= mostTokens)
      fail(quoted(token), "expected an id from 0 to " +
                              std::to_string(mostTokens - 1) + ", got " +
                              spell(id));
    std::optional<std::string> bytes = bytesOf(token);
    if (!bytes || bytes->size() > 255)
      return {};
    if (pieces.size() <= static_cast<size_t>(*number))
      pieces.resize(*number + 1);
    if (!isSpecial(token))
      pieces[*number] = *bytes;
  }
  std::vector<uint8_t> table;
  for (const std::string &piece : pieces) {
    table.push_back(static_cast<uint8_t>(piece.size()));
    table.insert(table.end(), piece.begin(), piece.end());
  }
  return table.size() > mostBytes ? std::vector<uint8_t>() : table;
}

} // namespace tenon::hf
