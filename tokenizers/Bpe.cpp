// First each character becomes a token, or the bytes of it do; then merges
// apply.
#include "tokenizers/Bpe.h"

#include "tokenizers/ApplyMerges.h"
#include "tokenizers/ByteLevel.h"
#include "tokenizers/Utf8.h"

#include <algorithm>

namespace tenon::tokenizers {

static constexpr uint32_t none = TENON_TOKENIZER_NO_ID;

static std::string placeOf(std::string_view pattern, size_t number) {
  std::string place(pattern);
  return place.replace(place.find('#'), 1, std::to_string(number));
}

Bpe::Bpe(Vocabulary given, const std::vector<MergeText> &texts,
         BpeOptions chosen, std::string_view placeOfMerge, Findings &findings)
    : Model(std::move(given)), merges(texts.size()), options(std::move(chosen)),
      unknown(options.hasUnknown ? vocabulary.find(options.unknown) : none) {
  uint32_t rank = 0;
  for (const MergeText &text : texts) {
    std::string whole = std::string(text.left) + std::string(text.right);
    uint32_t ids[3], i = 0;
    for (std::string_view token :
         {text.left, text.right, std::string_view(whole)}) {
      ids[i] = vocabulary.find(token);
      if (ids[i++] == none)
        findings.invalid(placeOf(placeOfMerge, text.number),
                         "expected a token of the vocabulary, got " +
                             quoted(token));
    }
    // The last of several merges of a pair counts.
    if (ids[0] != none && ids[1] != none && ids[2] != none)
      merges.set(ids[0], ids[1], {rank, ids[2]});
    ++rank;
  }
  for (uint32_t c = 0; c < lowIds.size(); ++c) {
    std::string text;
    appendUtf8(text, c);
    lowIds[c] = vocabulary.find(text);
  }
  byteIds =
      findByteIds(vocabulary, options.byteFallback, "model.vocab", findings);
}

bool Bpe::coversAll(bool onlyByteCharacters) const {
  if (options.byteFallback)
    return true;
  for (unsigned byte = 0; byte < 256; ++byte)
    if (lowIds[characterOfByte(byte)] == none)
      return false;
  return onlyByteCharacters;
}

void Bpe::checkUnknown(bool onlyByteCharacters, Findings &findings) const {
  if (options.hasUnknown && unknown == none && !coversAll(onlyByteCharacters))
    findings.invalid("model.unk_token",
                     "expected a token of the vocabulary, got " +
                         quoted(options.unknown));
}

uint32_t Bpe::idOfCharacter(std::string_view piece, size_t at,
                            size_t length) const {
  if (length <= 2) {
    uint32_t c = codePointAt(piece, at);
    if (c < lowIds.size())
      return lowIds[c];
  }
  return vocabulary.find(piece.substr(at, length));
}

void Bpe::encode(std::string_view piece, std::vector<uint32_t> &result) const {
  if (options.ignoreMerges) {
    uint32_t id = vocabulary.find(piece);
    if (id != none) {
      result.push_back(id);
      return;
    }
  }
  size_t begin = result.size();
  bool afterUnknown = false;
  for (size_t at = 0, length; at < piece.size(); at += length) {
    length = lengthFromFirst(piece[at]);
    uint32_t id = idOfCharacter(piece, at, length);
    if (id != none) {
      result.push_back(id);
      afterUnknown = false;
    } else if (options.byteFallback) {
      for (char byte : piece.substr(at, length))
        result.push_back(byteIds[static_cast<uint8_t>(byte)]);
    } else if (unknown != none) {
      if (!afterUnknown || !options.fuseUnknown)
        result.push_back(unknown);
      afterUnknown = true;
    }
  }
  applyMerges(result, begin, merges);
}

} // namespace tenon::tokenizers
