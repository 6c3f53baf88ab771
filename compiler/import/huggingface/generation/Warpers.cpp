// Each warper removes scores by their probabilities or places in order. No more
// scores are put in order than needed: after top_k few are left.
#include "compiler/import/huggingface/generation/Warpers.h"

#include "compiler/import/huggingface/generation/Ranking.h"
#include "compiler/import/huggingface/generation/Scores.h"

using namespace mlir;

namespace tenon::hf {
namespace {

using enum arith::CmpIPredicate;

class Warper {
public:
  Warper(GraphBuilder &g, Options &options, const Sequences &at, Value value)
      : g(g), scores(g, options, at, value), columns(g.size(value, 1)) {
    // In beam search, one token more than can end the sequence is kept.
    Size ends = g.max(scores.count(Option::EosTokenId), g.index(1));
    least = g.min(g.select(g.cmp(sgt, scores.beams, g.index(1)),
                           g.add(ends, g.index(1)), g.index(1)),
                  columns);
  }

  Value run() {
    heat();
    keepTopK();
    keepTopP();
    cutByBest();
    keepTypical();
    cutByNumber();
    cutByEntropy();
    return scores.value;
  }

private:
  void heat() {
    Option option = Option::Temperature;
    scores.changeIf(option, isNot(g, scores.number(option), 1), [&] {
      return g.div(scores.value, scores.options.get(option));
    });
  }

  void keepTopK() {
    Size wanted = scores.integer(Option::TopK);
    Size count = g.max(wanted, least);
    Size isOn =
        both(g, g.cmp(sgt, wanted, g.index(0)), g.cmp(slt, count, columns));
    scores.changeIf(Option::TopK, isOn, [&] {
      Ranking last = best(count);
      return scores.without(
          g.compare(CompareDirection::LT, scores.value, last.elements));
    });
  }

  void keepTopP() {
    Option option = Option::TopP;
    scores.changeIf(option, isBelow(g, scores.number(option), 1), [&] {
      Value p = probabilities(scores.value);
      Ranking sorted = rankingUpTo(option, scores.value, p, Order::Descending);
      Value before = cumulative(takeColumns(g, p, sorted.columns),
                                /*exclusive=*/true);
      Value isKept =
          g.compare(CompareDirection::LT, before, probability(option, before));
      Value count = g.maximum(countTrue(isKept), asInteger(least));
      Ranking last = sorted.at(g, g.sub(count, 1.0));
      return scores.without(last.isBefore(g, scores.value));
    });
  }

  /// min_p.
  void cutByBest() {
    Option option = Option::MinP;
    scores.changeIf(option, isAbove(g, scores.number(option), 0), [&] {
      Value p = probabilities(scores.value);
      Value bound = g.mul(g.reduce(ReduceKind::Maximum, p, {1}, true),
                          scores.options.get(option));
      Value isSmall = g.compare(CompareDirection::LT, p, bound);
      return scores.without(
          g.make<AndOp>(isSmall, best(least).isBefore(g, scores.value)));
    });
  }

  void keepTypical() {
    Option option = Option::TypicalP;
    scores.changeIf(option, isBelow(g, scores.number(option), 1), [&] {
      Value logs = g.make<LogSoftmaxOp>(scores.value, uint64_t(1));
      Value p = g.make<ExpOp>(logs);
      Value distance =
          g.make<AbsOp>(g.sub(g.make<NegateOp>(logs), entropy(p, logs)));
      Ranking sorted = rankingUpTo(option, distance, p, Order::Ascending);
      Value sums = cumulative(takeColumns(g, p, sorted.columns),
                              /*exclusive=*/false);
      Value isBelow =
          g.compare(CompareDirection::LT, sums, probability(option, sums));
      Value last = g.minimum(countTrue(isBelow),
                             asInteger(g.sub(g.size(sums, 1), g.index(1))));
      Value isFar = g.compare(CompareDirection::GT, distance,
                              sorted.at(g, last).elements);
      Ranking kept = sorted.at(g, g.sub(least, g.index(1)));
      return scores.without(g.make<AndOp>(isFar, kept.isBefore(g, distance)));
    });
  }

  /// epsilon_cutoff.
  void cutByNumber() {
    Option option = Option::EpsilonCutoff;
    scores.changeIf(option, isInside(option), [&] {
      return cut(probabilities(scores.value), scores.options.get(option));
    });
  }

  /// eta_cutoff.
  void cutByEntropy() {
    Option option = Option::EtaCutoff;
    scores.changeIf(option, isInside(option), [&] {
      Value p = probabilities(scores.value);
      Value logs = g.make<LogSoftmaxOp>(scores.value, uint64_t(1));
      Value epsilon = scores.options.get(option);
      Value spread = g.make<ExpOp>(g.make<NegateOp>(entropy(p, logs)));
      Value bound = g.minimum(g.mul(spread, g.make<SqrtOp>(epsilon)), epsilon);
      return cut(p, bound);
    });
  }

  /// Removes the scores with probabilities below `bound` and less than the
  /// last that must be kept.
  Value cut(Value p, Value bound) {
    Value isSmall = g.compare(CompareDirection::LT, p, bound);
    Value isWorse =
        g.compare(CompareDirection::LT, scores.value, best(least).elements);
    return scores.without(g.make<AndOp>(isSmall, isWorse));
  }

  /// The library takes only numbers between 0 and 1 as cutoffs.
  Size isInside(Option option) {
    return both(g, isAbove(g, scores.number(option), 0),
                isBelow(g, scores.number(option), 1));
  }

  /// The score of each row that only `count` - 1 others come before.
  Ranking best(Size count) {
    Size bounded = g.bound(count, columns);
    return Ranking::of(g, scores.value, bounded, Order::Descending)
        .at(g, g.sub(bounded, g.index(1)));
  }

  /// A ranking of `x` whose probabilities `p` sum up to the one of `option` in
  /// each row, or of all scores that are left. It has as many columns as must
  /// be kept. A text has few probable tokens at most places, and a ranking of a
  /// whole vocabulary would take as long as a step of a small model.
  Ranking rankingUpTo(Option option, Value x, Value p, Order order) {
    constexpr int64_t fewColumns = 1024;
    Size all = leftColumns();
    Size few = g.bound(g.min(all, g.max(least, g.index(fewColumns))), columns);
    Value first = takeColumns(g, p, Ranking::of(g, x, few, order).columns);
    Type f64 = g.ops.getF64Type();
    Value sums = g.reduce(ReduceKind::Add, g.convert(first, f64), {1},
                          /*keepDims=*/false);
    Value covered =
        g.reduce(ReduceKind::Minimum, sums, {0}, /*keepDims=*/false);
    Size suffices = g.make<arith::CmpFOp>(
        arith::CmpFPredicate::OGE, g.extractScalar(covered),
        g.make<arith::ExtFOp>(f64, scores.number(option)));
    return Ranking::of(g, x, g.bound(g.select(suffices, few, all), columns),
                       order);
  }

  /// The most scores of a row that are left, or as many as must be kept.
  Size leftColumns() {
    Value isLeft = g.compare(CompareDirection::NE, scores.value, removedScore);
    Value counts = g.reduce(ReduceKind::Add, g.convert(isLeft, g.i64()), {1},
                            /*keepDims=*/false);
    Value most = g.reduce(ReduceKind::Maximum, counts, {0}, /*keepDims=*/false);
    Size left =
        g.make<arith::IndexCastOp>(g.ops.getIndexType(), g.extractScalar(most));
    return g.bound(g.max(left, least), columns);
  }

  Value probabilities(Value values) {
    return g.make<SoftmaxOp>(values, uint64_t(1));
  }

  /// The entropy of each row, [rows, 1]. A score that is removed adds nothing.
  Value entropy(Value p, Value logs) {
    Value terms = g.mul(p, logs);
    Value known =
        g.select(g.make<IsNanOp>(terms), g.splatLike(terms, 0), terms);
    return g.make<NegateOp>(
        g.reduce(ReduceKind::Add, known, {1}, /*keepDims=*/true));
  }

  /// Sums in f64: a sum of 50000 numbers in f32 would move the edge.
  Value cumulative(Value p, bool exclusive) {
    Sizes sizes = g.sizes(p);
    Value sums = g.make<CumulativeOp>(
        RankedTensorType::get(GraphBuilder::shapeOf(p), g.ops.getF64Type()),
        ReduceKind::Add, g.convert(p, g.ops.getF64Type()), uint64_t(1),
        exclusive, /*reverse=*/false);
    g.recordSizes(sums, sizes);
    return sums;
  }

  /// An option in the element type of `like`.
  Value probability(Option option, Value like) {
    return g.convert(scores.options.get(option), GraphBuilder::elementOf(like));
  }

  /// i64 [rows, 1].
  Value countTrue(Value mask) {
    return g.reduce(ReduceKind::Add, g.convert(mask, g.i64()), {1},
                    /*keepDims=*/true);
  }

  Value asInteger(Size size) { return g.fromSize(size, g.i64()); }

  GraphBuilder &g;
  Scores scores;
  Size columns; ///< the vocabulary
  Size least;   ///< scores that are kept in any case
};
} // namespace

Value warped(GraphBuilder &g, Options &options, const Sequences &at,
             Value scores) {
  return Warper(g, options, at, scores).run();
}

} // namespace tenon::hf
