// A call of generation as `advance` and `result` find it in the states.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_CALL_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_CALL_H

#include "compiler/import/huggingface/generation/CallStates.h"
#include "compiler/import/huggingface/generation/Options.h"

namespace tenon::hf {

/// How a call finds its texts. Greedy search and sampling choose each token of
/// each text.
enum class Strategy : int64_t { Choose, Beams, Contrastive };

/// The sizes of a call. A prompt has `copies` rows of the model: its beams, the
/// sequences that are sampled for it, or the candidates of contrastive search.
/// Row r belongs to prompt r / copies. Each row writes a text of its own, but
/// for candidates, which are tried for the only text of their prompt.
struct CallSizes {
  Size batch, copies, rows; ///< rows: batch x copies
  Size each, texts;         ///< texts of each prompt, and of all
  Size prompt;              ///< columns of the prompts, pads included
  Size limit;               ///< the greatest number of columns
  Size step;                ///< steps so far
  mlir::Value isSearch, isContrastive; ///< i1: the Strategy is Beams, ..

  /// The rows of the model for each text: its candidates, else one.
  Size rowsOfText(GraphBuilder &g) const {
    return g.select(isContrastive, copies, g.index(1));
  }

  /// Reads the sizes. A fault says that there is no prompt.
  static CallSizes read(GraphBuilder &g, CallStates &states);
};

/// One step of a call. It reads the half `now` of stepped states and writes
/// the half `next`.
struct Step {
  GraphBuilder &g;
  CallStates &states;
  Options &options;
  CallSizes call;
  Size now, next;
  Size columns; ///< the ids of each row so far

  Step(GraphBuilder &g, CallStates &states, Options &options,
       const CallSizes &call);

  /// The input `allowed`, and an i1 that is true if this step obeys it.
  mlir::Value allowed, restricts;

  /// An i1: true if tokens are drawn.
  mlir::Value samples() const;
  /// `scores`, [texts, vocabulary], with -inf for tokens that `allowed` does
  /// not have.
  mlir::Value restricted(mlir::Value scores) const;
  /// The number of each row of the model, i64 [rows].
  mlir::Value rowNumbers() const;
  /// The row of the model that has candidate `place`, i64 [texts], of each
  /// text.
  mlir::Value rowsOfTexts(mlir::Value place) const;
  /// The text of each row of the model, i64 [rows].
  mlir::Value textsOfRows() const;
  /// The position of the token that this step chooses, in each row of the
  /// model, i64 [rows].
  mlir::Value newPositions() const;
  /// `x`, [rows, positions], with `value`, [rows, 1], in column `columns`,
  /// which is one number, or one for each row.
  mlir::Value withColumn(mlir::Value x, mlir::Value columns,
                         mlir::Value value) const;
  /// Writes the table of the next step: each row has the positions of row
  /// `parents` and the new one of row `owners`. Both are i64 [rows], or null
  /// for the row itself.
  void writeTable(mlir::Value parents, mlir::Value owners = {}) const;
  /// True where `ids`, i64, is one of the tokens that end a sequence.
  mlir::Value ends(mlir::Value ids) const;
  /// The column that this step fills, as an i64.
  mlir::Value newColumn() const;
  /// Runs `body` if `output_scores` is on.
  void ifScored(llvm::function_ref<void()> body) const;
  /// Ends the run unless each of `scores`, the best ones of rows, is greater
  /// than -inf. Elements that are true in `exempt`, i1 or null, do not count.
  void checkScores(mlir::Value scores, mlir::Value exempt) const;
  /// Writes whether there is another step.
  void writeGoing(mlir::Value going) const;
};

/// log_softmax of `x`, [rows, vocabulary], along the vocabulary.
mlir::Value logSoftmax(GraphBuilder &g, mlir::Value x);

/// The rows `parents`, i64, of `x`; `x` itself if `parents` is null.
mlir::Value rowsOf(GraphBuilder &g, mlir::Value x, mlir::Value parents);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_CALL_H
