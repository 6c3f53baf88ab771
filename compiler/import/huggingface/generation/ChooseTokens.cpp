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

/// The place of each row's maximum; the first of equal ones.
Value greatest(GraphBuilder &g, Value scores) {
  Sizes sizes = g.sizes(scores);
  auto type =
      RankedTensorType::get({GraphBuilder::shapeOf(scores)[0]}, g.i64());
  Value place = ArgReduceOp::create(g.ops, g.loc, type, ReduceKind::Maximum,
                                    scores, uint64_t(1), false);
  g.recordSizes(place, {sizes[0]});
  return place;
}

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
          Value place = greatest(g, g.add(left, noise));
          return told(left, place, elementOf(g, found.columns, place),
                      cooled(left));
        });
  }

  SmallVector<Value> best(Value scores) {
    scores = renormalized(g, step.options, scores);
    Value token = greatest(g, scores);
    return told(scores, token, token, scores);
  }

  SmallVector<Sizes> sizes() const { return {{row()}, {row()}, {row()}}; }

private:
  Size row() const { return step.call.rows; }

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

void chooseTokens(const Step &step, const Sequences &at, Value scores) {
  GraphBuilder &g = step.g;
  CallStates &states = step.states;
  const CallSizes &call = step.call;
  Choice choice(step);
  SmallVector<Value> found = chooseAll(
      g, step.samples(), choice.sizes(),
      [&] { return choice.sampled(at, scores); },
      [&] { return choice.best(scores); });
  Value chosen = found[0], chosenScore = found[1], log = found[2];

  Value before = states.readFirst(state::ends, call.rows, step.now);
  Value open = g.compare(CompareDirection::EQ, before, 0);
  step.checkScores(chosenScore, g.make<NotOp>(open));
  Value pad = g.broadcastTo(step.options.get(Option::PadTokenId), {call.rows});
  Value token = g.select(open, chosen, pad);
  Value count = g.fromSize(g.add(call.step, g.index(1)), g.i64());
  Value after =
      g.select(open,
               g.select(step.ends(token), g.broadcastTo(count, {call.rows}),
                        g.splatLike(before, 0)),
               before);
  states.writeFirst(state::ends, after, step.next);
  Value ids = states.readFirst(state::ids, call.rows, step.now);
  states.writeFirst(
      state::ids,
      step.withColumn(ids, step.newColumn(), g.unsqueeze(token, {1})),
      step.next);
  step.ifScored([&] {
    // Pads after the end have no score.
    Value score = g.unsqueeze(g.select(open, log, g.splatLike(log, 0)), {1});
    Value former = states.readFirst(state::tokenScores, call.rows, step.now);
    states.writeFirst(state::tokenScores,
                      step.withColumn(former, step.newColumn(), score),
                      step.next);
  });
  step.writeTable(/*parents=*/Value());
  Value stillOpen =
      g.compare(CompareDirection::EQ,
                g.reduce(ReduceKind::Minimum, after, {0}, false), 0);
  Value hasRoom =
      g.compare(CompareDirection::LT,
                g.fromSize(g.add(step.columns, g.index(1)), g.i64()),
                g.fromSize(call.limit, g.i64()));
  step.writeGoing(g.make<AndOp>(stillOpen, hasRoom));
}

} // namespace tenon::hf
