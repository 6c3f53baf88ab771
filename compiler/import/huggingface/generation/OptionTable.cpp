// Names and bounds are those of the library that writes the files.
#include "compiler/import/huggingface/generation/OptionTable.h"

namespace tenon::hf {
namespace {

using Config = GenerationConfig;

OptionDefault earlyStopping(const Config &config) {
  switch (config.earlyStopping) {
  case EarlyStopping::No:
    return int64_t(0);
  case EarlyStopping::Yes:
    return int64_t(1);
  case EarlyStopping::Never:
    return int64_t(2);
  }
  llvm_unreachable("a value of EarlyStopping");
}

/// Without a pad token, the first end token fills the rows.
OptionDefault padToken(const Config &config) {
  if (config.padToken)
    return *config.padToken;
  return config.endTokens.empty() ? 0 : config.endTokens.front();
}

OptionDefault biasedWords(const Config &config) {
  std::vector<std::vector<int64_t>> words;
  for (const BiasedWord &word : config.sequenceBias)
    words.push_back(word.tokens);
  return words;
}

OptionDefault biases(const Config &config) {
  std::vector<float> biases;
  for (const BiasedWord &word : config.sequenceBias)
    biases.push_back(float(word.bias));
  return biases;
}

using enum Option;
using enum OptionKind;

const OptionRow table[] = {
    {MaxNewTokens, "max_new_tokens", Integer, -1, maxCount,
     [](const Config &c) -> OptionDefault {
       return c.maxNewTokens.value_or(-1);
     }},
    {MaxLength, "max_length", Integer, -1, maxCount,
     [](const Config &c) -> OptionDefault { return c.maxLength.value_or(-1); }},
    {MinLength, "min_length", Integer, 0, maxCount,
     [](const Config &c) -> OptionDefault { return c.minLength; }},
    {MinNewTokens, "min_new_tokens", Integer, 0, maxCount,
     [](const Config &c) -> OptionDefault { return c.minNewTokens; }},
    {NumBeams, "num_beams", Integer, 1, maxBeams,
     [](const Config &c) -> OptionDefault { return c.beams; }},
    {NumReturnSequences, "num_return_sequences", Integer, 1, maxSequences,
     [](const Config &c) -> OptionDefault { return c.sequences; }},
    {Option::EarlyStopping, "early_stopping", Integer, 0, 2, earlyStopping},
    {LengthPenalty, "length_penalty", Number, -maxLengthPenalty,
     maxLengthPenalty,
     [](const Config &c) -> OptionDefault { return c.lengthPenalty; }},
    {PadTokenId, "pad_token_id", Integer, 0, maxToken, padToken},
    {EosTokenId, "eos_token_id", Tokens, 0, maxToken,
     [](const Config &c) -> OptionDefault { return c.endTokens; }, "eos"},
    {Seed, "seed", Integer, double(INT64_MIN), double(INT64_MAX),
     [](const Config &) -> OptionDefault { return int64_t(0); }},
    {SequenceBiasIds, "sequence_bias_ids", OptionKind::Words, -1, maxToken,
     biasedWords, "biases", "bias_word"},
    {SequenceBias, "sequence_bias", Biases, -maxNumber, maxNumber, biases,
     "biases"},
    {EncoderRepetitionPenalty, "encoder_repetition_penalty", Number,
     leastPositive, maxNumber,
     [](const Config &c) -> OptionDefault {
       return c.promptRepetitionPenalty;
     }},
    {RepetitionPenalty, "repetition_penalty", Number, leastPositive, maxNumber,
     [](const Config &c) -> OptionDefault { return c.repetitionPenalty; }},
    {NoRepeatNgramSize, "no_repeat_ngram_size", Integer, 0, maxCount,
     [](const Config &c) -> OptionDefault { return c.noRepeatNgram; }},
    {EncoderNoRepeatNgramSize, "encoder_no_repeat_ngram_size", Integer, 0,
     maxCount,
     [](const Config &c) -> OptionDefault { return c.noRepeatPromptNgram; }},
    {BadWordsIds, "bad_words_ids", OptionKind::Words, -1, maxToken,
     [](const Config &c) -> OptionDefault { return c.badWords; }, "words",
     "word"},
    {ForcedBosTokenId, "forced_bos_token_id", Integer, -1, maxToken,
     [](const Config &c) -> OptionDefault {
       return c.forcedFirstToken.value_or(-1);
     }},
    {ForcedEosTokenId, "forced_eos_token_id", Tokens, 0, maxToken,
     [](const Config &c) -> OptionDefault { return c.forcedEndTokens; },
     "forced"},
    {RemoveInvalidValues, "remove_invalid_values", Flag, 0, 1,
     [](const Config &c) -> OptionDefault { return c.removeInvalid; }},
    {ExponentialDecayStart, "exponential_decay_start", Integer, -1, maxCount,
     [](const Config &c) -> OptionDefault {
       return c.lengthDecay ? c.lengthDecay->start : -1;
     }},
    {ExponentialDecayFactor, "exponential_decay_factor", Number, leastPositive,
     maxNumber,
     [](const Config &c) -> OptionDefault {
       return c.lengthDecay ? c.lengthDecay->factor : 1;
     }},
    {SuppressTokens, "suppress_tokens", Tokens, 0, maxToken,
     [](const Config &c) -> OptionDefault { return c.suppressTokens; },
     "suppress"},
    {BeginSuppressTokens, "begin_suppress_tokens", Tokens, 0, maxToken,
     [](const Config &c) -> OptionDefault { return c.beginSuppressTokens; },
     "begin"},
    {DoSample, "do_sample", Flag, 0, 1,
     [](const Config &c) -> OptionDefault { return c.sample; }},
    {Temperature, "temperature", Number, leastPositive, maxNumber,
     [](const Config &c) -> OptionDefault { return c.temperature; }},
    {TopK, "top_k", Integer, 0, maxCount,
     [](const Config &c) -> OptionDefault { return c.topK; }},
    {TopP, "top_p", Number, 0, 1,
     [](const Config &c) -> OptionDefault { return c.topP; }},
    {MinP, "min_p", Number, 0, 1,
     [](const Config &c) -> OptionDefault { return c.minP; }},
    {TypicalP, "typical_p", Number, leastPositive, 1,
     [](const Config &c) -> OptionDefault { return c.typicalP; }},
    {EpsilonCutoff, "epsilon_cutoff", Number, 0, 1,
     [](const Config &c) -> OptionDefault { return c.epsilonCutoff; }},
    {EtaCutoff, "eta_cutoff", Number, 0, 1,
     [](const Config &c) -> OptionDefault { return c.etaCutoff; }},
    {PenaltyAlpha, "penalty_alpha", Number, 0, 1,
     [](const Config &c) -> OptionDefault { return c.penaltyAlpha; }},
    {RenormalizeLogits, "renormalize_logits", Flag, 0, 1,
     [](const Config &c) -> OptionDefault { return c.renormalize; }},
    {OutputScores, "output_scores", Flag, 0, 1,
     [](const Config &) -> OptionDefault { return false; }},
    {Timestamps, "timestamps", Flag, 0, 1,
     [](const Config &c) -> OptionDefault {
       return c.speech && c.speech->makesTimestamps;
     }},
    {MaxInitialTimestampIndex, "max_initial_timestamp_index", Integer, -1,
     maxCount,
     [](const Config &c) -> OptionDefault {
       return c.speech ? c.speech->lastInitialTimestamp.value_or(-1) : -1;
     }},
};
} // namespace

llvm::ArrayRef<OptionRow> optionTable() { return table; }

llvm::ArrayRef<OptionRow> commonOptions() {
  return optionTable().take_front(size_t(Option::Timestamps));
}

} // namespace tenon::hf
