// The pre-tokenizers of tokenizer files. Each divides pieces of text, or
// rewrites them; tokens that were found before stay.
#ifndef TENON_TOKENIZERS_PRETOKENIZER_H
#define TENON_TOKENIZERS_PRETOKENIZER_H

#include "tokenizers/Pattern.h"
#include "tokenizers/Pieces.h"

#include <memory>
#include <string>
#include <vector>

namespace tenon::tokenizers {

/// One step; it may be used by many threads.
class PreTokenizerStep {
public:
  virtual ~PreTokenizerStep() = default;
  virtual void apply(Pieces &pieces) const = 0;
};

/// Steps in order.
class PreTokenizer {
public:
  void add(std::unique_ptr<const PreTokenizerStep> step) {
    steps.push_back(std::move(step));
  }
  void apply(Pieces &pieces) const {
    for (const auto &step : steps)
      step->apply(pieces);
  }

private:
  std::vector<std::unique_ptr<const PreTokenizerStep>> steps;
};

/// What becomes of the matches that a text is divided at.
enum class Delimiter {
  Removed,
  Isolated,
  MergedWithPrevious,
  MergedWithNext,
  Contiguous
};

/// Divides at the matches of `pattern`; with `invert` at what is between them.
std::unique_ptr<const PreTokenizerStep>
makeSplit(Pattern pattern, Delimiter delimiter, bool invert);
/// Divides at white space, which is removed.
std::unique_ptr<const PreTokenizerStep> makeWhitespaceSplit();
/// Divides numbers from other text; with `single` also from one another.
std::unique_ptr<const PreTokenizerStep> makeDigits(bool single);
/// Writes each byte as a character, after a space was put before pieces without
/// one (`prefixSpace`), and GPT-2's expression has divided them (`divide`).
std::unique_ptr<const PreTokenizerStep> makeByteLevel(bool prefixSpace,
                                                      bool divide);

/// Where a Metaspace puts its mark before a piece that does not begin with it.
enum class Prepend { Always, First, Never };

/// Writes `mark` for each space, and divides before each mark (`divide`).
std::unique_ptr<const PreTokenizerStep>
makeMetaspace(std::string mark, Prepend prepend, bool divide);

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_PRETOKENIZER_H
