// A regular expression of a tokenizer file, in Oniguruma's syntax, with limits
// on its length, its nesting and the steps of a search.
#ifndef TENON_TOKENIZERS_EXPRESSION_H
#define TENON_TOKENIZERS_EXPRESSION_H

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct re_pattern_buffer;

namespace tenon::tokenizers {

/// A match: the bytes from `begin` to `end`.
struct Match {
  size_t begin, end;
};

/// An expression that was compiled. Any number of threads may search with it.
class Expression {
public:
  /// Throws Failure if the expression is wrong or past a limit.
  explicit Expression(std::string_view pattern);

  /// All matches from left to right; an empty match beside the match before it
  /// does not count. Throws Failure (limit) if a search needs too many steps.
  std::vector<Match> findAll(std::string_view text) const;

private:
  struct Release {
    void operator()(re_pattern_buffer *compiled) const;
  };
  std::unique_ptr<re_pattern_buffer, Release> compiled;
};

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_EXPRESSION_H
