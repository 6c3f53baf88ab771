// What divides pieces of text into tokens of a vocabulary: BPE or Unigram.
#ifndef TENON_TOKENIZERS_MODEL_H
#define TENON_TOKENIZERS_MODEL_H

#include "tokenizers/Vocabulary.h"

#include <array>
#include <utility>

namespace tenon::tokenizers {

class Model {
public:
  explicit Model(Vocabulary vocabulary) : vocabulary(std::move(vocabulary)) {}
  virtual ~Model() = default;

  const Vocabulary &getVocabulary() const { return vocabulary; }

  /// Appends the ids of `piece`, which is well-formed UTF-8 and not empty.
  virtual void encode(std::string_view piece,
                      std::vector<uint32_t> &result) const = 0;

protected:
  Vocabulary vocabulary;
};

/// The ids of the tokens `<0x00>` to `<0xFF>`, which stand for bytes of
/// characters without a token. With `areNeeded` each that is missing is a
/// finding at `place`.
std::array<uint32_t, 256> findByteIds(const Vocabulary &vocabulary,
                                      bool areNeeded, const char *place,
                                      Findings &findings);

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_MODEL_H
