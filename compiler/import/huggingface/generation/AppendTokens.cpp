// The ids, ends, scores and the table after one more token of each text.
#include "compiler/import/huggingface/generation/AppendTokens.h"

using namespace mlir;

namespace tenon::hf {

Value openTexts(const Step &step) {
  Value ends = step.states.readFirst(state::ends, step.call.texts, step.now);
  return step.g.compare(CompareDirection::EQ, ends, 0);
}

void appendTokens(const Step &step, Value tokens, Value logs, Value owners) {
  GraphBuilder &g = step.g;
  CallStates &states = step.states;
  const CallSizes &call = step.call;
  Value before = states.readFirst(state::ends, call.texts, step.now);
  Value open = openTexts(step);
  Value pad = g.broadcastTo(step.options.get(Option::PadTokenId), {call.texts});
  Value token = g.select(open, tokens, pad);
  Value count = g.fromSize(g.add(call.step, g.index(1)), g.i64());
  Value after =
      g.select(open,
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
    // Pads after the end have no score.
    append(state::tokenScores, g.select(open, logs, g.splatLike(logs, 0)));
  });
  step.writeTable(/*parents=*/Value(), owners);
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
