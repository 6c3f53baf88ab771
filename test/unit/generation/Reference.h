// Processors and warpers of one row, written from the specification in plain
// loops.
#ifndef TENON_TEST_UNIT_GENERATION_REFERENCE_H
#define TENON_TEST_UNIT_GENERATION_REFERENCE_H

#include "compiler/import/huggingface/reader/GenerationConfig.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tenon::test {

using Row = std::vector<float>;

/// One step of a call, as a row sees it.
struct RowStep {
  std::vector<int64_t> ids; ///< pads included
  int64_t prompt = 0, maxLength = 0, beams = 1;
  /// What the encoder has read; without one it is the prompt.
  std::optional<std::vector<int64_t>> source = {};
};

Row referenceProcessed(const hf::GenerationConfig &options, const RowStep &at,
                       Row scores);

struct Warped {
  Row scores;
  /// False if a decision is within rounding errors of its bound.
  bool isClear = true;
};
Warped referenceWarped(const hf::GenerationConfig &options, const RowStep &at,
                       Row scores);

/// The timestamp rules, which follow the processors.
Warped referenceTimestamps(const hf::GenerationConfig &options,
                           const RowStep &at, Row scores);

Row referenceLogSoftmax(const Row &scores);

} // namespace tenon::test

#endif // TENON_TEST_UNIT_GENERATION_REFERENCE_H
