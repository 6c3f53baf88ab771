// The Unigram model: divides a piece of text into the tokens whose scores have
// the greatest sum.
#ifndef TENON_TOKENIZERS_UNIGRAM_H
#define TENON_TOKENIZERS_UNIGRAM_H

#include "tokenizers/Model.h"
#include "tokenizers/PieceTrie.h"

namespace tenon::tokenizers {

/// An unknown character has this much less than the least score of a token.
inline constexpr float unknownPenalty = 10;

/// What a file says about its model beside the tokens.
struct UnigramOptions {
  /// Whose library is followed. Sentencepiece sums scores in single precision,
  /// and a run of unknown characters is never a token.
  enum class Library { HuggingFace, SentencePiece };

  Library library = Library::HuggingFace;
  uint32_t unknown = 0;      ///< the id for runs of characters without a token
  bool byteFallback = false; ///< such characters become bytes
  double unknownScore = 0;   ///< of one such character
};

class Unigram : public Model {
public:
  /// Longer tokens are refused: the time for a text grows with the longest.
  static constexpr size_t maxTokenBytes = 256;

  /// What the model knows of a token beside its text.
  struct Token {
    double score;
    bool isFound = true; ///< in texts
  };

  /// `tokens` are those of the vocabulary by id, which must have no gaps.
  /// Problems go to `findings` at `place`. Throws Failure.
  Unigram(Vocabulary vocabulary, std::vector<Token> tokens,
          UnigramOptions options, const char *place, Findings &findings);

  void encode(std::string_view piece,
              std::vector<uint32_t> &result) const override;

private:
  template <typename Sum>
  std::vector<uint32_t> findBest(std::string_view piece) const;
  void addUnknown(std::string_view run, std::vector<uint32_t> &result) const;

  std::vector<Token> tokens;
  UnigramOptions options;
  PieceTrie trie;
  size_t longest = 4; ///< bytes of a token or a character
  std::array<uint32_t, 256> byteIds;
};

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_UNIGRAM_H
