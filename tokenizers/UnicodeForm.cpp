// The Unicode normalization forms, with utf8proc's tables. Marks are put in
// order here, because utf8proc's own loop takes quadratic time for a long run
// of them.
#include "tokenizers/Normalizer.h"

#include "tokenizers/Failure.h"
#include "tokenizers/Unicode.h"
#include "tokenizers/Utf8.h"

#include <algorithm>
#include <span>
#include <utf8proc.h>

namespace tenon::tokenizers {

static int combiningClass(int32_t c) {
  return utf8proc_get_property(c)->combining_class;
}

/// Sorts marks by class; marks of one class keep their order.
static void sortByClass(std::span<int32_t> marks) {
  // A mark has 21 bits, a class 8, so 35 are left for the place.
  std::vector<uint64_t> keys(marks.size());
  for (size_t i = 0; i < marks.size(); ++i)
    keys[i] = uint64_t(combiningClass(marks[i])) << 56 | uint64_t(i) << 21 |
              uint64_t(marks[i]);
  std::sort(keys.begin(), keys.end());
  for (size_t i = 0; i < marks.size(); ++i)
    marks[i] = static_cast<int32_t>(keys[i] & 0x1fffff);
}

/// Sorts each run of marks by combining class, canonical ordering of Unicode.
static void orderMarks(std::vector<int32_t> &characters) {
  for (size_t begin = 0; begin < characters.size();) {
    if (combiningClass(characters[begin]) == 0) {
      ++begin;
      continue;
    }
    size_t end = begin;
    while (end < characters.size() && combiningClass(characters[end]) != 0)
      ++end;
    if (end - begin > 1)
      sortByClass(std::span(characters).subspan(begin, end - begin));
    begin = end;
  }
}

namespace {
class UnicodeForm : public NormalizerStep {
public:
  UnicodeForm(bool compatibility, bool composed)
      : decompose(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE |
                  (compatibility ? UTF8PROC_COMPAT : 0)),
        // No character below these changes.
        firstToChange(composed && !compatibility ? 0x300 : 0x80),
        composed(composed) {}

  std::string apply(std::string text, bool &) const override {
    size_t at = 0;
    while (at < text.size() && codePointAt(text, at) < firstToChange)
      at += lengthFromFirst(text[at]);
    if (at == text.size())
      return text;
    std::string result;
    result.reserve(text.size());
    std::vector<int32_t> segment;
    for (at = 0; at < text.size(); at += lengthFromFirst(text[at])) {
      uint32_t c = codePointAt(text, at);
      if (isLater(c)) {
        flush(segment, result);
        appendUtf8(result, c);
      } else {
        append(segment, c);
      }
    }
    flush(segment, result);
    return result;
  }

private:
  void append(std::vector<int32_t> &segment, uint32_t c) const {
    // The longest decomposition of Unicode has 18 characters.
    int32_t parts[32];
    int boundary = 0;
    utf8proc_ssize_t count = utf8proc_decompose_char(
        c, parts, std::size(parts), static_cast<utf8proc_option_t>(decompose),
        &boundary);
    if (count < 0 || size_t(count) > std::size(parts))
      throw Failure{TENON_TOKENIZER_INTERNAL,
                    "cannot decompose the character " + std::to_string(c)};
    segment.insert(segment.end(), parts, parts + count);
  }

  /// Appends the normal form of `segment`, which becomes empty.
  void flush(std::vector<int32_t> &segment, std::string &result) const {
    orderMarks(segment);
    if (composed && !segment.empty())
      segment.resize(utf8proc_normalize_utf32(
          segment.data(), segment.size(),
          static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE)));
    for (int32_t c : segment)
      appendUtf8(result, c);
    segment.clear();
  }

  int decompose;
  uint32_t firstToChange;
  bool composed;
};
} // namespace

std::unique_ptr<const NormalizerStep> makeUnicodeForm(bool compatibility,
                                                      bool composed) {
  return std::make_unique<UnicodeForm>(compatibility, composed);
}

} // namespace tenon::tokenizers
