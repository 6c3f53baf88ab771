// Tokens beside the model's vocabulary: they are found in a text before it is
// divided, whatever stands around them.
#ifndef TENON_TOKENIZERS_ADDEDTOKENS_H
#define TENON_TOKENIZERS_ADDEDTOKENS_H

#include "tokenizers/Normalizer.h"
#include "tokenizers/Pieces.h"
#include "tokenizers/Vocabulary.h"

#include <array>
#include <map>
#include <optional>
#include <set>

namespace tenon::tokenizers {

struct AddedToken {
  std::string content;
  bool singleWord = false; ///< not beside a character of a word
  bool leftStrip = false;  ///< with the white space before it
  bool rightStrip = false; ///< with the white space after it
  bool normalized = true;  ///< found in normalized text, normalized itself
  bool special = false;    ///< may be left out of decoded text
};

class AddedTokens {
public:
  static constexpr size_t maxContentBytes = 1024;

  /// To be called before the tokens of one file are added: a token that the
  /// vocabulary does not have gets the first id after it and after the tokens
  /// that were added before.
  void beginFile(const Vocabulary &vocabulary);

  /// Adds a token with the id that the vocabulary has for it, or else the next
  /// one that is free; `stated` is the id that a file says. Problems go to
  /// `findings` at `place`.
  void add(AddedToken token, std::optional<int64_t> stated,
           const std::string &place, const Vocabulary &vocabulary,
           const Normalizer &normalizer, Findings &findings);

  /// To be called after the last `add`: prepares the search.
  void finish(Findings &findings);

  /// Divides pieces at the tokens that are found in text as it is.
  void divideOriginal(Pieces &pieces) const { divide(pieces, original); }
  /// Divides pieces at the tokens that are found in normalized text.
  void divideNormalized(Pieces &pieces) const { divide(pieces, normalized); }

  /// True if a token has this content.
  bool contains(std::string_view content) const {
    return ids.find(content) != ids.end();
  }
  /// The id of a token, or TENON_TOKENIZER_NO_ID.
  uint32_t find(std::string_view content) const {
    auto found = ids.find(content);
    return found == ids.end() ? TENON_TOKENIZER_NO_ID : found->second;
  }
  /// The token of an id as decoding sees it: normalized if it is found so. Its
  /// data is null if no added token has the id.
  std::string_view tokenOf(uint32_t id) const {
    auto found = tokens.find(id);
    return found == tokens.end() ? std::string_view()
                                 : std::string_view(found->second.shown);
  }
  /// True if the token of the id is special.
  bool isSpecial(uint32_t id) const {
    auto found = tokens.find(id);
    return found != tokens.end() && specials.contains(found->second.shown);
  }
  /// Tokens that the model's vocabulary does not have.
  size_t countBeyond() const { return beyond; }

private:
  struct Entry {
    AddedToken token;
    std::string shown;
  };

  /// Contents in order of their bytes, for a search byte by byte.
  struct Finder {
    struct Content {
      std::string_view text;
      uint32_t id;
    };
    std::vector<Content> contents;
    std::array<bool, 256> begins{}; ///< some content begins with the byte

    /// The longest content at text[at], or null.
    const Content *longestAt(std::string_view text, size_t at) const;
  };

  void divide(Pieces &pieces, const Finder &finder) const;
  void prepare(Finder &finder, bool isNormalized, Findings &findings);

  std::map<uint32_t, Entry> tokens;
  std::map<std::string, uint32_t, std::less<>> ids;
  std::set<std::string, std::less<>> specials; ///< contents of special tokens
  Finder original, normalized;
  uint32_t nextId = 0;
  size_t beyond = 0;
};

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_ADDEDTOKENS_H
