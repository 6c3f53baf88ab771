// Contrastive search: each step computes the best tokens one step ahead, and
// takes the one that is likely and whose hidden value, which the head reads, is
// like none of its text so far. The candidates of a text are rows of the model
// that share its cache.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_CONTRASTIVESEARCH_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_CONTRASTIVESEARCH_H

#include "compiler/import/huggingface/generation/Call.h"

namespace tenon::hf {

/// Keeps the directions of `hidden`, [n, tokens, width], which are those of
/// texts `texts`, i64 [n], at `positions`, i64 [n, tokens].
void writeHidden(CallStates &states, GraphBuilder &g, mlir::Value hidden,
                 mlir::Value texts, mlir::Value positions);

/// The two halves of a step. A run that is cancelled between them goes on with
/// the second one.
class ContrastiveSearch {
public:
  explicit ContrastiveSearch(const Step &step);

  /// An i1: true if the candidates of this step are in the states.
  mlir::Value hasCandidates() const;
  /// The logits after each text among those of all candidates of the step
  /// before, `logits`, [rows, vocabulary].
  mlir::Value logitsOfTexts(mlir::Value logits) const;
  /// Makes the best tokens candidates, by `scores`, [texts, vocabulary], after
  /// all processors.
  void propose(mlir::Value scores) const;
  /// The candidates, i64 [rows].
  mlir::Value tokens() const;
  /// Takes the step, by the candidates' hidden values, [rows, 1, width].
  void choose(mlir::Value hidden) const;

private:
  mlir::Value similarity(mlir::Value hidden) const;
  mlir::Value read(const CallState &state) const;
  mlir::Value wide(mlir::Value x) const;
  mlir::Value textOfRow() const;

  const Step &step;
  GraphBuilder &g;
  CallStates &states;
  const CallSizes &call;
};

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_CONTRASTIVESEARCH_H
