// Each step makes a new list of pieces; steps that rewrite text make a new
// string too.
#include "tokenizers/PreTokenizer.h"

#include "tokenizers/ByteLevel.h"
#include "tokenizers/Unicode.h"
#include "tokenizers/Utf8.h"

namespace tenon::tokenizers {

namespace {
/// A part of a piece, with offsets in the piece.
struct Part {
  size_t begin, end;
  bool isMatch;
};
} // namespace

/// The matches and what is between them: all `bytes` bytes of a piece.
static std::vector<Part> partsOf(const std::vector<Match> &matches,
                                 size_t bytes, bool invert) {
  std::vector<Part> parts;
  parts.reserve(matches.size() + 1);
  size_t end = 0;
  for (const Match &match : matches) {
    if (match.begin != end)
      parts.push_back({end, match.begin, invert});
    parts.push_back({match.begin, match.end, !invert});
    end = match.end;
  }
  if (end != bytes)
    parts.push_back({end, bytes, invert});
  return parts;
}

/// Joins a part with the one before it if `join` of (the part, the one before
/// it is a match).
template <typename Join>
static std::vector<Part> joined(const std::vector<Part> &parts, Join join) {
  std::vector<Part> result;
  bool previous = false;
  for (const Part &part : parts) {
    if (!result.empty() && join(part.isMatch, previous))
      result.back().end = part.end;
    else
      result.push_back(part);
    previous = part.isMatch;
  }
  return result;
}

/// As `joined` from the other side: a match goes to the part after it, unless
/// that is a match.
static std::vector<Part> mergedWithNext(const std::vector<Part> &parts) {
  std::vector<Part> result;
  bool next = false;
  for (size_t i = parts.size(); i-- > 0;) {
    if (!result.empty() && parts[i].isMatch && !next)
      result.back().begin = parts[i].begin;
    else
      result.push_back(parts[i]);
    next = parts[i].isMatch;
  }
  return {result.rbegin(), result.rend()};
}

/// Adds the parts of `piece` as `delimiter` joins them.
static void addParts(Pieces &pieces, const Piece &piece,
                     std::vector<Part> parts, Delimiter delimiter) {
  switch (delimiter) {
  case Delimiter::Removed:
    std::erase_if(parts, [](const Part &part) { return part.isMatch; });
    break;
  case Delimiter::Isolated:
    break;
  case Delimiter::Contiguous:
    parts = joined(
        parts, [](bool isMatch, bool previous) { return isMatch == previous; });
    break;
  case Delimiter::MergedWithPrevious:
    parts = joined(parts, [](bool isMatch, bool previous) {
      return isMatch && !previous;
    });
    break;
  case Delimiter::MergedWithNext:
    parts = mergedWithNext(parts);
    break;
  }
  for (const Part &part : parts)
    pieces.addPart(piece, piece.begin + part.begin, piece.begin + part.end);
}

static void divideByKnown(Pieces &pieces, FindEnd findEnd) {
  pieces.divideText([&](const Piece &piece) {
    std::string_view text = pieces.textOf(piece);
    for (size_t at = 0; at < text.size();) {
      size_t end = findEnd(text, at);
      pieces.addPart(piece, piece.begin + at, piece.begin + end);
      at = end;
    }
  });
}

namespace {
class Split : public PreTokenizerStep {
public:
  Split(Pattern pattern, Delimiter delimiter, bool invert)
      : pattern(std::move(pattern)), delimiter(delimiter), invert(invert) {}

  void apply(Pieces &pieces) const override {
    FindEnd known = pattern.getKnown();
    if (known && delimiter == Delimiter::Isolated)
      return divideByKnown(pieces, known);
    pieces.divideText([&](const Piece &piece) {
      std::string_view text = pieces.textOf(piece);
      addParts(pieces, piece,
               partsOf(pattern.findAll(text), text.size(), invert), delimiter);
    });
  }

private:
  Pattern pattern;
  Delimiter delimiter;
  bool invert;
};

class WhitespaceSplit : public PreTokenizerStep {
public:
  void apply(Pieces &pieces) const override {
    pieces.divideText([&](const Piece &piece) {
      std::string_view text = pieces.textOf(piece);
      size_t begin = 0; // of the part that goes on
      for (size_t at = 0; at < text.size();) {
        size_t end = at + lengthFromFirst(text[at]);
        if (isSpace(codePointAt(text, at))) {
          pieces.addPart(piece, piece.begin + begin, piece.begin + at);
          begin = end;
        }
        at = end;
      }
      pieces.addPart(piece, piece.begin + begin, piece.end);
    });
  }
};

class Digits : public PreTokenizerStep {
public:
  explicit Digits(bool single) : single(single) {}

  void apply(Pieces &pieces) const override {
    pieces.divideText([&](const Piece &piece) {
      std::string_view text = pieces.textOf(piece);
      std::vector<Match> matches;
      for (size_t at = 0; at < text.size();) {
        size_t end = at + lengthFromFirst(text[at]);
        if (isNumber(codePointAt(text, at)))
          matches.push_back({at, end});
        at = end;
      }
      addParts(pieces, piece, partsOf(matches, text.size(), false),
               single ? Delimiter::Isolated : Delimiter::Contiguous);
    });
  }

private:
  bool single;
};

class ByteLevel : public PreTokenizerStep {
public:
  ByteLevel(bool prefixSpace, bool divide)
      : prefixSpace(prefixSpace), divide(divide) {}

  void apply(Pieces &pieces) const override {
    if (prefixSpace)
      pieces.rewriteText(
          [](std::string_view text, const Piece &, std::string &result) {
            if (text[0] != ' ')
              result += ' ';
            result += text;
          });
    if (divide)
      divideByKnown(pieces, endByGpt2);
    pieces.rewriteText(
        [](std::string_view text, const Piece &, std::string &result) {
          appendByteCharacters(result, text);
        });
  }

private:
  bool prefixSpace, divide;
};

class Metaspace : public PreTokenizerStep {
public:
  Metaspace(std::string mark, Prepend prepend, bool divide)
      : mark(Pattern::ofText(mark)), markText(std::move(mark)),
        prepend(prepend), divide(divide) {}

  void apply(Pieces &pieces) const override {
    pieces.rewriteText(
        [&](std::string_view text, const Piece &piece, std::string &result) {
          bool wanted = prepend == Prepend::Always ||
                        (prepend == Prepend::First && piece.isFirst);
          if (wanted && text[0] != ' ' && !text.starts_with(markText))
            result += markText;
          for (char c : text) {
            if (c == ' ')
              result += markText;
            else
              result += c;
          }
        });
    if (!divide)
      return;
    pieces.divideText([&](const Piece &piece) {
      std::string_view text = pieces.textOf(piece);
      addParts(pieces, piece, partsOf(mark.findAll(text), text.size(), false),
               Delimiter::MergedWithNext);
    });
  }

private:
  Pattern mark;
  std::string markText;
  Prepend prepend;
  bool divide;
};
} // namespace

std::unique_ptr<const PreTokenizerStep>
makeSplit(Pattern pattern, Delimiter delimiter, bool invert) {
  return std::make_unique<Split>(std::move(pattern), delimiter, invert);
}

std::unique_ptr<const PreTokenizerStep> makeWhitespaceSplit() {
  return std::make_unique<WhitespaceSplit>();
}

std::unique_ptr<const PreTokenizerStep> makeDigits(bool single) {
  return std::make_unique<Digits>(single);
}

std::unique_ptr<const PreTokenizerStep> makeByteLevel(bool prefixSpace,
                                                      bool divide) {
  return std::make_unique<ByteLevel>(prefixSpace, divide);
}

std::unique_ptr<const PreTokenizerStep>
makeMetaspace(std::string mark, Prepend prepend, bool divide) {
  return std::make_unique<Metaspace>(std::move(mark), prepend, divide);
}

} // namespace tenon::tokenizers
