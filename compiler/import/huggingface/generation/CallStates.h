// The states of text generation: what a context keeps between `start`,
// `advance` and `result`. A step that is cancelled must be able to run again,
// so values that a step changes are stepped: they have two halves, and a step
// reads the half of its parity and writes the other one. The number of the step
// is written last.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_CALLSTATES_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_CALLSTATES_H

#include "compiler/import/huggingface/generation/Entries.h"

namespace tenon::hf {

/// One state, "call." and its name in the artifact.
struct CallState {
  /// Extents that a context chooses.
  static constexpr int64_t rows = -1, positions = -2;
  /// The prompts of contrastive search, which may be none.
  static constexpr int64_t contrastPrompts = -3;
  /// Of models with an encoder: its items, and the positions of each.
  static constexpr int64_t items = -4, encoderPositions = -5;
  enum class Element { Integer, Float };

  llvm::StringLiteral name;
  int64_t rank = 0;
  int64_t extents[2] = {};
  Element element = Element::Integer;
  bool stepped = false; ///< has two halves, as a first extent

  llvm::ArrayRef<int64_t> shape() const { return {extents, size_t(rank)}; }
};

namespace state {
constexpr CallState perCall(llvm::StringLiteral name) { return {name}; }
constexpr CallState perRow(llvm::StringLiteral name) {
  return {name, 1, {CallState::rows}};
}
constexpr CallState
steppedPerRow(llvm::StringLiteral name,
              CallState::Element element = CallState::Element::Integer) {
  return {name, 1, {CallState::rows}, element, true};
}
constexpr CallState
steppedPerPosition(llvm::StringLiteral name,
                   CallState::Element element = CallState::Element::Integer) {
  return {name, 2, {CallState::rows, CallState::positions}, element, true};
}

/// The number of steps since `start`, or -1 if no prompt is there.
inline constexpr CallState step = perCall("step");
/// The Strategy of the call.
inline constexpr CallState strategy = perCall("strategy");
/// Rows of prompts, and rows of the model for each of them.
inline constexpr CallState batch = perCall("batch"), copies = perCall("copies");
/// Columns of the prompts, and the greatest number of columns.
inline constexpr CallState prompt = perCall("prompt"), limit = perCall("limit");
/// The steps whose ids a run of `advance` has returned. A cancelled run leaves
/// some for the next one.
inline constexpr CallState told = perCall("told");
/// The columns whose keys and values are in the cache.
inline constexpr CallState cached = perCall("cached");
/// The tokens of a row's prompt.
inline constexpr CallState lengths = perRow("lengths");

/// The items of the encoder whose keys and values are in the states; 0 while
/// they are computed. The positions that each has, and its tokens, with -1
/// after them.
inline constexpr CallState encoded = perCall("encoded");
inline constexpr CallState encoderLengths{
    "encoder_lengths", 1, {CallState::items}};
inline constexpr CallState encoderIds{
    "encoder_ids", 2, {CallState::items, CallState::encoderPositions}};

/// 1 if another step can change the result.
inline constexpr CallState going{
    "going", 0, {}, CallState::Element::Integer, true};
/// The ids that each text was given and has chosen, pads included.
inline constexpr CallState ids = steppedPerPosition("ids");
/// The row of the cache that holds each position of a row.
inline constexpr CallState table = steppedPerPosition("table");
/// The number of ids up to the one that ended the text, or 0. Not for beams.
inline constexpr CallState ends = steppedPerRow("ends");
/// The scores of beams, and of the finished sequences of each prompt.
inline constexpr CallState scores = steppedPerRow("scores",
                                                  CallState::Element::Float),
                           doneScores = steppedPerRow(
                               "done_scores", CallState::Element::Float);
/// The finished sequences of each prompt, and their ids after the prompt; 0 for
/// one that is still open.
inline constexpr CallState doneIds = steppedPerPosition("done_ids"),
                           doneLengths = steppedPerRow("done_lengths");
/// The log-probabilities of ids, if `output_scores` is on.
inline constexpr CallState tokenScores = steppedPerPosition(
                               "token_scores", CallState::Element::Float),
                           doneTokenScores = steppedPerPosition(
                               "done_token_scores", CallState::Element::Float);
/// 1 if a better sequence can be found for a prompt.
inline constexpr CallState improves = steppedPerRow("improves");

/// Not for beams: the token that each row of the model may append to its text,
/// and its log-probability, for the step before number `proposed`.
inline constexpr CallState candidates = perRow("candidates");
inline constexpr CallState candidateScores{
    "candidate_scores", 1, {CallState::rows}, CallState::Element::Float};
inline constexpr CallState proposed = perCall("proposed");

} // namespace state

/// The greatest sizes that a context may choose, and those of a context that
/// chooses none.
struct ContextSizes {
  int64_t positions, usualPositions;
  /// Positions of the encoder's results; 0 in a model without encoder. If all
  /// items have as many, `isFixed`, and the extent is no choice.
  int64_t encoderPositions = 0, usualEncoderPositions = 0;
  bool isFixed = false;
};

class CallStates {
public:
  CallStates(GraphBuilder &g, Entries &entries, const ContextSizes &most)
      : g(g), entries(entries), most(most) {}

  /// Prepares for the entry that has just begun.
  void beginEntry();

  /// The context's extents.
  Size rows() const { return sizeOf(CallState::rows); }
  Size positions() const { return sizeOf(CallState::positions); }
  Size contrastPrompts() const { return sizeOf(CallState::contrastPrompts); }
  Size items() const { return sizeOf(CallState::items); }
  Size encoderPositions() const { return sizeOf(CallState::encoderPositions); }

  /// The whole state.
  mlir::Value read(const CallState &state);
  void write(const CallState &state, mlir::Value value);
  /// A state of rank 0 as a size, which the caller bounds or checks.
  Size readSize(const CallState &state);
  void writeSize(const CallState &state, Size value);

  /// The first `count` entries of the state's first extent. `parity` chooses
  /// the half of a stepped state.
  mlir::Value readFirst(const CallState &state, Size count, Size parity = {});
  /// Writes the first entries; all entries of other extents.
  void writeFirst(const CallState &state, mlir::Value value, Size parity = {});

  /// The symbol of a state of any element type, which is declared on first use.
  /// Negative extents of `shape` are those of a context.
  mlir::FlatSymbolRefAttr declare(llvm::StringRef symbol, mlir::Type element,
                                  llvm::ArrayRef<int64_t> shape);
  mlir::Value readSymbol(mlir::FlatSymbolRefAttr symbol);
  void writeSymbol(mlir::FlatSymbolRefAttr symbol, mlir::Value value);

private:
  mlir::FlatSymbolRefAttr symbolOf(const CallState &state);
  /// The name of a negative extent of a state's shape.
  static llvm::StringRef nameOf(int64_t extent);
  bool isChosen(int64_t extent) const;
  Size sizeOf(int64_t extent) const;

  GraphBuilder &g;
  Entries &entries;
  ContextSizes most;
  bool hasExtents = false;
  Size chosen[5]; ///< the extents -1, -2, ..
  struct Declared {
    mlir::RankedTensorType type;
    llvm::SmallVector<int64_t> shape;
  };
  llvm::StringMap<Declared> declared;
};

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_CALLSTATES_H
