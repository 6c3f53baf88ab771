// What a step of a tokenizer searches for: a literal text, runs of spaces, a
// known expression or any expression.
#ifndef TENON_TOKENIZERS_PATTERN_H
#define TENON_TOKENIZERS_PATTERN_H

#include "tokenizers/Expression.h"
#include "tokenizers/KnownExpressions.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tenon::tokenizers {

class Pattern {
public:
  /// `text` must not be empty.
  static Pattern ofText(std::string text) { return Pattern(std::move(text)); }
  /// Throws Failure if `expression` is none.
  static Pattern ofExpression(std::string_view expression);

  /// All matches from left to right.
  std::vector<Match> findAll(std::string_view text) const;

  /// The loop of a known expression, by which all of a text is matches; null
  /// for other patterns.
  FindEnd getKnown() const {
    const FindEnd *known = std::get_if<FindEnd>(&how);
    return known ? *known : nullptr;
  }

private:
  template <typename How> explicit Pattern(How how) : how(std::move(how)) {}

  /// Two or more spaces, the expression ` {2,}` of T5.
  struct SpaceRuns {};

  std::variant<std::string, SpaceRuns, FindEnd, Expression> how;
};

/// `text` with `content` in place of each of `matches`.
std::string replaceMatches(std::string_view text,
                           const std::vector<Match> &matches,
                           std::string_view content);

/// `text` with `content` in place of each match of `pattern`.
inline std::string replaceAll(std::string_view text, const Pattern &pattern,
                              std::string_view content) {
  return replaceMatches(text, pattern.findAll(text), content);
}

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_PATTERN_H
