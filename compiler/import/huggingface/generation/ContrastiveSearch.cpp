// As in the last library of Transformers that had it, but that a token which
// options have removed is never taken.
#include "compiler/import/huggingface/generation/ContrastiveSearch.h"

#include "compiler/import/huggingface/generation/AppendTokens.h"
#include "compiler/import/huggingface/generation/Ranking.h"
#include "compiler/import/huggingface/generation/Scores.h"

using namespace mlir;

namespace tenon::hf {
namespace {

/// `x`, [.., width], divided by its lengths. Zeros stay zeros.
Value directions(GraphBuilder &g, Value x) {
  Value squares =
      g.reduce(ReduceKind::Add, g.mul(x, x), {g.rankOf(x) - 1}, true);
  Value length = g.make<SqrtOp>(g.maximum(squares, leastPositive));
  return g.div(x, length);
}

FlatSymbolRefAttr hiddenState(CallStates &states, GraphBuilder &g, Value like) {
  return states.declare("call.hidden", g.f32(),
                        {CallState::contrastPrompts, CallState::positions,
                         GraphBuilder::shapeOf(like).back()});
}

void writeDirections(CallStates &states, GraphBuilder &g, Value directions,
                     Value texts, Value positions) {
  FlatSymbolRefAttr state = hiddenState(states, g, directions);
  Sizes place = g.sizes(positions);
  place.push_back(g.index(1));
  Value index = g.concat(
      {g.broadcastInDim(texts, {0}, place), g.unsqueeze(positions, {2})}, 2);
  Value whole = states.readSymbol(state);
  states.writeSymbol(state,
                     g.make<ScatterOp>(whole.getType(), ScatterKind::Set, whole,
                                       index, directions, ArrayRef<int64_t>{2},
                                       ArrayRef<int64_t>{0, 1},
                                       ArrayRef<int64_t>{}, ArrayRef<int64_t>{},
                                       ArrayRef<int64_t>{0, 1}, uint64_t(2)));
}
} // namespace

void writeHidden(CallStates &states, GraphBuilder &g, Value hidden, Value texts,
                 Value positions) {
  writeDirections(states, g, directions(g, hidden), texts, positions);
}

ContrastiveSearch::ContrastiveSearch(const Step &step)
    : step(step), g(step.g), states(step.states), call(step.call) {}

/// The state `state` of each row of the model.
Value ContrastiveSearch::read(const CallState &state) const {
  return states.readFirst(state, call.rows);
}

/// [rows] as [texts, candidates].
Value ContrastiveSearch::wide(Value x) const {
  return g.reshape(x, {call.texts, call.copies});
}

/// The text of each row of the model, [rows].
Value ContrastiveSearch::textOfRow() const {
  return g.div(step.rowNumbers(), g.fromSize(call.copies, g.i64()));
}

Value ContrastiveSearch::hasCandidates() const {
  return cast<Value>(g.cmp(arith::CmpIPredicate::eq,
                           states.readSize(state::proposed),
                           g.add(call.step, g.index(1))));
}

Value ContrastiveSearch::tokens() const { return read(state::candidates); }

Value ContrastiveSearch::logitsOfTexts(Value logits) const {
  // The row that has the last position of a text has computed its logits too.
  Value first =
      g.mul(g.iota(g.i64(), {call.texts}, 0), g.fromSize(call.copies, g.i64()));
  Value last = g.sub(g.take(step.newPositions(), first, 0), 1.0);
  Value table =
      g.take(states.readFirst(state::table, call.rows, step.now), first, 0);
  Value row = g.squeeze(takeColumns(g, table, g.unsqueeze(last, {1})), {1});
  return g.take(logits, row, 0);
}

void ContrastiveSearch::propose(Value scores) const {
  Ranking best = Ranking::of(g, scores, call.copies, Order::Descending);
  Value open = openTexts(step);
  step.checkScores(g.squeeze(best.at(g, g.index(0)).elements, {1}),
                   g.make<NotOp>(open));
  // After its end a text has pads, and so has the cache.
  Sizes sizes = {call.texts, call.copies};
  Value isOpen = g.broadcastInDim(open, {0}, sizes);
  Value pads = g.broadcastTo(step.options.get(Option::PadTokenId), sizes);
  Value tokens = g.select(isOpen, best.columns, pads);
  Value logs = takeColumns(g, logSoftmax(g, scores), best.columns);
  auto write = [&](const CallState &state, Value x) {
    states.writeFirst(state, g.reshape(x, {call.rows}));
  };
  write(state::candidates, tokens);
  write(state::candidateScores, g.select(isOpen, logs, g.splatLike(logs, 0)));
  states.writeSize(state::proposed, g.add(call.step, g.index(1)));
}

/// The greatest cosine of each of `directions`, [rows, width], with one of its
/// text: [texts, candidates].
Value ContrastiveSearch::similarity(Value directions) const {
  // Memory is planned with the context's prompts: most contexts have none.
  Size most = states.contrastPrompts();
  Size prompts = g.bound(g.min(call.texts, most), most);
  Size columns = step.columns, width = g.size(directions, 1);
  Value context = g.sliceDim(
      g.sliceDim(states.readSymbol(hiddenState(states, g, directions)), 0,
                 g.index(0), prompts),
      1, g.index(0), columns);
  Value mine = g.reshape(directions, {prompts, call.copies, width});
  Value cosines = g.dotGeneral(mine, context, {0}, {0}, {2}, {2});
  Value length = g.reshape(step.newPositions(), {prompts, call.copies});
  Sizes sizes = g.sizes(cosines);
  Value isThere = g.compare(CompareDirection::LT, g.iota(g.i64(), sizes, 2),
                            g.broadcastInDim(length, {0, 1}, sizes));
  Value greatest =
      g.reduce(ReduceKind::Maximum,
               g.select(isThere, cosines, g.splatLike(cosines, removedScore)),
               {2}, false);
  return g.reshape(greatest, {call.texts, call.copies});
}

void ContrastiveSearch::choose(Value hidden) const {
  Value mine = directions(g, g.squeeze(hidden, {1}));
  Value logs = wide(read(state::candidateScores));
  Value alpha = g.broadcastTo(step.options.get(Option::PenaltyAlpha),
                              {call.texts, call.copies});
  Value likely =
      g.mul(g.sub(g.splatLike(alpha, 1), alpha), g.make<ExpOp>(logs));
  Value value = g.sub(likely, g.mul(alpha, similarity(mine)));
  Value isThere = g.compare(CompareDirection::GT, logs, removedScore);
  Value place = greatestColumn(
      g, g.select(isThere, value, g.splatLike(value, removedScore)));
  // The row of the model that has tried the chosen token.
  Value row = g.add(
      g.mul(g.iota(g.i64(), {call.texts}, 0), g.fromSize(call.copies, g.i64())),
      place);
  Value position = g.take(step.newPositions(), row, 0);
  writeDirections(states, g, g.unsqueeze(g.take(mine, row, 0), {1}),
                  g.iota(g.i64(), {call.texts}, 0), g.unsqueeze(position, {1}));
  appendTokens(step, g.take(tokens(), row, 0),
               g.take(read(state::candidateScores), row, 0),
               /*owners=*/g.take(row, textOfRow(), 0));
}

} // namespace tenon::hf
