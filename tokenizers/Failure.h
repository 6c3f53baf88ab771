// How the parts of the library report a failure: they throw, and the C
// functions turn that into a status and a text. Problems of a file are
// collected, so that one message names all of them.
#ifndef TENON_TOKENIZERS_FAILURE_H
#define TENON_TOKENIZERS_FAILURE_H

#include "tokenizers/tenon_tokenizers.h"

#include <string>
#include <string_view>

namespace tenon::tokenizers {

/// Thrown inside the library. It must not leave it.
struct Failure {
  tenon_tokenizer_status status;
  std::string text;
};

/// `text` between quotes, at most 60 bytes of it, on one line.
std::string quoted(std::string_view text);

/// The problems of one file.
class Findings {
public:
  explicit Findings(std::string file) : file(std::move(file)) {}

  /// Adds a problem at `place`, such as `model.merges[3]`.
  void invalid(const std::string &place, const std::string &text) {
    add(TENON_TOKENIZER_INVALID, place, text);
  }
  void unsupported(const std::string &place, const std::string &text) {
    add(TENON_TOKENIZER_UNSUPPORTED, place, text);
  }

  void limit(const std::string &place, const std::string &text) {
    add(TENON_TOKENIZER_LIMIT, place, text);
  }

  /// Throws the problems found so far, if any.
  void check() const;

private:
  void add(tenon_tokenizer_status status, const std::string &place,
           const std::string &text);

  std::string file;
  std::string lines;
  size_t count = 0;
  tenon_tokenizer_status worst = TENON_TOKENIZER_OK;
};

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_FAILURE_H
