// Reads and writes only the scores of tokens that are there.
#include "compiler/import/huggingface/generation/RepeatedTokens.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon::hf {
namespace {

/// The first `columns` ids, for which memory is planned with all positions.
Value present(const Scores &scores, Size columns) {
  return scores.firstIds(scores.g.bound(columns, scores.g.size(scores.ids, 1)));
}

/// Scores of `tokens` times `penalty` below zero, and over it above. A token
/// that is there twice gets the same score twice.
Value penalized(Scores &scores, Value tokens, Value penalty) {
  GraphBuilder &g = scores.g;
  Value old = scores.at(tokens);
  Value changed = g.select(g.compare(CompareDirection::LT, old, 0.0),
                           g.mul(old, penalty), g.div(old, penalty));
  return scores.with(ScatterKind::Set, tokens, changed);
}

/// Removes every token that follows, within the first `end` ids of `source`,
/// `prefix` ids that are equal to the last ones of the sequence. There are more
/// than `prefix` ids before `end`.
Value withoutRepeated(Scores &scores, Value source, Size prefix, Size end) {
  GraphBuilder &g = scores.g;
  // Place i is that of an n-gram that begins at id i.
  Size places = g.bound(g.sub(end, prefix), g.size(source, 1));
  auto idsFrom = [&](Size first, Size count) {
    return g.sliceDim(source, 1, first, count);
  };
  Size rows = g.size(source, 0);
  Value all = g.splat(g.i1(), {rows, places}, 1);
  auto loop = scf::ForOp::create(g.ops, g.loc, g.indexValue(g.index(0)),
                                 g.indexValue(prefix), g.indexValue(g.index(1)),
                                 ValueRange(all));
  {
    OpBuilder::InsertionGuard guard(g.ops);
    g.ops.setInsertionPointToEnd(loop.getBody());
    Size at = loop.getInductionVar();
    Value matched = loop.getRegionIterArg(0);
    g.recordSizes(matched, {rows, places});
    Value last = g.sliceDim(
        scores.ids, 1, g.add(g.sub(scores.length, prefix), at), g.index(1));
    Value equal = g.compare(CompareDirection::EQ, idsFrom(at, places), last);
    scf::YieldOp::create(g.ops, g.loc, g.make<AndOp>(matched, equal));
  }
  Value matched = loop.getResult(0);
  g.recordSizes(matched, {rows, places});
  Value next = idsFrom(prefix, places);
  // Places without a match get a token that does not exist.
  Value banned = g.select(matched, next, g.splatLike(next, -1));
  return scores.with(ScatterKind::Set, banned,
                     g.splat(g.f32(), g.sizes(banned), removedScore));
}

/// `source` builds the ids.
void banNgramsWithin(Scores &scores, Option option,
                     llvm::function_ref<Value()> source, Size end) {
  GraphBuilder &g = scores.g;
  Size size = scores.integer(option), prefix = g.sub(size, g.index(1));
  Size fits = both(g, g.cmp(arith::CmpIPredicate::sle, size, end),
                   g.cmp(arith::CmpIPredicate::sle, prefix, scores.length));
  Size isOn = both(g, g.cmp(arith::CmpIPredicate::sgt, size, g.index(0)), fits);
  scores.changeIf(option, isOn, [&] {
    return withoutRepeated(scores, source(), prefix, end);
  });
}
} // namespace

void penalizeRepetition(Scores &scores) {
  GraphBuilder &g = scores.g;
  Option option = Option::RepetitionPenalty;
  scores.changeIf(option, isNot(g, scores.number(option), 1), [&] {
    return penalized(scores, present(scores, scores.length),
                     scores.options.get(option));
  });
}

void favourSource(Scores &scores) {
  if (!scores.source.exists)
    return;
  GraphBuilder &g = scores.g;
  Option option = Option::EncoderRepetitionPenalty;
  scores.changeIf(option, isNot(g, scores.number(option), 1), [&] {
    Value penalty = g.div(g.scalar(g.f32(), 1), scores.options.get(option));
    return penalized(scores,
                     scores.source.ids ? scores.source.ids()
                                       : present(scores, scores.prompt),
                     penalty);
  });
}

void banNgrams(Scores &scores) {
  banNgramsWithin(
      scores, Option::NoRepeatNgramSize, [&] { return scores.ids; },
      scores.length);
}

void banSourceNgrams(Scores &scores) {
  Option option = Option::EncoderNoRepeatNgramSize;
  if (!scores.source.exists)
    return;
  if (!scores.source.ids)
    return banNgramsWithin(
        scores, option, [&] { return scores.ids; }, scores.prompt);
  banNgramsWithin(scores, option, scores.source.ids, scores.source.columns);
}

} // namespace tenon::hf
