// The normalizers of tokenizer files. Each changes one piece of text before it
// is divided.
#ifndef TENON_TOKENIZERS_NORMALIZER_H
#define TENON_TOKENIZERS_NORMALIZER_H

#include "tokenizers/CharsMap.h"
#include "tokenizers/Pattern.h"
#include "tokenizers/PieceTrie.h"

#include <memory>
#include <string>
#include <vector>

namespace tenon::tokenizers {

/// One step; it may be used by many threads.
class NormalizerStep {
public:
  virtual ~NormalizerStep() = default;
  /// The normalized `text`, which is well-formed UTF-8 and not empty.
  /// `keepsStart` becomes false if the first character is removed, so that the
  /// result begins with what came from another one.
  virtual std::string apply(std::string text, bool &keepsStart) const = 0;
};

/// Steps in order; none leaves the text as it is.
class Normalizer {
public:
  void add(std::unique_ptr<const NormalizerStep> step) {
    steps.push_back(std::move(step));
  }
  bool isEmpty() const { return steps.empty(); }
  std::string apply(std::string text) const;
  /// The same; for `keepsStart` see NormalizerStep.
  std::string apply(std::string text, bool &keepsStart) const;

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
/// Replaces characters by a table (see Precompiled.cpp).
std::unique_ptr<const NormalizerStep> makePrecompiled(CharsMap map);
/// Removes control characters, and makes other white space a space.
std::unique_ptr<const NormalizerStep> makeNmt();
/// Removes white space from the ends.
std::unique_ptr<const NormalizerStep> makeStrip(bool left, bool right);

/// What a spiece.model says about normalization.
struct SentencePieceRules {
  std::optional<CharsMap> map;
  PieceTrie kept; ///< texts that the table does not change
  bool addSpace = true, suffixSpace = false;
  bool removeExtraSpaces = true, markSpaces = true;
};
std::unique_ptr<const NormalizerStep>
makeSentencePieceNormalizer(SentencePieceRules rules);

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_NORMALIZER_H
