// The specification, section by section.
#include "test/unit/generation/Reference.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

namespace tenon::test {
namespace {

using hf::GenerationConfig;
using Ids = std::vector<int64_t>;

constexpr float removed = -INFINITY;

bool isToken(const Row &scores, int64_t id) {
  return id >= 0 && id < int64_t(scores.size());
}

void remove(Row &scores, const Ids &tokens) {
  for (int64_t token : tokens)
    if (isToken(scores, token))
      scores[token] = removed;
}

void penalize(Row &scores, Ids ids, float penalty) {
  for (int64_t id : std::set<int64_t>(ids.begin(), ids.end()))
    if (isToken(scores, id))
      scores[id] = scores[id] < 0 ? scores[id] * penalty : scores[id] / penalty;
}

/// Removes t if (last n - 1 of `ids`) + t is in `text`.
void banNgrams(Row &scores, const Ids &ids, const Ids &text, int64_t n) {
  if (n == 0 || int64_t(ids.size()) + 1 < n)
    return;
  for (int64_t i = 0; i + n <= int64_t(text.size()); ++i)
    if (std::equal(ids.end() - (n - 1), ids.end(), text.begin() + i))
      remove(scores, {text[i + n - 1]});
}

/// True if all tokens of `word` but its last are the last of `ids`.
bool matches(const Ids &word, const Ids &ids) {
  return word.size() == 1 || (ids.size() >= word.size() &&
                              std::equal(word.begin(), word.end() - 1,
                                         ids.end() - int64_t(word.size() - 1)));
}

void onlyTokens(Row &scores, const Ids &tokens) {
  std::fill(scores.begin(), scores.end(), removed);
  for (int64_t token : tokens)
    if (isToken(scores, token))
      scores[token] = 0;
}

//===-- Warpers ---------------------------------------------------------===//

/// The columns in order, equal elements by column.
std::vector<size_t>
inOrder(const std::vector<double> &x,
        const std::function<bool(double, double)> &comesFirst) {
  std::vector<size_t> columns(x.size());
  std::iota(columns.begin(), columns.end(), 0);
  std::stable_sort(columns.begin(), columns.end(),
                   [&](size_t a, size_t b) { return comesFirst(x[a], x[b]); });
  return columns;
}

class Warper {
public:
  Warper(const GenerationConfig &options, const RowStep &at, Row scores)
      : options(options), result{std::move(scores)},
        least(at.beams > 1 ? std::max<size_t>(options.endTokens.size(), 1) + 1
                           : 1) {
    least = std::min(least, result.scores.size());
  }

  Warped run() {
    Row &s = result.scores;
    if (options.temperature != 1)
      for (float &score : s)
        score /= float(options.temperature);
    keepTopK();
    keepTopP();
    cutByBest();
    keepTypical();
    cut(options.epsilonCutoff, options.epsilonCutoff);
    measure();
    double eta = options.etaCutoff;
    cut(eta, std::min(eta, std::sqrt(eta) * std::exp(-entropy)));
    return result;
  }

private:
  /// Probabilities, their logarithms and the entropy.
  void measure() {
    const Row &s = result.scores;
    double most = *std::max_element(s.begin(), s.end()), sum = 0;
    // Without a number there are no probabilities.
    result.isClear &=
        std::isfinite(most) &&
        std::none_of(s.begin(), s.end(), [](float x) { return std::isnan(x); });
    for (float score : s)
      sum += std::exp(score - most);
    p.clear();
    logs.clear();
    entropy = 0;
    for (float score : s) {
      // In f32, because a difference of great numbers is infinite.
      logs.push_back(float(score - float(most)) - std::log(sum));
      p.push_back(std::exp(score - most) / sum);
      if (p.back() > 0)
        entropy -= p.back() * logs.back();
    }
  }

  std::vector<size_t> sorted() const {
    std::vector<double> scores(result.scores.begin(), result.scores.end());
    return inOrder(scores, std::greater<>());
  }

  void drop(size_t column) { result.scores[column] = removed; }

  /// a < b, and not clear if they are nearly equal.
  bool isBelow(double a, double b) {
    if (a != b && std::isfinite(a) && std::isfinite(b) &&
        std::abs(a - b) < 2e-5 * std::max(std::abs(a), std::abs(b)))
      result.isClear = false;
    return a < b;
  }

  void keepTopK() {
    if (options.topK == 0)
      return;
    size_t k =
        std::min(std::max(size_t(options.topK), least), result.scores.size());
    float bound = result.scores[sorted()[k - 1]];
    for (float &score : result.scores)
      if (score < bound)
        score = removed;
  }

  void keepTopP() {
    if (options.topP >= 1)
      return;
    measure();
    double sum = 0;
    std::vector<size_t> columns = sorted();
    for (size_t i = 0; i < columns.size(); ++i) {
      if (i >= least && !isBelow(sum, options.topP))
        drop(columns[i]);
      sum += p[columns[i]];
    }
  }

  void cutByBest() {
    if (options.minP == 0)
      return;
    measure();
    double bound = options.minP * *std::max_element(p.begin(), p.end());
    std::vector<size_t> columns = sorted();
    for (size_t i = least; i < columns.size(); ++i)
      if (isBelow(p[columns[i]], bound))
        drop(columns[i]);
  }

  void keepTypical() {
    if (options.typicalP >= 1)
      return;
    measure();
    std::vector<double> distance;
    for (double n : logs)
      distance.push_back(std::abs(-n - entropy));
    std::vector<size_t> columns = inOrder(distance, std::less<>());
    size_t last = 0;
    double sum = 0;
    for (size_t column : columns)
      if (p[column] > 0)
        last += isBelow(sum += p[column], options.typicalP);
      else
        last += sum < options.typicalP;
    last = std::min(last, columns.size() - 1);
    double bound = distance[columns[last]];
    for (size_t i = least; i < columns.size(); ++i)
      if (isBelow(bound, distance[columns[i]]))
        drop(columns[i]);
    // The order of nearly equal distances decides what the sums are.
    for (size_t i = 1; i < columns.size(); ++i)
      if (!std::isinf(distance[columns[i]]) && p[columns[i]] > 0)
        isBelow(distance[columns[i - 1]], distance[columns[i]]);
  }

  void cut(double option, double bound) {
    if (option <= 0 || option >= 1)
      return;
    measure();
    float kept = result.scores[sorted()[least - 1]];
    for (size_t i = 0; i < p.size(); ++i)
      if (result.scores[i] < kept && isBelow(p[i], bound))
        drop(i);
  }

  const GenerationConfig &options;
  Warped result;
  size_t least;
  std::vector<double> p, logs;
  double entropy = 0;
};
} // namespace

Row referenceProcessed(const GenerationConfig &options, const RowStep &at,
                       Row scores) {
  const Ids &ids = at.ids, &ends = options.endTokens;
  Ids source = at.source.value_or(Ids(ids.begin(), ids.begin() + at.prompt));
  int64_t length = int64_t(ids.size());
  for (const hf::BiasedWord &word : options.sequenceBias)
    if (matches(word.tokens, ids) && isToken(scores, word.tokens.back()))
      scores[word.tokens.back()] += float(word.bias);
  penalize(scores, source, 1.f / float(options.promptRepetitionPenalty));
  penalize(scores, ids, float(options.repetitionPenalty));
  banNgrams(scores, ids, ids, options.noRepeatNgram);
  banNgrams(scores, ids, source, options.noRepeatPromptNgram);
  for (const Ids &word : options.badWords) {
    bool isEnd = word.size() == 1 &&
                 std::find(ends.begin(), ends.end(), word[0]) != ends.end();
    if (!isEnd && matches(word, ids) && isToken(scores, word.back()))
      scores[word.back()] += removed;
  }
  if (length < options.minLength)
    remove(scores, ends);
  if (length - at.prompt < options.minNewTokens)
    remove(scores, ends);
  if (options.forcedFirstToken && length == 1)
    onlyTokens(scores, {*options.forcedFirstToken});
  if (!options.forcedEndTokens.empty() && length == at.maxLength - 1)
    onlyTokens(scores, options.forcedEndTokens);
  if (options.removeInvalid)
    for (float &score : scores)
      score = std::isnan(score) ? 0 : std::clamp(score, -FLT_MAX, FLT_MAX);
  if (options.lengthDecay && length > at.prompt + options.lengthDecay->start) {
    double power = std::pow(double(float(options.lengthDecay->factor)),
                            length - at.prompt - options.lengthDecay->start);
    for (int64_t end : std::set<int64_t>(ends.begin(), ends.end()))
      if (isToken(scores, end))
        scores[end] += std::abs(scores[end]) * float(power - 1);
  }
  remove(scores, options.suppressTokens);
  int64_t begin =
      at.prompt + (at.prompt == 1 && options.forcedFirstToken ? 1 : 0);
  if (length == begin)
    remove(scores, options.beginSuppressTokens);
  return scores;
}

Warped referenceWarped(const GenerationConfig &options, const RowStep &at,
                       Row scores) {
  return Warper(options, at, std::move(scores)).run();
}

Warped referenceTimestamps(const GenerationConfig &options, const RowStep &at,
                           Row scores) {
  const hf::SpeechTokens &speech = *options.speech;
  Warped result{std::move(scores)};
  if (!speech.makesTimestamps)
    return result;
  Row &s = result.scores;
  int64_t vocabulary = int64_t(s.size()), first = *speech.noTimestamps + 1,
          end = vocabulary;
  for (int64_t token : options.endTokens)
    end = std::min(end, token);
  auto removeFrom = [&](int64_t begin, int64_t end) {
    for (int64_t token = begin; token < std::min(end, vocabulary); ++token)
      s[token] = removed;
  };
  removeFrom(first - 1, first);
  Ids text(at.ids.begin() + at.prompt, at.ids.end());
  auto isTimestamp = [&](size_t back) { return text.end()[-back] >= first; };
  bool isLast = !text.empty() && isTimestamp(1),
       isPair = text.size() < 2 || isTimestamp(2);
  if (isLast && isPair)
    removeFrom(first, vocabulary);
  else if (isLast)
    removeFrom(0, end);
  Ids found;
  for (int64_t id : text)
    if (id >= first)
      found.push_back(id);
  if (!found.empty())
    removeFrom(first, found.back() + !(isLast && !isPair));
  if (text.empty()) {
    removeFrom(0, first);
    if (speech.lastInitialTimestamp)
      removeFrom(first + *speech.lastInitialTimestamp + 1, vocabulary);
  }
  double most = -INFINITY, likeliest = -INFINITY, sum = 0;
  for (int64_t token = 0; token < first; ++token)
    likeliest = std::max(likeliest, double(s[token]));
  for (int64_t token = first; token < vocabulary; ++token)
    most = std::max(most, double(s[token]));
  for (int64_t token = first; token < vocabulary; ++token)
    sum += std::exp(s[token] - most);
  double together = most + std::log(sum);
  // Without numbers there are no probabilities.
  result.isClear =
      std::none_of(s.begin(), s.end(), [](float x) { return std::isnan(x); }) &&
      !(std::abs(together - likeliest) <
        1e-5 * std::max(1.0, std::abs(likeliest)));
  if (together > likeliest)
    removeFrom(0, first);
  return result;
}

Row referenceLogSoftmax(const Row &scores) {
  double most = *std::max_element(scores.begin(), scores.end()), sum = 0;
  for (float score : scores)
    sum += std::exp(score - most);
  Row result;
  for (float score : scores)
    result.push_back(float(score - most - std::log(sum)));
  return result;
}

} // namespace tenon::test
