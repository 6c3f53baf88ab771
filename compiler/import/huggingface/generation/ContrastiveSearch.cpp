// As in the last library of Transformers that had it, but that a token which
// options have removed is never taken.
#include "compiler/import/huggingface/generation/ContrastiveSearch.h"

#include "compiler/import/huggingface/generation/Ranking.h"
#include "compiler/import/huggingface/generation/Scores.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tenon::hf {
namespace {

/// `x`, [.., width], divided by its lengths. Zeros stay zeros.
Value directions(GraphBuilder &g, Value x) {
  int64_t last = g.rankOf(x) - 1;
  Value squares = g.reduce(ReduceKind::Add, g.mul(x, x), {last}, false);
  // One factor per row, broadcast as it is: a row kernel computes all of it.
  Value factor = g.broadcastInDim(
      g.make<RsqrtOp>(g.maximum(squares, leastPositive)),
      llvm::to_vector(llvm::seq<int64_t>(0, last)), g.sizes(x));
  return g.mul(x, factor);
}

FlatSymbolRefAttr hiddenState(CallStates &states, GraphBuilder &g, Value like) {
  return states.declare("call.hidden", g.f32(),
                        {CallState::contrastPrompts, CallState::positions,
                         GraphBuilder::shapeOf(like).back()});
}

void writeDirections(CallStates &states, GraphBuilder &g, Value directions,
                     Size column) {
  FlatSymbolRefAttr state = hiddenState(states, g, directions);
  states.writeSymbol(state,
                     g.dynamicUpdateSlice(states.readSymbol(state), directions,
                                          {g.index(0), column, g.index(0)}));
}
} // namespace

void writeHidden(CallStates &states, GraphBuilder &g, Value hidden,
                 Size column) {
  writeDirections(states, g, directions(g, hidden), column);
}

ContrastiveSearch::ContrastiveSearch(const Step &step)
    : step(step), g(step.g), states(step.states), call(step.call) {}

/// [rows, ...] as [texts, candidates, ...].
Value ContrastiveSearch::wide(Value x) const {
  Sizes sizes = g.sizes(x), made = {call.texts, call.copies};
  made.append(sizes.begin() + 1, sizes.end());
  return g.reshape(x, made);
}

Value ContrastiveSearch::hasCandidates() const {
  auto isReady = cast<Value>(g.cmp(arith::CmpIPredicate::eq,
                                   states.readSize(state::proposed),
                                   g.add(call.step, g.index(1))));
  return arith::AndIOp::create(g.ops, g.loc, call.isContrastive, isReady);
}

Proposal ContrastiveSearch::propose(Value scores) const {
  Ranking best = Ranking::of(g, scores, call.copies, Order::Descending);
  Value logs = takeColumns(g, logSoftmax(g, scores), best.columns);
  return {g.reshape(best.columns, {call.rows}), g.reshape(logs, {call.rows}),
          g.squeeze(best.at(g, g.index(0)).elements, {1})};
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
  Sizes pairs = {prompts, call.copies, columns, width},
        sizes = {prompts, call.copies, columns};
  Value cosines = g.reduce(ReduceKind::Add,
                           g.mul(g.broadcastInDim(mine, {0, 1, 3}, pairs),
                                 g.broadcastInDim(context, {0, 2, 3}, pairs)),
                           {3}, false);
  // Columns of pads have nothing.
  Value pads = g.sub(g.fromSize(call.prompt, g.i64()),
                     states.readFirst(state::lengths, call.rows));
  Value isThere = g.compare(
      CompareDirection::GE,
      g.broadcastInDim(g.iota(g.i64(), {columns}, 0), {2}, sizes),
      g.broadcastInDim(g.reshape(pads, {prompts, call.copies}), {0, 1}, sizes));
  Value greatest =
      g.reduce(ReduceKind::Maximum,
               g.select(isThere, cosines, g.splatLike(cosines, removedScore)),
               {2}, false);
  return g.reshape(greatest, {call.texts, call.copies});
}

Value ContrastiveSearch::choose(Value hidden, FlatSymbolRefAttr logits) const {
  Value mine = directions(g, hidden);
  Value logs = wide(states.readFirst(state::candidateScores, call.rows));
  Value alpha = g.broadcastTo(step.options.get(Option::PenaltyAlpha),
                              {call.texts, call.copies});
  Value likely =
      g.mul(g.sub(g.splatLike(alpha, 1), alpha), g.make<ExpOp>(logs));
  Value value = g.sub(likely, g.mul(alpha, similarity(mine)));
  Value isThere = g.compare(CompareDirection::GT, logs, removedScore);
  Value place = greatestColumn(
      g, g.select(isThere, value, g.splatLike(value, removedScore)));
  Value row = step.rowsOfTexts(place);
  writeDirections(states, g, g.unsqueeze(g.take(mine, row, 0), {1}),
                  step.columns);
  Value all = states.readSymbol(logits);
  states.writeSymbol(logits, g.dynamicUpdateSlice(all, g.take(all, row, 0),
                                                  {g.index(0), g.index(0)}));
  return place;
}

} // namespace tenon::hf
