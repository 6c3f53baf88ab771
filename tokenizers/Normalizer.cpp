// Prepending, replacing, stripping, the characters of Nmt, and steps in order.
#include "tokenizers/Normalizer.h"

#include "tokenizers/Unicode.h"
#include "tokenizers/Utf8.h"

namespace tenon::tokenizers {

std::string Normalizer::apply(std::string text) const {
  bool keepsStart = true;
  return apply(std::move(text), keepsStart);
}

std::string Normalizer::apply(std::string text, bool &keepsStart) const {
  for (const auto &step : steps) {
    if (text.empty())
      break;
    text = step->apply(std::move(text), keepsStart);
  }
  return text;
}

namespace {
class Prepend : public NormalizerStep {
public:
  explicit Prepend(std::string before) : before(std::move(before)) {}
  std::string apply(std::string text, bool &) const override {
    return before + text;
  }

private:
  std::string before;
};

class Replace : public NormalizerStep {
public:
  Replace(Pattern pattern, std::string content)
      : pattern(std::move(pattern)), content(std::move(content)) {}
  std::string apply(std::string text, bool &keepsStart) const override {
    std::vector<Match> matches = pattern.findAll(text);
    // One character's replacement still comes from it; that of several comes
    // from the last one.
    if (!matches.empty() && matches[0].begin == 0 && matches[0].end > 0 &&
        (content.empty() || matches[0].end > lengthFromFirst(text[0])))
      keepsStart = false;
    return replaceMatches(text, matches, content);
  }

private:
  Pattern pattern;
  std::string content;
};

class Strip : public NormalizerStep {
public:
  Strip(bool left, bool right) : left(left), right(right) {}
  std::string apply(std::string text, bool &keepsStart) const override {
    size_t begin = 0, end = text.size();
    while (left && begin < end && isSpace(codePointAt(text, begin)))
      begin += lengthFromFirst(text[begin]);
    while (right && begin < end) {
      size_t last = previousCharacter(text, end);
      if (!isSpace(codePointAt(text, last)))
        break;
      end = last;
    }
    keepsStart = keepsStart && begin == 0;
    return text.substr(begin, end - begin);
  }

private:
  bool left, right;
};

/// The characters that Hugging Face's library and sentencepiece's rules of this
/// name remove or make a space, for texts that are to be translated.
class Nmt : public NormalizerStep {
public:
  std::string apply(std::string text, bool &keepsStart) const override {
    std::string result;
    result.reserve(text.size());
    keepsStart = keepsStart && !isRemoved(codePointAt(text, 0));
    for (size_t at = 0; at < text.size();) {
      size_t length = lengthFromFirst(text[at]);
      uint32_t c = codePointAt(text, at);
      if (isBlank(c))
        result += ' ';
      else if (!isRemoved(c))
        result.append(text, at, length);
      at += length;
    }
    return result;
  }

private:
  static bool isRemoved(uint32_t c) {
    return (c >= 0x1 && c <= 0x8) || c == 0xb || (c >= 0xe && c <= 0x1f) ||
           c == 0x7f || c == 0x8f || c == 0x9f;
  }
  static bool isBlank(uint32_t c) {
    return c == 0x9 || c == 0xa || c == 0xc || c == 0xd || c == 0x1680 ||
           (c >= 0x200b && c <= 0x200f) || c == 0x2028 || c == 0x2029 ||
           c == 0x2581 || c == 0xfeff || c == 0xfffd;
  }
};
} // namespace

std::unique_ptr<const NormalizerStep> makePrepend(std::string text) {
  return std::make_unique<Prepend>(std::move(text));
}

std::unique_ptr<const NormalizerStep> makeReplace(Pattern pattern,
                                                  std::string content) {
  return std::make_unique<Replace>(std::move(pattern), std::move(content));
}

std::unique_ptr<const NormalizerStep> makeStrip(bool left, bool right) {
  return std::make_unique<Strip>(left, right);
}

std::unique_ptr<const NormalizerStep> makeNmt() {
  return std::make_unique<Nmt>();
}

} // namespace tenon::tokenizers
