// Prepending, replacing, and steps in order.
#include "tokenizers/Normalizer.h"

namespace tenon::tokenizers {

std::string Normalizer::apply(std::string text) const {
  for (const auto &step : steps) {
    if (text.empty())
      break;
    text = step->apply(std::move(text));
  }
  return text;
}

namespace {
class Prepend : public NormalizerStep {
public:
  explicit Prepend(std::string before) : before(std::move(before)) {}
  std::string apply(std::string text) const override { return before + text; }

private:
  std::string before;
};

class Replace : public NormalizerStep {
public:
  Replace(Pattern pattern, std::string content)
      : pattern(std::move(pattern)), content(std::move(content)) {}
  std::string apply(std::string text) const override {
    return replaceAll(text, pattern, content);
  }

private:
  Pattern pattern;
  std::string content;
};
} // namespace

std::unique_ptr<const NormalizerStep> makePrepend(std::string text) {
  return std::make_unique<Prepend>(std::move(text));
}

std::unique_ptr<const NormalizerStep> makeReplace(Pattern pattern,
                                                  std::string content) {
  return std::make_unique<Replace>(std::move(pattern), std::move(content));
}

} // namespace tenon::tokenizers
