// The options of text generation: inputs of the entry `start`, which keeps them
// in states, so that the other entries of a context can read them.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_OPTIONS_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_OPTIONS_H

#include "compiler/import/ModelImporter.h"
#include "compiler/import/huggingface/reader/GenerationConfig.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace tenon::hf {

/// In the order of the inputs of `start`.
enum class Option {
  MaxNewTokens,
  MaxLength,
  MinLength,
  MinNewTokens,
  NumBeams,
  NumReturnSequences,
  EarlyStopping,
  LengthPenalty,
  PadTokenId,
  EosTokenId,
  Seed,
  // Processors.
  SequenceBiasIds,
  SequenceBias,
  EncoderRepetitionPenalty,
  RepetitionPenalty,
  NoRepeatNgramSize,
  EncoderNoRepeatNgramSize,
  BadWordsIds,
  ForcedBosTokenId,
  ForcedEosTokenId,
  RemoveInvalidValues,
  ExponentialDecayStart,
  ExponentialDecayFactor,
  SuppressTokens,
  BeginSuppressTokens,
  // Sampling.
  DoSample,
  Temperature,
  TopK,
  TopP,
  MinP,
  TypicalP,
  EpsilonCutoff,
  EtaCutoff,
  // Contrastive search, which has TopK too.
  PenaltyAlpha,
  // What is done to scores last.
  RenormalizeLogits,
  // What `result` tells.
  OutputScores,
  // Of models that write speech.
  Timestamps,
  MaxInitialTimestampIndex,
};

/// Whose texts are made: those of PyTorch's or of TensorFlow's generation.
enum class Compatibility { Pt, Tf };

struct OptionRow;

/// Words that are tokens in a row, in the entry that reads them.
struct Words {
  mlir::Value tokens; ///< i64 [words, 16], with -1 before the first token
  mlir::Value biases; ///< f32 [words]; null for `bad_words_ids`
};

class Options {
public:
  Options(GraphBuilder &g, const GenerationConfig &defaults, int64_t vocabulary,
          Compatibility compatibility = Compatibility::Pt);

  /// The inputs of `start` for all options, with defaults and ranges.
  llvm::SmallVector<EntryArgument> inputs() const;

  /// Keeps `arguments`, the values of inputs(), in states. Ends the run if a
  /// list is too long. Called once, in `start`.
  void store(llvm::ArrayRef<mlir::Value> arguments);

  /// An option that is one number or flag: a tensor of rank 0, i64, f32 or i1.
  mlir::Value get(Option option);

  /// An option that is a list of tokens, as an i1 tensor of shape [vocabulary]:
  /// true for the tokens of the list.
  mlir::Value mask(Option option);

  /// The length of a list: an i64 tensor of rank 0.
  mlir::Value count(Option option);

  /// `sequence_bias_ids` with `sequence_bias`, or `bad_words_ids`. An entry of
  /// `bad_words_ids` that has no effect is all -1.
  Words words(Option option);

  int64_t vocabulary() const { return width; }

  /// The tokens of a model that writes speech, else null.
  const SpeechTokens *speech() const {
    return defaults.speech ? &*defaults.speech : nullptr;
  }

  /// The first timestamp; nullopt if the model has none.
  std::optional<int64_t> firstTimestamp() const;

  /// The first end token among the call's, or among the defaults if the call
  /// has none: an i64 tensor of rank 0.
  mlir::Value firstEndToken();

private:
  /// The options that the model has.
  llvm::ArrayRef<OptionRow> rows() const;
  void keepTokens(llvm::StringRef name, mlir::Value tokens);
  void keepWords(Option option, mlir::Value words);
  mlir::Value checkedWords(mlir::Value words, llvm::StringRef name);
  mlir::Value withoutEndTokens(mlir::Value words);

  /// The states of one option: its value, or the mask and the count of a list.
  void write(const llvm::Twine &state, mlir::Value value);
  mlir::Value read(const llvm::Twine &state, mlir::RankedTensorType type);
  void enterFunction();

  GraphBuilder &g;
  const GenerationConfig &defaults;
  int64_t width;
  Compatibility compatibility;
  /// The values of states in the function under construction.
  mlir::Operation *function = nullptr;
  llvm::StringMap<mlir::Value> values;
};

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_OPTIONS_H
