// Each function tries the alternatives of its expression in order. Letters,
// numbers, white space and other characters exclude one another, so the first
// character of a run decides, and no run is left once it was entered.
#include "tokenizers/KnownExpressions.h"

#include "tokenizers/Unicode.h"
#include "tokenizers/Utf8.h"

namespace tenon::tokenizers {

namespace {
/// The text and one place in it.
struct Cursor {
  std::string_view text;
  size_t at;

  bool atEnd() const { return at == text.size(); }
  bool isAt(char c) const { return !atEnd() && text[at] == c; }
  bool isAtLineEnd() const { return isAt('\r') || isAt('\n'); }
  bool isAt(CharacterClass wanted) const {
    return !atEnd() && classOf(codePointAt(text, at)) == wanted;
  }
  void step() { at += lengthFromFirst(text[at]); }
  void run(CharacterClass wanted) {
    while (isAt(wanted))
      step();
  }
};
} // namespace

/// The end of `\s+(?!\S)|\s+`: a run of white space, without its last character
/// if text follows and the run has others.
static size_t endOfSpaces(Cursor cursor) {
  size_t begin = cursor.at, last = begin;
  while (cursor.isAt(CharacterClass::Space)) {
    last = cursor.at;
    cursor.step();
  }
  return cursor.atEnd() || last == begin ? cursor.at : last;
}

/// `c` in lower case, for ASCII.
static char lower(char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }

/// The bytes of `'s|'t|'re|'ve|'m|'ll|'d` at a quote; 0 if it begins none.
static size_t contraction(std::string_view text, size_t at, bool anyCase) {
  auto letter = [&](size_t i) -> char {
    if (at + i >= text.size())
      return 0;
    return anyCase ? lower(text[at + i]) : text[at + i];
  };
  switch (letter(1)) {
  case 's':
  case 't':
  case 'm':
  case 'd':
    return 2;
  case 'r':
  case 'v':
    return letter(2) == 'e' ? 3 : 0;
  case 'l':
    return letter(2) == 'l' ? 3 : 0;
  }
  // The long s has the same lower case as S.
  return anyCase && text.substr(at + 1, 2) == "\xc5\xbf" ? 3 : 0;
}

size_t endByGpt2(std::string_view text, size_t at) {
  Cursor cursor{text, at};
  if (cursor.isAt('\''))
    if (size_t bytes = contraction(text, at, /*anyCase=*/false))
      return at + bytes;
  if (cursor.isAt(' '))
    cursor.step();
  for (CharacterClass wanted :
       {CharacterClass::Letter, CharacterClass::Number, CharacterClass::Other})
    if (cursor.isAt(wanted)) {
      cursor.run(wanted);
      return cursor.at;
    }
  return endOfSpaces({text, at});
}

/// Llama 3's expression with at most `digits` numbers in a match.
static size_t endByLlama(std::string_view text, size_t at, int digits) {
  Cursor cursor{text, at};
  if (cursor.isAt('\''))
    if (size_t bytes = contraction(text, at, /*anyCase=*/true))
      return at + bytes;

  // [^\r\n\p{L}\p{N}]?\p{L}+
  if (!cursor.isAtLineEnd() && !cursor.isAt(CharacterClass::Letter) &&
      !cursor.isAt(CharacterClass::Number))
    cursor.step();
  if (cursor.isAt(CharacterClass::Letter)) {
    cursor.run(CharacterClass::Letter);
    return cursor.at;
  }

  // \p{N}{1,3}
  cursor.at = at;
  while (digits-- > 0 && cursor.isAt(CharacterClass::Number))
    cursor.step();
  if (cursor.at != at)
    return cursor.at;

  //  ?[^\s\p{L}\p{N}]+[\r\n]*
  if (cursor.isAt(' '))
    cursor.step();
  if (cursor.isAt(CharacterClass::Other)) {
    cursor.run(CharacterClass::Other);
    while (cursor.isAtLineEnd())
      cursor.step();
    return cursor.at;
  }

  // \s*[\r\n]+ ends after the last line end of the run.
  size_t afterLine = at;
  for (cursor.at = at; cursor.isAt(CharacterClass::Space);) {
    bool lineEnd = cursor.isAtLineEnd();
    cursor.step();
    if (lineEnd)
      afterLine = cursor.at;
  }
  return afterLine != at ? afterLine : endOfSpaces({text, at});
}

size_t endByLlama3(std::string_view text, size_t at) {
  return endByLlama(text, at, 3);
}

size_t endByQwen2(std::string_view text, size_t at) {
  return endByLlama(text, at, 1);
}

FindEnd findKnownExpression(std::string_view pattern) {
  if (pattern == gpt2Expression)
    return endByGpt2;
  if (pattern == llama3Expression)
    return endByLlama3;
  return pattern == qwen2Expression ? endByQwen2 : nullptr;
}

} // namespace tenon::tokenizers
