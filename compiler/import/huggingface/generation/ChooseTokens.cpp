// Greedy search takes the token with the highest score. Sampling adds noise to
// the scores first.
#include "compiler/import/huggingface/generation/ChooseTokens.h"

#include "compiler/import/huggingface/generation/AppendTokens.h"
#include "compiler/import/huggingface/generation/Conditional.h"
#include "compiler/import/huggingface/generation/Draws.h"
#include "compiler/import/huggingface/generation/Processors.h"
#include "compiler/import/huggingface/generation/Ranking.h"
#include "compiler/import/huggingface/generation/Warpers.h"

using namespace mlir;

namespace tenon::hf {
namespace {

/// Element `chosen`, i64 [rows], of each row.
Value elementOf(GraphBuilder &g, Value scores, Value chosen) {
  return g.squeeze(takeColumns(g, scores, g.unsqueeze(chosen, {1})), {1});
}

/// The chosen tokens, i64 [rows], their scores, and their log-probabilities if
/// `output_scores` is on.
class Choice {
public:
  Choice(const Step &step) : step(step), g(step.g) {}

  SmallVector<Value> sampled(const Sequences &at, Value scores) {
    return useWarped(
        g, step.options, at, scores, sizes(), [&](const Candidates &found) {
          Value left = renormalized(g, step.options, found.scores);
          Value noise = gumbelNoise(g, step.options.get(Option::Seed),
                                    step.call.step, found.columns);
          Value place = greatestColumn(g, g.add(left, noise));
          return told(left, place, elementOf(g, found.columns, place));
        });
  }

  SmallVector<Value> best(Value scores) {
    scores = renormalized(g, step.options, scores);
    Value token = greatestColumn(g, scores);
    return told(scores, token, token);
  }

  SmallVector<Sizes> sizes() const { return {{row()}, {row()}, {row()}}; }

private:
  Size row() const { return step.call.texts; }

  SmallVector<Value> told(Value scores, Value place, Value token) {
    Value log = choose(
        g, g.extractScalar(step.options.get(Option::OutputScores)), {row()},
        [&] { return elementOf(g, logSoftmax(g, scores), place); },
        [&] { return g.splat(g.f32(), {row()}, 0); });
    return {token, elementOf(g, scores, place), log};
  }

  const Step &step;
  GraphBuilder &g;
};
} // namespace

void chooseTokens(const Step &step, const Sequences &at, Value scores) {
  GraphBuilder &g = step.g;
  Choice choice(step);
  SmallVector<Value> found = chooseAll(
      g, step.samples(), choice.sizes(),
      [&] { return choice.sampled(at, scores); },
      [&] { return choice.best(scores); });
  step.checkScores(found[1], g.make<NotOp>(openTexts(step)));
  appendTokens(step, /*tokens=*/found[0], /*logs=*/found[2]);
}

} // namespace tenon::hf
