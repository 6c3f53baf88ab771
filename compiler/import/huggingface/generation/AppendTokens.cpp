// The ids, ends, scores and the table after one more token of each text.
#include "compiler/import/huggingface/generation/AppendTokens.h"

using namespace mlir;

namespace tenon::hf {

/// True for the texts that have not ended, i1 [texts].
static Value openTexts(const Step &step) {
  Value ends = step.states.readFirst(state::ends, step.call.texts, step.now);
  return step.g.compare(CompareDirection::EQ, ends, 0);
}

void writeProposal(const Step &step, const Proposal &found) {
  GraphBuilder &g = step.g;
  Value open = openTexts(step);
  step.checkScores(found.best, g.make<NotOp>(open));
  Value isOpen = g.take(open, step.textsOfRows(), 0);
  Value pad =
      g.broadcastTo(step.options.get(Option::PadTokenId), {step.call.rows});
  step.states.writeFirst(state::candidates,
                         g.select(isOpen, found.tokens, pad));
  // Pads after the end have no score.
  step.states.writeFirst(
      state::candidateScores,
      g.select(isOpen, found.logs, g.splatLike(found.logs, 0)));
  step.states.writeSize(state::proposed, g.add(step.call.step, g.index(1)));
}

void appendTokens(const Step &step, Value place) {
  GraphBuilder &g = step.g;
  CallStates &states = step.states;
  const CallSizes &call = step.call;
  Value row = step.rowsOfTexts(place);
  Value token = g.take(states.readFirst(state::candidates, call.rows), row, 0);
  Value before = states.readFirst(state::ends, call.texts, step.now);
  Value count = g.fromSize(g.add(call.step, g.index(1)), g.i64());
  Value after =
      g.select(openTexts(step),
               g.select(step.ends(token), g.broadcastTo(count, {call.texts}),
                        g.splatLike(before, 0)),
               before);
  states.writeFirst(state::ends, after, step.next);
  auto append = [&](const CallState &state, Value value) {
    Value former = states.readFirst(state, call.texts, step.now);
    states.writeFirst(
        state,
        step.withColumn(former, step.newColumn(), g.unsqueeze(value, {1})),
        step.next);
  };
  append(state::ids, token);
  step.ifScored([&] {
    append(state::tokenScores,
           g.take(states.readFirst(state::candidateScores, call.rows), row, 0));
  });
  step.writeTable(/*parents=*/Value(),
                  /*owners=*/g.take(row, step.textsOfRows(), 0));
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
