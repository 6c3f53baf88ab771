// A tokenizer: its parts in the order in which text goes through them. It does
// not change after it was made, so any number of threads may use it.
#ifndef TENON_TOKENIZERS_TOKENIZER_H
#define TENON_TOKENIZERS_TOKENIZER_H

#include "tokenizers/AddedTokens.h"
#include "tokenizers/Decoder.h"
#include "tokenizers/Files.h"
#include "tokenizers/Model.h"
#include "tokenizers/Normalizer.h"
#include "tokenizers/PreTokenizer.h"
#include "tokenizers/Template.h"

#include <memory>
#include <span>

namespace tenon::tokenizers {

/// What the readers of files make.
struct TokenizerParts {
  AddedTokens added;
  Normalizer normalizer;
  PreTokenizer preTokenizer;
  std::unique_ptr<const Model> model;
  Template around;
  Decoder decoder;
};

/// The parts of a tokenizer.json, with further tokens of the files beside it.
/// Throws Failure.
TokenizerParts readTokenizerJson(const Files &files);

/// The parts of a vocab.json and a merges.txt. Throws Failure.
TokenizerParts readVocabularyAndMerges(const Files &files);

/// The parts of a spiece.model. Throws Failure.
TokenizerParts readSentencePiece(const Files &files);

class Tokenizer {
public:
  static constexpr size_t maxTextBytes = size_t(1) << 30;

  explicit Tokenizer(TokenizerParts parts) : parts(std::move(parts)) {}

  /// Makes a tokenizer of files. Throws Failure.
  static std::unique_ptr<Tokenizer> make(const Files &files);

  /// The ids of a text, in which ill-formed UTF-8 becomes U+FFFD.
  std::vector<uint32_t> encode(std::string_view text, bool addSpecial) const;

  /// The text of ids.
  std::string decode(std::span<const uint32_t> ids, bool skipSpecial) const;

  /// The token of an id, as decoding takes it; its data is null if there is
  /// none.
  std::string_view tokenOf(uint32_t id) const;
  uint32_t find(std::string_view token) const;
  bool isSpecial(uint32_t id) const { return parts.added.isSpecial(id); }
  size_t size() const;
  const Decoder &getDecoder() const { return parts.decoder; }

private:
  TokenizerParts parts;
};

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_TOKENIZER_H
