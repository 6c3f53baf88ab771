// The tokens of a model and their ids, in both directions. Ids may have gaps of
// any size; memory grows with the number of tokens.
#ifndef TENON_TOKENIZERS_VOCABULARY_H
#define TENON_TOKENIZERS_VOCABULARY_H

#include "tokenizers/Failure.h"
#include "tokenizers/TextIndex.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::tokenizers {

struct JsonMember;
class JsonValue;

class Vocabulary {
public:
  Vocabulary() = default;
  // A copy would refer to the tokens of the original.
  Vocabulary(Vocabulary &&) = default;
  Vocabulary &operator=(Vocabulary &&) = default;

  /// Ids are below this number, so that they fit in signed 32-bit integers.
  static constexpr int64_t idLimit = int64_t(1) << 31;

  /// Reads an object of tokens with their ids. Problems go to `findings`.
  static Vocabulary read(const JsonValue &value, const std::string &place,
                         Findings &findings);

  /// The vocabulary in which the place of a token in `tokens` is its id.
  /// `placeOfToken` is a token's place in messages, with `#` for its number.
  static Vocabulary ofList(std::span<const std::string_view> tokens,
                           std::string_view placeOfToken, Findings &findings);

  size_t size() const { return entries.size(); }

  /// The id of a token, or TENON_TOKENIZER_NO_ID.
  uint32_t find(std::string_view token) const {
    uint32_t entry = index.find(token, TokenOf{*this});
    return entry == TextIndex::none ? TENON_TOKENIZER_NO_ID : entries[entry].id;
  }

  /// The token of an id; its data is null if no token has the id.
  std::string_view tokenOf(uint32_t id) const;

private:
  struct Entry {
    uint32_t id;
    std::string_view token;
  };
  /// The text of an entry, for the index.
  struct TokenOf {
    const Vocabulary &vocabulary;
    std::string_view operator()(uint32_t entry) const {
      return vocabulary.entries[entry].token;
    }
  };
  /// Copies `token` to `bytes`, which must have room, as they must not move.
  void add(uint32_t id, std::string_view token);
  /// Sorts the entries and fills the index.
  void finish(const std::string &place, Findings &findings);

  std::vector<char> bytes;    ///< all tokens, one after another
  std::vector<Entry> entries; ///< by id
  TextIndex index;
};

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_VOCABULARY_H
