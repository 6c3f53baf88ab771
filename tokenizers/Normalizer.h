// The normalizers of tokenizer files. Each changes one piece of text before it
// is divided.
#ifndef TENON_TOKENIZERS_NORMALIZER_H
#define TENON_TOKENIZERS_NORMALIZER_H

#include "tokenizers/Pattern.h"

#include <memory>
#include <string>
#include <vector>

namespace tenon::tokenizers {

/// One step; it may be used by many threads.
class NormalizerStep {
public:
  virtual ~NormalizerStep() = default;
  /// The normalized `text`, which is well-formed UTF-8 and not empty.
  virtual std::string apply(std::string text) const = 0;
};

/// Steps in order; none leaves the text as it is.
class Normalizer {
public:
  void add(std::unique_ptr<const NormalizerStep> step) {
    steps.push_back(std::move(step));
  }
  bool isEmpty() const { return steps.empty(); }
  std::string apply(std::string text) const;

private:
  std::vector<std::unique_ptr<const NormalizerStep>> steps;
};

/// A Unicode normalization form: compatibility (NFKC, NFKD), composed (NFC,
/// NFKC).
std::unique_ptr<const NormalizerStep> makeUnicodeForm(bool compatibility,
                                                      bool composed);
/// Puts `text` before every piece.
std::unique_ptr<const NormalizerStep> makePrepend(std::string text);
/// Replaces each match by `content`.
std::unique_ptr<const NormalizerStep> makeReplace(Pattern pattern,
                                                  std::string content);

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_NORMALIZER_H
