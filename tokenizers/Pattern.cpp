// Searches by literal text, by a loop of our own, or by Oniguruma.
#include "tokenizers/Pattern.h"

namespace tenon::tokenizers {

Pattern Pattern::ofExpression(std::string_view expression) {
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
  const auto &literal = std::get<std::string>(how);
  for (size_t at = text.find(literal); at != std::string_view::npos;
       at = text.find(literal, at + literal.size()))
    matches.push_back({at, at + literal.size()});
  return matches;
}

std::string replaceAll(std::string_view text, const Pattern &pattern,
                       std::string_view content) {
  std::string result;
  size_t copied = 0;
  for (const Match &match : pattern.findAll(text)) {
    result += text.substr(copied, match.begin - copied);
    result += content;
    copied = match.end;
  }
  result += text.substr(copied);
  return result;
}

} // namespace tenon::tokenizers
