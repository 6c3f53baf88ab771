// Kept keys and values stay in the rows of the cache that have them: only the
// table says where they are.
#include "compiler/import/huggingface/generation/KeptColumns.h"

#include "compiler/import/huggingface/blocks/SizeIn.h"
#include "compiler/import/huggingface/generation/Conditional.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tenon::hf {

Value firstRows(GraphBuilder &g, const CallSizes &call, Size each) {
  return g.mul(g.iota(g.i64(), {call.batch}, 0), g.fromSize(each, g.i64()));
}

Value promptsOfRows(GraphBuilder &g, const CallSizes &call) {
  return g.div(g.iota(g.i64(), {call.rows}, 0),
               g.fromSize(call.copies, g.i64()));
}

KeptColumns::KeptColumns(GraphBuilder &g, CallStates &states)
    : g(g), states(states), oldStep(states.readSize(state::step)),
      oldStrategy(states.readSize(state::strategy)),
      oldCopies(states.readSize(state::copies)) {}

void KeptColumns::ask(Value keep, Size columns, Value promptPads) {
  pads = promptPads;
  count = sizeIn(g, keep);
  Size most = g.sub(columns, g.index(1));
  g.checkSize(count, g.index(0), most, "input \"keep\"");
  count = g.bound(g.clamp(count, g.index(0), most), columns);
}

Size KeptColumns::oldHalf() const {
  return g.rem(g.max(oldStep, g.index(0)), g.index(2));
}

/// Chooses by the strategy of the call before.
Size KeptColumns::ifContrastive(Size yes, Size no) const {
  return g.select(g.cmp(arith::CmpIPredicate::eq, oldStrategy,
                        g.index(int64_t(Strategy::Contrastive))),
                  yes, no);
}

void KeptColumns::check(const CallSizes &call, Value ids) const {
  Size some = g.cmp(arith::CmpIPredicate::sgt, count, g.index(0));
  onlyIf(g, some, [&] {
    auto check = [&](Size found, Size expected, const char *what) {
      g.checkSize(found, expected, expected,
                  std::string("input \"keep\": ") + what +
                      " of the call before");
    };
    g.checkSize(oldStep, g.index(0), g.index(INT64_MAX),
                "input \"keep\": a context with a call before");
    check(states.readSize(state::batch), call.batch, "the rows");
    check(oldCopies, call.copies, "the beams, sequences or candidates");
    check(g.select(call.isContrastive, ifContrastive(g.index(1), g.index(0)),
                   g.index(1)),
          g.index(1), "the hidden values");
    g.checkSize(count, g.index(0), states.readSize(state::cached),
                "input \"keep\": columns of the call before");
    auto differing = [&](Value a, Value b) {
      Value differs = g.compare(CompareDirection::NE, a, b);
      SmallVector<int64_t> dims =
          llvm::to_vector(llvm::seq<int64_t>(0, g.rankOf(differs)));
      return sizeIn(g, g.reduce(ReduceKind::Add, g.convert(differs, g.i64()),
                                dims, false));
    };
    Value firstTexts =
        firstRows(g, call, ifContrastive(g.index(1), call.copies));
    Value oldIds =
        g.sliceDim(g.take(states.readFirst(state::ids, call.rows, oldHalf()),
                          firstTexts, 0),
                   1, g.index(0), count);
    check(differing(oldIds, g.sliceDim(ids, 1, g.index(0), count)), g.index(0),
          "the first ids");
    // Rows must have the pads that they had.
    Value oldLengths = g.take(states.readFirst(state::lengths, call.rows),
                              firstRows(g, call, call.copies), 0);
    Value oldPads =
        g.sub(g.broadcastTo(g.fromSize(states.readSize(state::prompt), g.i64()),
                            {call.batch}),
              oldLengths);
    Value most = g.fromSize(count, g.i64());
    check(differing(g.minimum(oldPads, most), g.minimum(pads, most)),
          g.index(0), "the pads");
  });
}

Value KeptColumns::tokens() const {
  return g.maximum(g.sub(g.fromSize(count, g.i64()), pads), 0.0);
}

Value KeptColumns::table(const CallSizes &call) const {
  Sizes sizes = {call.batch, states.positions()};
  Value first = firstRows(g, call, call.copies);
  Value isKept = g.compare(CompareDirection::LT, g.iota(g.i64(), sizes, 1),
                           g.broadcastInDim(tokens(), {0}, sizes));
  Value old =
      g.take(states.readFirst(state::table, call.rows, oldHalf()), first, 0);
  return g.select(isKept, old, g.broadcastInDim(first, {0}, sizes));
}

} // namespace tenon::hf
