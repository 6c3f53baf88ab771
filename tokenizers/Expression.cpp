// Expressions by Oniguruma, as in the library that trained the models. Its
// limit of retries in one match is the default there too; the limits of one
// search, of all searches in a text and of the stack are ours, because a
// tokenizer file is not trusted.
#include "tokenizers/Expression.h"

#include "tokenizers/Failure.h"
#include "tokenizers/Utf8.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <oniguruma.h>

namespace tenon::tokenizers {

static constexpr size_t maxPatternBytes = 16384;
static constexpr int maxNesting = 64;
static constexpr unsigned long maxRetriesInMatch = 10'000'000;
static constexpr unsigned long maxRetriesInSearch = 50'000'000;
static constexpr unsigned maxStackEntries = 16u << 20;
/// Retries that each search has for nothing, and those of a text for each byte:
/// many slow searches are as bad as one, but a long text may need many.
static constexpr unsigned long freeRetries = 100;
static constexpr unsigned long retriesPerByte = 50;

static std::string errorText(int code, OnigErrorInfo *info = nullptr) {
  OnigUChar text[ONIG_MAX_ERROR_MESSAGE_LEN];
  int length = info ? onig_error_code_to_str(text, code, info)
                    : onig_error_code_to_str(text, code);
  return {reinterpret_cast<const char *>(text), size_t(std::max(length, 0))};
}

/// The parser recurses over groups and classes.
static void checkNesting(std::string_view pattern) {
  int depth = 0;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\')
      ++i;
    else if (pattern[i] == '(' || pattern[i] == '[')
      ++depth;
    else if (pattern[i] == ')' || pattern[i] == ']')
      depth = std::max(0, depth - 1);
    if (depth > maxNesting)
      throw Failure{TENON_TOKENIZER_LIMIT,
                    "expected groups and classes at most " +
                        std::to_string(maxNesting) + " deep"};
  }
}

void Expression::Release::operator()(re_pattern_buffer *compiled) const {
  onig_free(compiled);
}

Expression::Expression(std::string_view pattern) {
  if (pattern.size() > maxPatternBytes)
    throw Failure{TENON_TOKENIZER_LIMIT, "expected an expression of at most " +
                                             std::to_string(maxPatternBytes) +
                                             " bytes, got " +
                                             std::to_string(pattern.size())};
  checkNesting(pattern);
  static std::once_flag once;
  std::call_once(once, [] {
    OnigEncoding encodings[] = {ONIG_ENCODING_UTF8};
    onig_initialize(encodings, 1);
  });
  const auto *begin = reinterpret_cast<const OnigUChar *>(pattern.data());
  regex_t *made = nullptr;
  OnigErrorInfo info;
  int code = onig_new(&made, begin, begin + pattern.size(), ONIG_OPTION_NONE,
                      ONIG_ENCODING_UTF8, ONIG_SYNTAX_DEFAULT, &info);
  if (code == ONIGERR_MEMORY)
    throw std::bad_alloc();
  if (code != ONIG_NORMAL)
    throw Failure{TENON_TOKENIZER_INVALID,
                  "expected a regular expression, got " + quoted(pattern) +
                      " (" + errorText(code, &info) + ")"};
  compiled.reset(made);
}

namespace {
/// What one thread needs to search.
struct Search {
  explicit Search(std::string_view text)
      : region(onig_region_new()), limits(onig_new_match_param()), text(text),
        left(maxRetriesInSearch + retriesPerByte * text.size()) {
    if (!region || !limits) {
      release();
      throw std::bad_alloc();
    }
    onig_initialize_match_param(limits);
    onig_set_retry_limit_in_match_of_match_param(limits, maxRetriesInMatch);
    onig_set_match_stack_limit_size_of_match_param(limits, maxStackEntries);
  }
  ~Search() { release(); }
  Search(const Search &) = delete;

  void release() {
    if (region)
      onig_region_free(region, 1);
    if (limits)
      onig_free_match_param(limits);
  }

  /// Finds the first match from `at` on. Oniguruma does not tell how many
  /// retries it made, so a search begins with few and gets more when they do
  /// not suffice.
  int find(regex_t *expression, size_t at) {
    const auto *begin = reinterpret_cast<const OnigUChar *>(text.data());
    const OnigUChar *end = begin + text.size();
    for (unsigned long retries = freeRetries;;) {
      onig_set_retry_limit_in_search_of_match_param(limits, retries);
      int code = onig_search_with_param(expression, begin, end, begin + at, end,
                                        region, ONIG_OPTION_NONE, limits);
      unsigned long most = std::min(left, maxRetriesInSearch);
      if (code != ONIGERR_RETRY_LIMIT_IN_SEARCH_OVER || retries >= most)
        return code;
      retries = std::min(8 * retries, most);
      left -= retries;
    }
  }

  OnigRegion *region;
  OnigMatchParam *limits;
  std::string_view text;
  unsigned long left; ///< retries beyond the free ones
};
} // namespace

std::vector<Match> Expression::findAll(std::string_view text) const {
  Search search(text);
  std::vector<Match> matches;
  for (size_t at = 0; at <= text.size();) {
    int code = search.find(compiled.get(), at);
    if (code == ONIG_MISMATCH)
      break;
    if (code == ONIGERR_MEMORY)
      throw std::bad_alloc();
    if (code < 0)
      throw Failure{TENON_TOKENIZER_LIMIT,
                    "an expression of the pre-tokenizer takes too many steps "
                    "on this text (" +
                        errorText(code) + ")"};
    Match match{size_t(search.region->beg[0]), size_t(search.region->end[0])};
    if (match.begin == match.end && !matches.empty() &&
        matches.back().end == match.end) {
      at += at < text.size() ? lengthFromFirst(text[at]) : 1;
      continue;
    }
    matches.push_back(match);
    at = match.end;
  }
  return matches;
}

} // namespace tenon::tokenizers
