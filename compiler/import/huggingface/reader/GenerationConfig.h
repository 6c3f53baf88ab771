// The defaults of text generation that a checkpoint gives: special tokens, and
// the options of the search.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_READER_GENERATIONCONFIG_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_READER_GENERATIONCONFIG_H

#include "compiler/import/huggingface/reader/SpeechTokens.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tenon::hf {

enum class EarlyStopping { No, Yes, Never };

/// The bounds of the options, for files and for the inputs of an entry. Ids are
/// not compared with a vocabulary: an id beyond it has no score.
constexpr int64_t maxToken = INT32_MAX;
constexpr int64_t maxCount = INT32_MAX;
constexpr int64_t maxBeams = 64;
constexpr int64_t maxSequences = 256;
constexpr int64_t maxEndTokens = 64; ///< and as many forced ones
constexpr int64_t maxWords = 1024;   ///< words of one list
constexpr int64_t maxWordTokens = 16;
/// Numbers are f32 in the entries.
constexpr double maxNumber = 3.4028234663852886e38;
constexpr double leastPositive = 1.1754943508222876e-38;
constexpr double maxLengthPenalty = 1e6;

/// Tokens in a row whose last one gets a bias after the others.
struct BiasedWord {
  std::vector<int64_t> tokens;
  double bias = 0;
};

/// Raises the scores of end tokens from `start` new tokens on, by a factor per
/// token.
struct LengthDecay {
  int64_t start;
  double factor;
};

/// Members have the defaults of the library that writes the files. An option
/// that is off has no value, or the value that changes nothing.
struct GenerationConfig {
  std::optional<int64_t> firstToken, padToken;
  /// What the decoder of a model with an encoder begins with.
  int64_t firstDecoderToken = 0;
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
  double penaltyAlpha = 0;
  std::vector<int64_t> suppressTokens, beginSuppressTokens;

  double promptRepetitionPenalty = 1; ///< encoder_repetition_penalty
  int64_t noRepeatPromptNgram = 0;    ///< encoder_no_repeat_ngram_size
  std::vector<std::vector<int64_t>> badWords;
  std::vector<BiasedWord> sequenceBias;
  std::optional<int64_t> forcedFirstToken; ///< forced_bos_token_id
  std::vector<int64_t> forcedEndTokens;    ///< forced_eos_token_id
  std::optional<LengthDecay> lengthDecay;
  bool renormalize = false, removeInvalid = false;

  std::optional<SpeechTokens> speech; ///< of a model that writes speech
};

/// Reads generation_config.json, or config.json, which older checkpoints keep
/// the same keys in. `model` is config.json, or null, and says what the decoder
/// begins with if `json` does not. Throws ReadFailure.
GenerationConfig readGenerationConfig(const Json &json,
                                      const Json *model = nullptr);

/// Checks that the vocabulary of a model with an encoder has the tokens that
/// drivers begin the decoder's texts with. Throws ReadFailure.
void checkPromptTokens(const GenerationConfig &config, int64_t vocabulary);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_READER_GENERATIONCONFIG_H
