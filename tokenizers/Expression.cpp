// Expressions by Oniguruma, as in the library that trained the models. Its
// limit of retries in one match is the default there too; the limits of steps
// in a text and of the stack are ours, because a tokenizer file is not trusted.
#include "tokenizers/Expression.h"

#include "tokenizers/CountedExpression.h"
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
static constexpr unsigned maxStackEntries = 16u << 20;
/// Turns of repetitions and alternatives in a text: at most 1,050 for each
/// byte, and 50 for each further byte of a long text. So the time is linear in
/// the text, in however many pieces it comes.
static uint64_t mostTurns(uint64_t bytes) {
  return std::min<uint64_t>(1000 * bytes, 50'000'000) + 50 * bytes;
}

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

/// Compiles `pattern`, which a file has as `shown`.
static regex_t *compile(std::string_view pattern, std::string_view shown) {
  const auto *begin = reinterpret_cast<const OnigUChar *>(pattern.data());
  regex_t *made = nullptr;
  OnigErrorInfo info;
  int code = onig_new(&made, begin, begin + pattern.size(), ONIG_OPTION_NONE,
                      ONIG_ENCODING_UTF8, ONIG_SYNTAX_DEFAULT, &info);
  if (code == ONIGERR_MEMORY)
    throw std::bad_alloc();
  if (code != ONIG_NORMAL)
    throw Failure{TENON_TOKENIZER_INVALID,
                  "expected a regular expression, got " + quoted(shown) + " (" +
                      errorText(code, &info) + ")"};
  return made;
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
  // Only a valid expression can be changed.
  compiled.reset(compile(pattern, pattern));
  compiled.reset(compile(withCounts(pattern), pattern));
}

namespace {
/// What one thread needs to search.
struct Search {
  explicit Search(std::string_view text)
      : region(onig_region_new()), limits(onig_new_match_param()), text(text),
        left(mostTurns(text.size() + 1)) {
    if (!region || !limits) {
      release();
      throw std::bad_alloc();
    }
    onig_initialize_match_param(limits);
    onig_set_retry_limit_in_match_of_match_param(limits, maxRetriesInMatch);
    onig_set_match_stack_limit_size_of_match_param(limits, maxStackEntries);
    onig_set_progress_callout_of_match_param(limits, countTurn);
    onig_set_callout_user_data_of_match_param(limits, this);
  }
  ~Search() { release(); }
  Search(const Search &) = delete;

  void release() {
    if (region)
      onig_region_free(region, 1);
    if (limits)
      onig_free_match_param(limits);
  }

  static int countTurn(OnigCalloutArgs *, void *user) {
    uint64_t &left = static_cast<Search *>(user)->left;
    if (left == 0)
      return ONIG_ABORT;
    --left;
    return ONIG_CALLOUT_SUCCESS;
  }

  /// Finds the first match from `at` on.
  int find(regex_t *expression, size_t at) {
    const auto *begin = reinterpret_cast<const OnigUChar *>(text.data());
    const OnigUChar *end = begin + text.size();
    return onig_search_with_param(expression, begin, end, begin + at, end,
                                  region, ONIG_OPTION_NONE, limits);
  }

  OnigRegion *region;
  OnigMatchParam *limits;
  std::string_view text;
  uint64_t left; ///< turns of repetitions
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
      throw Failure{
          TENON_TOKENIZER_LIMIT,
          "an expression of the pre-tokenizer takes too many steps "
          "on this text" +
              (code == ONIG_ABORT ? "" : " (" + errorText(code) + ")")};
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
