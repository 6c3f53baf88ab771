// The search of Viterbi: for each end in a text the last token of the best way
// there. Sums are needed only as far back as the longest token, so they lie in
// a ring, and memory is four bytes for each byte of text.
#include "tokenizers/Unigram.h"

#include "tokenizers/Utf8.h"

#include <algorithm>
#include <bit>

namespace tenon::tokenizers {

/// No way leads to an end; or a character without a token ends there.
static constexpr uint32_t none = TENON_TOKENIZER_NO_ID;
static constexpr uint32_t unknownCharacter = none - 1;

Unigram::Unigram(Vocabulary given, std::vector<Token> chosen,
                 UnigramOptions options, const char *place, Findings &findings)
    : Model(std::move(given)), tokens(std::move(chosen)), options(options),
      byteIds(findByteIds(vocabulary, options.byteFallback, place, findings)) {
  std::vector<PieceTrie::Piece> pieces;
  pieces.reserve(tokens.size());
  for (uint32_t id = 0; id < tokens.size(); ++id) {
    std::string_view text = vocabulary.tokenOf(id);
    if (text.size() > maxTokenBytes)
      findings.limit(std::string(place) + "[" + std::to_string(id) + "]",
                     "expected a token of at most " +
                         std::to_string(maxTokenBytes) + " bytes, got " +
                         std::to_string(text.size()));
    else if (tokens[id].isFound)
      pieces.push_back({text, id});
    longest = std::max(longest, std::min(text.size(), maxTokenBytes));
  }
  trie = PieceTrie(std::move(pieces));
}

template <typename Sum>
std::vector<uint32_t> Unigram::findBest(std::string_view piece) const {
  std::vector<uint32_t> last(piece.size() + 1, none);
  size_t mask = std::bit_ceil(longest + 1) - 1;
  std::vector<Sum> sums(mask + 1, 0);
  const Sum unknownScore = static_cast<Sum>(options.unknownScore);
  for (size_t at = 0; at < piece.size();) {
    const Sum before = sums[at & mask];
    size_t character = lengthFromFirst(piece[at]);
    bool isKnown = false;
    trie.search(piece, at, [&](size_t length, uint32_t id) {
      // Sentencepiece compares before it rounds to single precision.
      double sum = tokens[id].score + before;
      Sum &best = sums[(at + length) & mask];
      if (last[at + length] == none || sum > best) {
        last[at + length] = id;
        best = static_cast<Sum>(sum);
      }
      isKnown |= length == character;
    });
    if (!isKnown) {
      Sum sum = unknownScore + before;
      Sum &best = sums[(at + character) & mask];
      if (last[at + character] == none || sum > best) {
        last[at + character] = unknownCharacter;
        best = sum;
      }
    }
    at += character;
  }
  return last;
}

/// Appends the ids of a run of unknown characters, last id first.
void Unigram::addUnknown(std::string_view run,
                         std::vector<uint32_t> &result) const {
  if (options.library == UnigramOptions::Library::HuggingFace) {
    uint32_t id = vocabulary.find(run);
    if (id != none) {
      result.push_back(id);
      return;
    }
  }
  if (!options.byteFallback) {
    result.push_back(options.unknown);
    return;
  }
  for (size_t i = run.size(); i-- > 0;)
    result.push_back(byteIds[static_cast<uint8_t>(run[i])]);
}

void Unigram::encode(std::string_view piece,
                     std::vector<uint32_t> &result) const {
  std::vector<uint32_t> last =
      options.library == UnigramOptions::Library::SentencePiece
          ? findBest<float>(piece)
          : findBest<double>(piece);
  size_t first = result.size();
  size_t end = piece.size(), unknownEnd = end; // a run of unknown characters
  while (end > 0) {
    uint32_t id = last[end];
    size_t begin = id == unknownCharacter ? previousCharacter(piece, end)
                                          : end - vocabulary.tokenOf(id).size();
    bool isUnknown = id == unknownCharacter || id == options.unknown;
    if (!isUnknown) {
      if (end < unknownEnd)
        addUnknown(piece.substr(end, unknownEnd - end), result);
      result.push_back(id);
      unknownEnd = begin;
    }
    end = begin;
  }
  if (unknownEnd > 0)
    addUnknown(piece.substr(0, unknownEnd), result);
  std::reverse(result.begin() + first, result.end());
}

} // namespace tenon::tokenizers
