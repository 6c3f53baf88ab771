// Contrastive search: each step computes the best tokens one step ahead, and
// takes the one that is likely and whose hidden value, which the head reads, is
// like none of its text so far. The candidates of a text are rows of the model
// that share its cache.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_CONTRASTIVESEARCH_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_CONTRASTIVESEARCH_H

#include "compiler/import/huggingface/generation/AppendTokens.h"

namespace tenon::hf {

/// Keeps the directions of `hidden`, [texts, tokens, width], for the columns
/// from `column` on.
void writeHidden(CallStates &states, GraphBuilder &g, mlir::Value hidden,
                 Size column);

/// The two halves of a step. A run that is cancelled between them goes on with
/// the second one.
class ContrastiveSearch {
public:
  explicit ContrastiveSearch(const Step &step);

  /// An i1: true if the candidates of this step are in the states.
  mlir::Value hasCandidates() const;
  /// The best tokens by `scores`, [texts, vocabulary], after all processors.
  Proposal propose(mlir::Value scores) const;
  /// Chooses by the candidates' hidden values, [rows, width], and keeps those
  /// of the chosen ones. Moves their rows of the state `logits`, [rows,
  /// vocabulary], to the front. Returns their places, i64 [texts].
  mlir::Value choose(mlir::Value hidden, mlir::FlatSymbolRefAttr logits) const;

private:
  mlir::Value similarity(mlir::Value hidden) const;
  mlir::Value wide(mlir::Value x) const;

  const Step &step;
  GraphBuilder &g;
  CallStates &states;
  const CallSizes &call;
};

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_CONTRASTIVESEARCH_H
