// Greedy search takes the token with the highest score. Sampling adds noise to
// the scores first.
#include "compiler/import/huggingface/generation/ChooseTokens.h"

#include "compiler/import/huggingface/generation/Conditional.h"
#include "compiler/import/huggingface/generation/Draws.h"
#include "compiler/import/huggingface/generation/Ranking.h"

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
} // namespace

void chooseTokens(const Step &step, Value scores) {
  GraphBuilder &g = step.g;
  CallStates &states = step.states;
  const CallSizes &call = step.call;
  Value chosen = choose(
      g, step.samples(), {call.rows},
      [&] {
        Value noise = gumbelNoise(g, step.options.get(Option::Seed), call.step,
                                  call.rows, g.size(scores, 1));
        return greatest(g, g.add(scores, noise));
      },
      [&] { return greatest(g, scores); });

  Value before = states.readFirst(state::ends, call.rows, step.now);
  Value open = g.compare(CompareDirection::EQ, before, 0);
  step.checkScores(elementOf(g, scores, chosen), g.make<NotOp>(open));
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
    Value score = elementOf(g, logSoftmax(g, scores), chosen);
    // Pads after the end have no score.
    score = g.unsqueeze(g.select(open, score, g.splatLike(score, 0)), {1});
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
