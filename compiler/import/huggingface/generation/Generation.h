// The entries that generate text: `start` computes prompts, `advance` chooses
// tokens, `result` returns the sequences. They share states, so that a call may
// be divided into any number of runs.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_GENERATION_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_GENERATION_H

#include "compiler/import/huggingface/generation/CallStates.h"
#include "compiler/import/huggingface/generation/EncoderStates.h"
#include "compiler/import/huggingface/generation/EntryInputs.h"
#include "compiler/import/huggingface/generation/Options.h"

namespace tenon::hf {

struct GenerationSetup {
  const Config &config;
  const GenerationConfig &defaults;
  Compatibility compatibility;
  mlir::Type cacheElement; ///< f32 or bf16
  const EntryInputs &inputs;
};

class Generation {
public:
  /// `parameters` must give a value of the entry under construction.
  Generation(GraphBuilder &g, Entries &entries, Parameters &parameters,
             const GenerationSetup &setup);

  void buildStart();
  void buildAdvance();
  void buildResult();

private:
  std::unique_ptr<class Decoder> decoder();
  /// What the head reads at the tokens `needed`, null for all: f32 [rows,
  /// tokens, width], after the keys and values of `ids` are in the cache.
  mlir::Value hiddenOf(mlir::Value ids, const struct CachePlaces &places,
                       const struct LastTokens *needed);
  /// The same for the last `needed` tokens of prompts of up to `longest`
  /// columns, which are computed in parts. Row r has `count[r]` tokens.
  mlir::Value hiddenOfPrompt(mlir::Value ids, const struct CachePlaces &places,
                             mlir::Value count, Size needed, Size longest);
  /// The logits, f32 [rows, vocabulary], of the last token of `hidden`.
  mlir::Value logitsOf(mlir::Value hidden);
  /// Computes one token of each row: the newest one of its text, or the
  /// candidate that it tries. Writes the logits and returns the hidden values,
  /// [rows, width].
  mlir::Value computeTokens(const struct Step &step);
  /// Finds the next candidates of texts, or beams, by the state's logits.
  void findCandidates(const struct Step &step);
  /// The probability, [rows], that nobody speaks: that of the token before the
  /// one that stands for no timestamps. Zero if the model names none.
  mlir::Value noSpeech(mlir::Value logits);
  /// The inputs of `start`, without the options.
  llvm::SmallVector<EntryArgument> startInputs() const;
  mlir::FlatSymbolRefAttr logitsState();
  mlir::Value readLogits(Size rows);
  void writeLogits(mlir::Value logits);

  GraphBuilder &g;
  Entries &entries;
  Parameters &parameters;
  const GenerationSetup &setup;
  CallStates states;
  std::optional<EncoderStates> encoder;
  Options options;
};

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_GENERATION_H
