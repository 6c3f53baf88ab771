// Few different tokens, so that they repeat; scores with ties, infinities and
// removed ones; pads that are no tokens.
#include "test/unit/generation/RandomStep.h"

#include <algorithm>
#include <cmath>

namespace tenon::test {
namespace {

struct Random {
  std::mt19937_64 bits;

  int64_t integer(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(bits);
  }
  double number(double least, double most) {
    return std::uniform_real_distribution<>(least, most)(bits);
  }
  bool chance(double share) { return number(0, 1) < share; }
};

class Maker {
public:
  Maker(RandomStep &step, uint64_t seed) : step(step), random{} {
    random.bits.seed(seed);
    // Most options are off in most steps, and sometimes all are on.
    share = random.chance(0.1) ? 0.9 : random.number(0, 0.5);
  }

  void run() {
    makeSequences();
    makeProcessors();
    makeWarpers();
    makeScores();
    makeSource();
  }

private:
  bool isOn() { return random.chance(share); }

  int64_t token() {
    return random.integer(0, std::min<int64_t>(step.vocabulary, 7) - 1);
  }

  std::vector<int64_t> tokens(int64_t most) {
    std::vector<int64_t> result;
    for (int64_t i = random.integer(1, most); i > 0; --i)
      result.push_back(random.chance(0.1) ? step.vocabulary + 3 : token());
    return result;
  }

  void makeSequences() {
    step.rows = random.integer(1, 5);
    step.length = random.chance(0.2) ? 1 : random.integer(1, 20);
    step.positions = step.length + random.integer(0, 5);
    step.prompt =
        random.chance(0.3) ? step.length : random.integer(1, step.length);
    step.maxLength = step.length + random.integer(0, 2);
    step.beams = random.chance(0.5) ? 1 : random.integer(2, 4);
    for (int64_t i = 0; i < step.rows * step.positions; ++i)
      step.ids.push_back(token());
    if (random.chance(0.3)) // pads
      for (int64_t i = 0; i < step.prompt; ++i)
        step.ids[i] = random.chance(0.5) ? -7 : step.vocabulary + 9;
  }

  void makeSource() {
    step.sourceColumns = random.integer(1, 20);
    for (int64_t row = 0; row < step.rows; ++row)
      for (int64_t i = 0, length = random.integer(0, step.sourceColumns);
           i < step.sourceColumns; ++i)
        step.source.push_back(i < length ? token() : -1);
  }

  void makeProcessors() {
    hf::GenerationConfig &options = step.options;
    if (random.chance(0.8))
      options.endTokens = tokens(3);
    while (isOn() && options.sequenceBias.size() < 6)
      options.sequenceBias.push_back(
          {tokens(3), double(float(random.number(-4, 4)))});
    if (isOn())
      options.promptRepetitionPenalty = random.number(0.5, 3);
    if (isOn())
      options.repetitionPenalty = random.number(0.5, 3);
    if (isOn())
      options.noRepeatNgram = random.integer(1, 5);
    if (isOn())
      options.noRepeatPromptNgram = random.integer(1, 5);
    while (isOn() && options.badWords.size() < 6)
      options.badWords.push_back(
          tokens(random.chance(0.1) ? hf::maxWordTokens : 3));
    if (isOn())
      options.minLength = random.integer(0, 25);
    if (isOn())
      options.minNewTokens = random.integer(0, 15);
    if (isOn())
      options.forcedFirstToken = token();
    if (isOn())
      options.forcedEndTokens = tokens(2);
    options.removeInvalid = isOn();
    if (isOn())
      options.lengthDecay = {random.integer(0, 8), random.number(0.9, 1.5)};
    if (isOn())
      options.suppressTokens = tokens(4);
    if (isOn())
      options.beginSuppressTokens = tokens(2);
  }

  void makeWarpers() {
    hf::GenerationConfig &options = step.options;
    if (isOn())
      options.temperature = random.number(0.3, 3);
    options.topK = isOn() ? random.integer(1, step.vocabulary + 2) : 0;
    if (isOn())
      options.topP = random.chance(0.1) ? 0 : random.number(0, 1);
    if (isOn())
      options.minP = random.number(0, 1);
    if (isOn())
      options.typicalP = random.number(0.05, 1);
    if (isOn())
      options.epsilonCutoff = random.number(0, 0.3);
    if (isOn())
      options.etaCutoff = random.number(0, 0.3);
    options.renormalize = isOn();
  }

  void makeScores() {
    bool isTied = random.chance(0.5), isBeam = random.chance(0.3),
         isWild = step.options.removeInvalid && random.chance(0.5);
    // Flat scores need more candidates than warpers try first.
    double most = random.chance(0.5) ? 6 : 0.6;
    for (int64_t row = 0; row < step.rows; ++row) {
      Row scores;
      for (int64_t i = 0; i < step.vocabulary; ++i) {
        double score = random.number(-most, most);
        score = isTied ? std::round(score) : score;
        if (random.chance(0.05))
          score = -INFINITY;
        if (isWild && random.chance(0.05))
          score = random.chance(0.5) ? NAN : INFINITY;
        scores.push_back(float(score));
      }
      if (isBeam && !isWild)
        scores = referenceLogSoftmax(scores);
      step.scores.insert(step.scores.end(), scores.begin(), scores.end());
    }
  }

  RandomStep &step;
  Random random;
  double share;
};
} // namespace

RandomStep::RandomStep(uint64_t seed, int64_t vocabulary)
    : vocabulary(vocabulary) {
  Maker(*this, seed).run();
}

void RandomStep::writeSpeech(const hf::SpeechTokens &tokens, uint64_t seed) {
  Random random{};
  random.bits.seed(seed);
  options.speech = tokens;
  options.speech->makesTimestamps = random.chance(0.9);
  int64_t first = *tokens.noTimestamps + 1, last = vocabulary - 1;
  options.speech->lastInitialTimestamp.reset();
  if (random.chance(0.7))
    options.speech->lastInitialTimestamp =
        random.integer(0, last - first + (random.chance(0.2) ? 5 : -1));
  // The end stands behind the text, or somewhere in it.
  options.endTokens = {random.chance(0.7) ? first - 5
                                          : random.integer(0, first - 1)};
  if (random.chance(0.2))
    options.endTokens.clear();
  else if (random.chance(0.2))
    options.endTokens.push_back(vocabulary + 3);
  for (int64_t row = 0; row < rows; ++row) {
    int64_t timestamp = first;
    for (int64_t i = prompt; i < positions; ++i) {
      int64_t &id = ids[row * positions + i];
      bool isFree = random.chance(0.1);
      if (isFree || random.chance(0.6)) {
        timestamp = random.integer(isFree ? first : timestamp, last);
        id = timestamp;
      }
    }
    // Sums of probabilities decide between text and timestamps.
    double shift = random.number(-3, 1);
    for (int64_t token = first; token < vocabulary; ++token)
      scores[row * vocabulary + token] += float(shift);
  }
}

RowStep RandomStep::row(int64_t number) const {
  auto first = ids.begin() + number * positions;
  return {{first, first + length}, prompt, maxLength, beams};
}

RowStep RandomStep::rowWithSource(int64_t number) const {
  RowStep result = row(number);
  auto first = source.begin() + number * sourceColumns;
  result.source = {first, std::find(first, first + sourceColumns, -1)};
  return result;
}

Row RandomStep::scoresOf(int64_t row) const {
  auto first = scores.begin() + row * vocabulary;
  return {first, first + vocabulary};
}

} // namespace tenon::test
