// The defaults of text generation that a checkpoint gives: special tokens, and
// the options of the search.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_READER_GENERATIONCONFIG_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_READER_GENERATIONCONFIG_H

#include "compiler/import/huggingface/reader/Json.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tenon::hf {

enum class EarlyStopping { No, Yes, Never };

/// Members have the defaults of the library that writes the files. An option
/// that is off has no value, or the value that changes nothing.
struct GenerationConfig {
  std::optional<int64_t> firstToken, padToken;
  std::vector<int64_t> endTokens; ///< each ends a sequence

  std::optional<int64_t> maxLength, maxNewTokens; ///< with and without prompt
  int64_t minLength = 0, minNewTokens = 0;

  bool sample = false;
  int64_t beams = 1, sequences = 1;
  EarlyStopping earlyStopping = EarlyStopping::No;
  double lengthPenalty = 1;

  double repetitionPenalty = 1;
  int64_t noRepeatNgram = 0;
  double temperature = 1;
  int64_t topK = 50;
  double topP = 1, typicalP = 1;
  double minP = 0, epsilonCutoff = 0, etaCutoff = 0;
  std::vector<int64_t> suppressTokens, beginSuppressTokens;
};

/// Reads generation_config.json, or config.json, which older checkpoints keep
/// the same keys in. Throws ReadFailure.
GenerationConfig readGenerationConfig(const Json &json);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_READER_GENERATIONCONFIG_H
