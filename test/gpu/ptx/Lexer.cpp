// Names may begin with a percent sign, a dollar sign or an underscore; a name
// after a dot is a token of its own, so that `ld.global` is two.
#include "test/gpu/ptx/Lexer.h"

#include "test/gpu/ptx/Module.h"

#include <cctype>

namespace tenon::ptx {
namespace {
class Lexer {
public:
  explicit Lexer(const std::string &text) : text(text) {}

  std::vector<Token> run() {
    std::vector<Token> result;
    do
      result.push_back(next());
    while (result.back().kind != Token::Kind::End);
    return result;
  }

private:
  static bool startsName(char c) {
    return std::isalpha((unsigned char)c) || c == '_' || c == '$' || c == '%';
  }
  static bool isInName(char c) {
    return std::isalnum((unsigned char)c) || c == '_' || c == '$';
  }

  char at(size_t ahead = 0) const {
    return place + ahead < text.size() ? text[place + ahead] : '\0';
  }

  void skipSpace() {
    while (place < text.size()) {
      if (at() == '\n') {
        ++line;
        ++place;
      } else if (std::isspace((unsigned char)at())) {
        ++place;
      } else if (at() == '/' && at(1) == '/') {
        while (place < text.size() && at() != '\n')
          ++place;
      } else if (at() == '/' && at(1) == '*') {
        skipComment();
      } else {
        return;
      }
    }
  }

  void skipComment() {
    int first = line;
    for (place += 2; place < text.size(); ++place) {
      if (at() == '*' && at(1) == '/') {
        place += 2;
        return;
      }
      line += at() == '\n';
    }
    throw TextError(first, "a comment without an end");
  }

  std::string name() {
    size_t first = place++;
    while (isInName(at()))
      ++place;
    return text.substr(first, place - first);
  }

  Token next() {
    skipSpace();
    Token token;
    token.line = line;
    if (place >= text.size())
      return token;
    char c = at();
    if (startsName(c)) {
      token.kind = Token::Kind::Word;
      token.text = name();
      // Special registers: %tid.x.
      if (token.text[0] == '%' && at() == '.' && startsName(at(1))) {
        ++place;
        token.text += "." + name();
      }
    } else if (c == '.' && isInName(at(1))) {
      ++place;
      token.kind = Token::Kind::Dotted;
      token.text = name();
      // Sub-qualifiers: .mbarrier::complete_tx::bytes.
      while (at() == ':' && at(1) == ':') {
        place += 2;
        token.text += "::" + name();
      }
    } else if (std::isdigit((unsigned char)c)) {
      number(token);
    } else if (c == '"') {
      string(token);
    } else {
      token.kind = Token::Kind::Mark;
      token.text = c;
      ++place;
    }
    return token;
  }

  void string(Token &token) {
    size_t first = ++place;
    while (place < text.size() && at() != '"')
      line += text[place++] == '\n';
    if (place >= text.size())
      throw TextError(token.line, "a string without an end");
    token.kind = Token::Kind::String;
    token.text = text.substr(first, place++ - first);
  }

  void number(Token &token) {
    std::string digits = name();
    bool isFloat = digits[0] == '0' && digits.size() > 1 &&
                   std::string("fFdD").find(digits[1]) != std::string::npos;
    if (isFloat) {
      bool isDouble = digits[1] == 'd' || digits[1] == 'D';
      token.kind = isDouble ? Token::Kind::Float64 : Token::Kind::Float32;
      if (digits.size() != (isDouble ? 18u : 10u))
        throw TextError(line, "a number of other length: " + digits);
      token.bits = integer(digits.substr(2), 16);
    } else {
      token.kind = Token::Kind::Integer;
      token.bits = whole(digits);
    }
    token.text = digits;
  }

  uint64_t whole(std::string digits) const {
    if (digits.back() == 'U' || digits.back() == 'u')
      digits.pop_back();
    if (digits.size() > 2 && digits[0] == '0') {
      if (digits[1] == 'x' || digits[1] == 'X')
        return integer(digits.substr(2), 16);
      if (digits[1] == 'b' || digits[1] == 'B')
        return integer(digits.substr(2), 2);
    }
    return integer(digits, digits.size() > 1 && digits[0] == '0' ? 8 : 10);
  }

  uint64_t integer(const std::string &digits, int base) const {
    size_t used = 0;
    uint64_t value = 0;
    try {
      value = std::stoull(digits, &used, base);
    } catch (const std::exception &) {
    }
    if (used == 0 || used != digits.size())
      throw TextError(line, "not a number: " + digits);
    return value;
  }

  const std::string &text;
  size_t place = 0;
  int line = 1;
};
} // namespace

std::vector<Token> tokens(const std::string &text) { return Lexer(text).run(); }

} // namespace tenon::ptx
