// Each warper removes scores by their probabilities or places in order. After
// top_k few scores are left, so the others work on a list of these: a pass over
// the vocabulary for each of them would take longer than the choice.
#include "compiler/import/huggingface/generation/Warpers.h"

#include "compiler/import/huggingface/generation/Ranking.h"
#include "compiler/import/huggingface/generation/Scores.h"

using namespace mlir;

namespace tenon::hf {
namespace {

using enum arith::CmpIPredicate;

/// The scores that are listed in order. After a greater top_k, or if so many
/// are too improbable, all of the vocabulary are in order.
constexpr int64_t mostListed = 1024;

class Warper {
public:
  Warper(GraphBuilder &g, Options &options, const Sequences &at, Value value)
      : g(g), at(at), scores(g, options, at, value), columns(g.size(value, 1)) {
    // In beam search, one token more than can end the sequence is kept.
    Size ends = g.max(scores.count(Option::EosTokenId), g.index(1));
    least = g.min(g.select(g.cmp(sgt, scores.beams, g.index(1)),
                           g.add(ends, g.index(1)), g.index(1)),
                  columns);
  }

  Value run() {
    heat();
    keepTopK();
    Size isNarrow =
        both(g, topKIsOn(),
             g.cmp(sle, scores.integer(Option::TopK), g.index(mostListed)));
    Size isWide = g.make<arith::XOrIOp>(
        cast<Value>(isNarrow),
        g.make<arith::ConstantOp>(g.ops.getBoolAttr(true)));
    Size more = cutsMore();
    scores.changeIf(Option::TopK, both(g, more, isNarrow), [&] {
      // In the order of the vocabulary, by which equal scores are ranked.
      Ranking left =
          Ranking::of(g, scores.value, leftColumns(), Order::Descending);
      Value listed = Ranking::of(g, left.columns, g.size(left.columns, 1),
                                 Order::Ascending)
                         .elements;
      Value none = g.splatLike(scores.value, removedScore);
      return Scores(g, scores.options, at, none)
          .with(ScatterKind::Set, listed,
                cutOf(takeColumns(g, scores.value, listed)));
    });
    scores.changeIf(Option::TopP, both(g, more, isWide),
                    [&] { return cutOf(scores.value); });
    return scores.value;
  }

private:
  /// `value`, which may be a list of scores, after the warpers behind top_k.
  Value cutOf(Value value) {
    Warper warper(g, scores.options, at, value);
    warper.keepTopP();
    warper.cutByBest();
    warper.keepTypical();
    warper.cutByNumber();
    warper.cutByEntropy();
    return warper.scores.value;
  }

  /// True if a warper behind top_k is on.
  Size cutsMore() {
    Size more = isBelow(g, scores.number(Option::TopP), 1);
    for (Size other :
         {isAbove(g, scores.number(Option::MinP), 0),
          isBelow(g, scores.number(Option::TypicalP), 1),
          isInside(Option::EpsilonCutoff), isInside(Option::EtaCutoff)})
      more = g.make<arith::OrIOp>(cast<Value>(more), cast<Value>(other));
    return more;
  }

  void heat() {
    Option option = Option::Temperature;
    scores.changeIf(option, isNot(g, scores.number(option), 1), [&] {
      return g.div(scores.value, scores.options.get(option));
    });
  }

  Size topKCount() { return g.max(scores.integer(Option::TopK), least); }
  Size topKIsOn() {
    return both(g, g.cmp(sgt, scores.integer(Option::TopK), g.index(0)),
                g.cmp(slt, topKCount(), columns));
  }

  void keepTopK() {
    scores.changeIf(Option::TopK, topKIsOn(), [&] {
      Ranking last = best(topKCount());
      return scores.without(
          g.compare(CompareDirection::LT, scores.value, last.elements));
    });
  }

  void keepTopP() {
    Option option = Option::TopP;
    scores.changeIf(option, isBelow(g, scores.number(option), 1), [&] {
      Value p = probabilities(scores.value);
      Ranking sorted = covering(option, scores.value, p, Order::Descending);
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
      Ranking sorted = covering(option, distance, p, Order::Ascending);
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

  /// The first elements of `x`, [rows, columns], so many that the sum of their
  /// probabilities `p` reaches `option` in each row.
  Ranking covering(Option option, Value x, Value p, Order order) {
    Size some = g.min(g.index(mostListed), columns);
    some = g.bound(some, columns);
    Value listed = takeColumns(g, p, Ranking::of(g, x, some, order).columns);
    Value sum =
        g.reduce(ReduceKind::Add, g.convert(listed, g.ops.getF64Type()), {1},
                 /*keepDims=*/false);
    Value least = g.reduce(ReduceKind::Minimum, sum, {0}, /*keepDims=*/false);
    Value covers = g.extractScalar(
        g.compare(CompareDirection::GE, least, probability(option, least)));
    Size count = g.bound(g.select(covers, some, leftColumns()), columns);
    return Ranking::of(g, x, count, order);
  }

  /// The columns of a ranking that has all scores that are left, and as many as
  /// must be kept.
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
  const Sequences &at;
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
