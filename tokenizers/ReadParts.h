// The parts of a tokenizer.json. Each reader takes the value of one key, which
// may be null, and reports everything that is wrong or not supported.
#ifndef TENON_TOKENIZERS_READPARTS_H
#define TENON_TOKENIZERS_READPARTS_H

#include "tokenizers/AddedTokens.h"
#include "tokenizers/Bpe.h"
#include "tokenizers/Decoder.h"
#include "tokenizers/Fields.h"
#include "tokenizers/Normalizer.h"
#include "tokenizers/PreTokenizer.h"
#include "tokenizers/Template.h"
#include "tokenizers/Unigram.h"

#include <functional>

namespace tenon::tokenizers {

/// Sequences may be nested this deep.
inline constexpr int maxNestedSteps = 16;
/// A model may have this many merges.
inline constexpr size_t maxMerges = size_t(1) << 20;

/// `{"String": ..}` or `{"Regex": ..}` in the field `pattern`; nothing after a
/// finding.
std::optional<Pattern> readPattern(const Fields &fields);

/// A field with one character.
std::string readCharacter(const Fields &fields, std::string_view key);

Normalizer readNormalizer(const JsonValue &value, Findings &findings);

/// A pre-tokenizer, and whether it leaves only characters of ByteLevel.h.
struct ReadPreTokenizer {
  PreTokenizer steps;
  bool makesByteCharacters = false;
};
ReadPreTokenizer readPreTokenizer(const JsonValue &value, Findings &findings);

/// `hasId` says which ids exist.
Template readTemplate(const JsonValue &value,
                      const std::function<bool(uint32_t)> &hasId,
                      Findings &findings);

Decoder readDecoder(const JsonValue &value, Findings &findings);

/// The model of the key `model`; null after a finding that leaves none.
/// `onlyByteCharacters`: texts consist of characters of ByteLevel.h.
std::unique_ptr<const Model>
readModel(const JsonValue &value, bool onlyByteCharacters, Findings &findings);

/// An added token's content and flags. Flags that are absent are false, except
/// `normalized`.
AddedToken readAddedToken(const Fields &fields);

/// The list of the key `added_tokens`.
void readAddedTokens(const JsonValue &value, const Vocabulary &vocabulary,
                     const Normalizer &normalizer, AddedTokens &added,
                     Findings &findings);

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_READPARTS_H
