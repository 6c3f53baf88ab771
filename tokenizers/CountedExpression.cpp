// One pass over the pattern copies it atom by atom. An atom that a repetition
// follows is wrapped; a group is an atom once it is closed.
#include "tokenizers/CountedExpression.h"

#include "tokenizers/Failure.h"
#include "tokenizers/Utf8.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace tenon::tokenizers {
namespace {

constexpr std::string_view hexDigits = "0123456789abcdefABCDEF",
                           octalDigits = "01234567";

class Counter {
public:
  explicit Counter(std::string_view pattern) : rest(pattern) {}

  std::string run() {
    while (!rest.empty()) {
      if (size_t length = repetitionLength())
        repeat(length);
      else if (rest[0] == '(')
        open();
      else if (rest[0] == ')')
        close();
      else if (rest[0] == '|')
        alternative();
      else
        atom(atomLength());
    }
    return std::move(result);
  }

private:
  struct Group {
    size_t begin; ///< in the result
    bool isLookbehind;
  };

  [[noreturn]] static void refuse(std::string_view part) {
    throw Failure{TENON_TOKENIZER_UNSUPPORTED,
                  "the steps of " + quoted(part) +
                      " in a regular expression cannot be counted"};
  }

  void copy(size_t length) {
    result += rest.substr(0, length);
    rest.remove_prefix(std::min(length, rest.size()));
    last.reset();
  }

  void atom(size_t length) {
    size_t begin = result.size();
    copy(length);
    last = begin;
  }

  /// The length of "*", "+", "?" or an interval such as "{2,}"; 0 if none is
  /// next.
  size_t repetitionLength() const {
    if (rest[0] == '*' || rest[0] == '+' || rest[0] == '?')
      return 1;
    size_t end = rest.find_first_not_of("0123456789,", 1);
    bool isInterval = rest[0] == '{' && end != std::string_view::npos &&
                      rest[end] == '}' && end > 1;
    return isInterval ? end + 1 : 0;
  }

  void repeat(size_t length) {
    if (inLookbehind())
      refuse("a repetition in a lookbehind");
    // Behind another repetition it says how that one is done.
    if (last) {
      result.insert(*last, "(?:(?{})");
      result += ')';
    }
    copy(length);
  }

  /// One path through a lookbehind's own alternatives is tried once; groups
  /// with alternatives would multiply the paths.
  void alternative() {
    copy(1);
    if (!inLookbehind())
      result += "(?{})";
    else if (!groups.back().isLookbehind)
      refuse("alternatives of a group in a lookbehind");
  }

  bool inLookbehind() const {
    return std::any_of(groups.begin(), groups.end(),
                       [](const Group &group) { return group.isLookbehind; });
  }

  void open() {
    for (std::string_view part : {"(*", "(?{", "(?~", "(?(", "(?@"})
      if (rest.starts_with(part))
        refuse(part);
    bool isLookbehind = rest.starts_with("(?<=") || rest.starts_with("(?<!");
    groups.push_back({result.size(), isLookbehind});
    copy(headLength());
  }

  /// The length of what begins a group: "(", "(?:", "(?<name>", "(?i-m:", ..
  size_t headLength() const {
    if (rest.starts_with("(?#")) {
      // A comment has no atoms, and '\' escapes its end.
      size_t at = 3;
      while (at < rest.size() && rest[at] != ')')
        at += rest[at] == '\\' ? 2 : 1;
      return at;
    }
    if (!rest.starts_with("(?"))
      return 1;
    for (std::string_view sign : {"(?<=", "(?<!", "(?=", "(?!", "(?>", "(?:"})
      if (rest.starts_with(sign))
        return sign.size();
    if (rest.starts_with("(?<") || rest.starts_with("(?'"))
      return std::min(rest.find(rest[2] == '<' ? '>' : '\'', 3),
                      rest.size() - 1) +
             1;
    size_t end = std::min(rest.find_first_of(":)"), rest.size());
    std::string_view options = rest.substr(0, end);
    if (options.find('x') != std::string_view::npos)
      refuse(options);
    return end + rest.substr(end).starts_with(':');
  }

  void close() {
    size_t begin = result.size();
    if (!groups.empty()) {
      begin = groups.back().begin;
      groups.pop_back();
    }
    copy(1);
    last = begin;
  }

  size_t atomLength() const {
    if (rest[0] == '\\')
      return escapeLength();
    if (rest[0] == '[')
      return classLength(0);
    return std::max<size_t>(1, sequenceAt(rest, 0).length);
  }

  /// The number of characters from `at` on that are in `set`, at most `most`.
  size_t countOf(std::string_view set, size_t at, size_t most) const {
    size_t end = std::min(rest.find_first_not_of(set, at), rest.size());
    return std::min(end - std::min(at, end), most);
  }

  size_t escapeLength() const {
    if (rest.size() < 2)
      return rest.size();
    char kind = rest[1];
    if (std::string_view("123456789kgoXcCM").find(kind) !=
        std::string_view::npos)
      refuse(rest.substr(0, 2));
    bool hasBraces = rest.size() > 2 && rest[2] == '{';
    if (hasBraces &&
        std::string_view("pPx").find(kind) != std::string_view::npos)
      return std::min(rest.find('}'), rest.size() - 1) + 1;
    if (kind == 'x')
      return 2 + countOf(hexDigits, 2, 2);
    if (kind == 'u')
      return 2 + countOf(hexDigits, 2, 4);
    if (kind == '0')
      return 2 + countOf(octalDigits, 2, 2);
    return 1 + std::max<size_t>(1, sequenceAt(rest, 1).length);
  }

  /// The length of the class at `begin`, with the classes in it.
  size_t classLength(size_t begin) const {
    size_t at = begin + 1;
    if (at < rest.size() && rest[at] == '^')
      ++at;
    // A ']' that comes first is a character if another one ends the class.
    if (at < rest.size() && rest[at] == ']' &&
        rest.find(']', at + 1) != std::string_view::npos)
      ++at;
    while (at < rest.size() && rest[at] != ']') {
      if (rest[at] == '[')
        at += classLength(at);
      else
        at += rest[at] == '\\' ? 2 : 1;
    }
    return std::min(at + 1, rest.size()) - begin;
  }

  std::string_view rest;
  std::string result;
  std::vector<Group> groups;
  std::optional<size_t> last; ///< where the atom before begins in the result
};
} // namespace

std::string withCounts(std::string_view pattern) {
  return Counter(pattern).run();
}

} // namespace tenon::tokenizers
