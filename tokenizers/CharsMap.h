// The table of character replacements in sentencepiece's files, which both its
// own library and Hugging Face's read: a double-array trie of texts, and the
// texts that stand in their place.
//
// The bytes are: the size of the trie (32 bits, little endian), the trie's
// units of 32 bits, then replacements that each end with NUL. A unit of a node
// has the byte that leads to it (bits 0 to 7), whether a text ends there (bit
// 8) and the distance to its children (bits 10 to 31, times 256 if bit 9 is
// set). The unit at that distance for byte 0 is the place of the replacement,
// with bit 31 set.
#ifndef TENON_TOKENIZERS_CHARSMAP_H
#define TENON_TOKENIZERS_CHARSMAP_H

#include "tokenizers/Failure.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::tokenizers {

class CharsMap {
public:
  /// Texts that are replaced are at most this long.
  static constexpr size_t maxKeyBytes = 256;

  /// Reads the table, after which no search leaves it or runs in circles;
  /// nothing after a finding at `place`.
  static std::optional<CharsMap>
  read(std::string_view bytes, const std::string &place, Findings &findings);

  /// The replacement of the shortest beginning of `text` that has one.
  std::optional<std::string_view> findShortest(std::string_view text) const;

  struct Match {
    size_t length;
    std::string_view replacement;
  };
  /// The longest beginning of `text` that has a replacement.
  std::optional<Match> findLongest(std::string_view text) const;

private:
  /// Calls `found(length, replacement)` for each beginning of `text` that has
  /// one, shortest first, until it returns false.
  template <typename Found>
  void search(std::string_view text, Found found) const;

  std::vector<uint32_t> units;
  std::string replacements;
};

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_CHARSMAP_H
