// The BPE model: divides a piece of text into tokens of its vocabulary.
#ifndef TENON_TOKENIZERS_BPE_H
#define TENON_TOKENIZERS_BPE_H

#include "tokenizers/MergeTable.h"
#include "tokenizers/Model.h"

namespace tenon::tokenizers {

/// What a file says about its model beside vocabulary and merges.
struct BpeOptions {
  std::string unknown;       ///< the token for characters that have none
  bool hasUnknown = false;   ///< without one such characters are left out
  bool fuseUnknown = false;  ///< a run of such characters is one token
  bool byteFallback = false; ///< a character without a token becomes bytes
  bool ignoreMerges = false; ///< a piece that is a token needs no merges
};

/// The two tokens of a merge, and its number for messages: a place in a list,
/// or a line.
struct MergeText {
  std::string_view left, right;
  size_t number;
};

class Bpe : public Model {
public:
  /// Problems with the merges go to `findings`; `placeOfMerge` is their place
  /// with `#` for the number, such as `model.merges[#]`.
  Bpe(Vocabulary vocabulary, const std::vector<MergeText> &merges,
      BpeOptions options, std::string_view placeOfMerge, Findings &findings);

  /// True if each character has a token or becomes bytes that have one.
  /// `onlyByteCharacters`: texts consist of characters of ByteLevel.h.
  bool coversAll(bool onlyByteCharacters) const;

  /// Requires the unknown token to be in the vocabulary if there is one and a
  /// character may need it.
  void checkUnknown(bool onlyByteCharacters, Findings &findings) const;

  void encode(std::string_view piece,
              std::vector<uint32_t> &result) const override;

private:
  uint32_t idOfCharacter(std::string_view piece, size_t at,
                         size_t length) const;

  MergeTable merges;
  BpeOptions options;
  uint32_t unknown;
  std::array<uint32_t, 0x400> lowIds; ///< of the first characters
  std::array<uint32_t, 256> byteIds;  ///< of `<0x00>` to `<0xFF>`
};

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_BPE_H
