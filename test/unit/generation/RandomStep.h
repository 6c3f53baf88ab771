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

  RandomStep(uint64_t seed, int64_t vocabulary);

  RowStep row(int64_t number) const;
  Row scoresOf(int64_t row) const;
};

} // namespace tenon::test

#endif // TENON_TEST_UNIT_GENERATION_RANDOMSTEP_H
