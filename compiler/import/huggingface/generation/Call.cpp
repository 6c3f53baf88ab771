// The sizes of a call, and the parts that all kinds of steps share.
#include "compiler/import/huggingface/generation/Call.h"

#include "compiler/import/huggingface/blocks/SizeIn.h"
#include "compiler/import/huggingface/generation/Conditional.h"

#include <limits>

using namespace mlir;

namespace tenon::hf {

CallSizes CallSizes::read(GraphBuilder &g, CallStates &states) {
  CallSizes call;
  Size found = states.readSize(state::step);
  // A new context has zeros.
  for (auto [size, least] :
       {std::pair(found, 0), std::pair(states.readSize(state::batch), 1)})
    g.checkSize(size, g.index(least), g.index(INT64_MAX),
                "the context has no prompt: call \"start\" first");
  call.step = g.max(found, g.index(0));
  // States cannot be damaged, but memory is planned before they are read.
  auto bounded = [&](const CallState &state, Size most) {
    return g.bound(g.clamp(states.readSize(state), g.index(0), most), most);
  };
  call.batch = bounded(state::batch, states.rows());
  call.copies = bounded(state::copies, states.rows());
  call.rows = g.bound(g.min(g.mul(call.batch, call.copies), states.rows()),
                      states.rows());
  Size strategy = states.readSize(state::strategy);
  auto is = [&](Strategy wanted) {
    return cast<Value>(
        g.cmp(arith::CmpIPredicate::eq, strategy, g.index(int64_t(wanted))));
  };
  call.isSearch = is(Strategy::Beams);
  call.isContrastive = is(Strategy::Contrastive);
  call.each = g.bound(g.select(call.isContrastive, g.index(1), call.copies),
                      states.rows());
  call.texts = g.bound(g.select(call.isContrastive, call.batch, call.rows),
                       states.rows());
  call.prompt = bounded(state::prompt, states.positions());
  call.limit = bounded(state::limit, states.positions());
  return call;
}

Step::Step(GraphBuilder &g, CallStates &states, Options &options,
           const CallSizes &call)
    : g(g), states(states), options(options), call(call),
      now(g.rem(call.step, g.index(2))), next(g.sub(g.index(1), now)),
      columns(g.bound(g.min(g.add(call.prompt, call.step), states.positions()),
                      states.positions())) {}

Value Step::samples() const {
  return g.extractScalar(options.get(Option::DoSample));
}

Value Step::restricted(Value scores) const {
  return choose(
      g, restricts, g.sizes(scores),
      [&] {
        // A row of the masks is for one text, or for all texts of a prompt.
        Size masks = g.max(g.size(allowed, 0), g.index(1));
        g.checkSize(g.rem(call.texts, masks), g.index(0), g.index(0),
                    "input \"allowed\": rows that fit those of the prompts");
        Size each = g.max(g.floorDiv(call.texts, masks), g.index(1));
        Value text = g.iota(g.i64(), {call.texts}, 0);
        Value mask = g.take(allowed, g.div(text, g.fromSize(each, g.i64())), 0);
        double none = -std::numeric_limits<double>::infinity();
        return g.select(mask, scores, g.splatLike(scores, none));
      },
      [&] { return scores; });
}

Value Step::rowNumbers() const { return g.iota(g.i64(), {call.rows}, 0); }

Value Step::rowsOfTexts(Value place) const {
  return g.add(g.mul(g.iota(g.i64(), {call.texts}, 0),
                     g.fromSize(call.rowsOfText(g), g.i64())),
               place);
}

Value Step::textsOfRows() const {
  return g.div(rowNumbers(), g.fromSize(call.rowsOfText(g), g.i64()));
}

Value Step::withColumn(Value x, Value columns, Value value) const {
  Sizes sizes = g.sizes(x);
  Value here = g.compare(CompareDirection::EQ, g.iota(g.i64(), sizes, 1),
                         g.broadcastTo(columns, sizes));
  return g.select(here, g.broadcastTo(value, sizes), x);
}

Value Step::newPositions() const {
  // After the row's prompt and the tokens of the steps before.
  return g.add(states.readFirst(state::lengths, call.rows),
               g.fromSize(call.step, g.i64()));
}

void Step::writeTable(Value parents, Value owners) const {
  Value table =
      rowsOf(g, states.readFirst(state::table, call.rows, now), parents);
  states.writeFirst(
      state::table,
      withColumn(table, g.unsqueeze(newPositions(), {1}),
                 g.unsqueeze(owners ? owners : rowNumbers(), {1})),
      next);
}

Value Step::ends(Value ids) const {
  return g.take(options.mask(Option::EosTokenId), ids, 0);
}

Value Step::newColumn() const { return g.fromSize(columns, g.i64()); }

void Step::ifScored(llvm::function_ref<void()> body) const {
  onlyIf(g, g.extractScalar(options.get(Option::OutputScores)), body);
}

void Step::checkScores(Value scores, Value exempt) const {
  // NaN is not greater either.
  Value fine = g.compare(CompareDirection::GT, scores,
                         -std::numeric_limits<double>::infinity());
  if (exempt)
    fine = g.make<OrOp>(fine, exempt);
  Size rows = g.size(scores, 0);
  Value count = g.reduce(ReduceKind::Add, g.convert(fine, g.i64()), {0}, false);
  g.checkSize(
      sizeIn(g, count), rows, rows,
      "rows that have a token to choose (if not, scores are NaN or options "
      "ban every token)");
}

void Step::writeGoing(Value going) const {
  states.writeFirst(state::going, g.convert(going, g.i64()), next);
}

Value logSoftmax(GraphBuilder &g, Value x) {
  Sizes sizes = g.sizes(x);
  Value result =
      LogSoftmaxOp::create(g.ops, g.loc, x.getType(), x, uint64_t(1));
  g.recordSizes(result, sizes);
  return result;
}

Value rowsOf(GraphBuilder &g, Value x, Value parents) {
  return parents ? g.take(x, parents, 0) : x;
}

} // namespace tenon::hf
