// A word of n tokens matches if the last n - 1 ids are its first tokens and
// there are at least n ids, as in the library.
#include "compiler/import/huggingface/generation/Words.h"

using namespace mlir;

namespace tenon::hf {
namespace {

constexpr int64_t mostBefore = maxWordTokens - 1;

/// The last ids of each row, i64 [rows, mostBefore]. A word that reaches to the
/// first id has too many tokens, so that id and all before it are -2, which no
/// word has.
Value lastIds(Scores &scores) {
  GraphBuilder &g = scores.g;
  Value first = g.fromSize(g.sub(scores.length, g.index(mostBefore)), g.i64());
  Value place = g.add(g.iota(g.i64(), g.index(mostBefore), 0), first);
  Value ids = g.take(scores.ids, g.maximum(place, 0.0), 1);
  return g.select(g.compare(CompareDirection::GE, place, 1), ids,
                  g.splatLike(ids, -2));
}

/// True for the words whose first tokens are the last ids: i1 [rows, words].
Value matches(Scores &scores, Value words) {
  GraphBuilder &g = scores.g;
  Value before =
      g.unsqueeze(g.sliceDim(words, 1, g.index(0), g.index(mostBefore)), {0});
  Value last = g.unsqueeze(lastIds(scores), {1});
  Value agree = g.binary<OrOp>(g.compare(CompareDirection::LT, before, 0.0),
                               g.compare(CompareDirection::EQ, before, last));
  return g.reduce(ReduceKind::And, agree, {2}, /*keepDims=*/false);
}

/// Adds `biases`, f32 [words], to the last tokens of the words that match.
Value biased(Scores &scores, Value words, Value biases) {
  GraphBuilder &g = scores.g;
  Value matched = matches(scores, words);
  Sizes sizes = g.sizes(matched);
  Value last =
      g.squeeze(g.sliceDim(words, 1, g.index(mostBefore), g.index(1)), {1});
  // A word that does not match gets a token that does not exist.
  Value tokens = g.select(matched, g.broadcastTo(last, sizes),
                          g.splat(g.i64(), sizes, -1));
  return scores.with(ScatterKind::Add, tokens, g.broadcastTo(biases, sizes));
}

Size hasWords(Scores &scores, Option option) {
  return scores.g.cmp(arith::CmpIPredicate::sgt, scores.count(option),
                      scores.g.index(0));
}
} // namespace

void addSequenceBias(Scores &scores) {
  Option option = Option::SequenceBiasIds;
  scores.changeIf(option, hasWords(scores, option), [&] {
    Words words = scores.options.words(option);
    return biased(scores, words.tokens, words.biases);
  });
}

void banWords(Scores &scores) {
  GraphBuilder &g = scores.g;
  Option option = Option::BadWordsIds;
  scores.changeIf(option, hasWords(scores, option), [&] {
    Words words = scores.options.words(option);
    Value removed = g.splat(g.f32(), {g.size(words.tokens, 0)}, removedScore);
    return biased(scores, words.tokens, removed);
  });
}

} // namespace tenon::hf
