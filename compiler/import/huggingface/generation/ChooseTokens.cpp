// Greedy search takes the token with the highest score. Sampling adds noise to
// the scores first.
#include "compiler/import/huggingface/generation/ChooseTokens.h"

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
          return told(left, place, elementOf(g, found.columns, place),
                      cooled(left));
        });
  }

  SmallVector<Value> best(Value scores) {
    scores = renormalized(g, step.options, scores);
    Value token = greatestColumn(g, scores);
    return told(scores, token, token, scores);
  }

  SmallVector<Sizes> sizes() const { return {{row()}, {row()}, {row()}}; }

private:
  Size row() const { return step.call.texts; }

  /// The scores as they were before the temperature, if a text of speech is
  /// judged by their log-probabilities.
  Value cooled(Value scores) {
    if (!step.options.speech())
      return scores;
    Value heat = step.options.get(Option::Temperature);
    return g.mul(scores, g.broadcastTo(heat, g.sizes(scores)));
  }

  SmallVector<Value> told(Value scores, Value place, Value token,
                          Value judged) {
    Value log = choose(
        g, g.extractScalar(step.options.get(Option::OutputScores)), {row()},
        [&] { return elementOf(g, logSoftmax(g, judged), place); },
        [&] { return g.splat(g.f32(), {row()}, 0); });
    return {token, elementOf(g, scores, place), log};
  }

  const Step &step;
  GraphBuilder &g;
};
} // namespace

Proposal chooseTokens(const Step &step, const Sequences &at, Value scores) {
  GraphBuilder &g = step.g;
  Choice choice(step);
  SmallVector<Value> found = chooseAll(
      g, step.samples(), choice.sizes(),
      [&] { return choice.sampled(at, scores); },
      [&] { return choice.best(scores); });
  return {found[0], found[2], found[1]};
}

} // namespace tenon::hf
