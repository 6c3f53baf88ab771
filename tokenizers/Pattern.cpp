// Searches by literal text, by a loop of our own, or by Oniguruma.
#include "tokenizers/Pattern.h"

#include <algorithm>

namespace tenon::tokenizers {

Pattern Pattern::ofExpression(std::string_view expression) {
  if (expression == " {2,}")
    return Pattern(SpaceRuns());
  if (FindEnd known = findKnownExpression(expression))
    return Pattern(known);
  return Pattern(Expression(expression));
}

std::vector<Match> Pattern::findAll(std::string_view text) const {
  if (const auto *expression = std::get_if<Expression>(&how))
    return expression->findAll(text);
  std::vector<Match> matches;
  if (FindEnd known = getKnown()) {
    for (size_t at = 0; at < text.size(); at = matches.back().end)
      matches.push_back({at, known(text, at)});
    return matches;
  }
  if (std::holds_alternative<SpaceRuns>(how)) {
    for (size_t at = text.find("  "); at != std::string_view::npos;
         at = text.find("  ", matches.back().end)) {
      size_t end = text.find_first_not_of(' ', at);
      matches.push_back({at, std::min(end, text.size())});
    }
    return matches;
  }
  const auto &literal = std::get<std::string>(how);
  for (size_t at = text.find(literal); at != std::string_view::npos;
       at = text.find(literal, at + literal.size()))
    matches.push_back({at, at + literal.size()});
  return matches;
}

std::string replaceMatches(std::string_view text,
                           const std::vector<Match> &matches,
                           std::string_view content) {
  std::string result;
  size_t copied = 0;
  for (const Match &match : matches) {
    result += text.substr(copied, match.begin - copied);
    result += content;
    copied = match.end;
  }
  result += text.substr(copied);
  return result;
}

} // namespace tenon::tokenizers
