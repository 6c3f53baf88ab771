// Random options, sequences and scores of one step.
#ifndef TENON_TEST_UNIT_GENERATION_RANDOMSTEP_H
#define TENON_TEST_UNIT_GENERATION_RANDOMSTEP_H

#include "test/unit/generation/Reference.h"

#include <random>

namespace tenon::test {

struct RandomStep {
  hf::GenerationConfig options;
  int64_t rows, positions, vocabulary;
  int64_t length, prompt, maxLength, beams;
  std::vector<int64_t> ids;  ///< [rows, positions]
  std::vector<float> scores; ///< [rows, vocabulary]
  int64_t sourceColumns;
  std::vector<int64_t> source; ///< [rows, sourceColumns], -1 after a row's ids

  RandomStep(uint64_t seed, int64_t vocabulary);

  /// Makes it a step of a model that writes speech with these tokens: mostly
  /// pieces of text between timestamps.
  void writeSpeech(const hf::SpeechTokens &tokens, uint64_t seed);

  RowStep row(int64_t number) const;
  /// The same in a model with an encoder.
  RowStep rowWithSource(int64_t number) const;
  Row scoresOf(int64_t row) const;
};

} // namespace tenon::test

#endif // TENON_TEST_UNIT_GENERATION_RANDOMSTEP_H
