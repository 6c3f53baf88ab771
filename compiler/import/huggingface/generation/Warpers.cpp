// Each warper removes scores by their probabilities or places in order. After
// top_k few scores are left, so the others work on a list of these: a pass over
// the vocabulary for each of them would take longer than the choice. The scores
// of a list are sorted; for those of a vocabulary thresholds are found.
#include "compiler/import/huggingface/generation/Warpers.h"

#include "compiler/import/huggingface/generation/Conditional.h"
#include "compiler/import/huggingface/generation/Ranking.h"
#include "compiler/import/huggingface/generation/Scores.h"
#include "compiler/import/huggingface/generation/Threshold.h"

#include <limits>

using namespace mlir;

namespace tenon::hf {
namespace {

using enum arith::CmpIPredicate;

/// The scores that are listed, which is what top_k selects in vectors, and how
/// many of them are for scores equal to the last that top_k wants.
constexpr int64_t mostListed = 1024, moreListed = 16;

/// The warpers behind temperature, on a list of scores or on all.
class Warper {
public:
  Warper(GraphBuilder &g, Options &options, const Sequences &at, Value value,
         bool isList)
      : g(g), scores(g, options, at, value), columns(g.size(value, 1)),
        isList(isList) {
    // In beam search, one token more than can end the sequence is kept.
    Size ends = g.max(scores.count(Option::EosTokenId), g.index(1));
    least = g.min(g.select(g.cmp(sgt, scores.beams, g.index(1)),
                           g.add(ends, g.index(1)), g.index(1)),
                  columns);
  }

  Size topKCount() { return g.max(scores.integer(Option::TopK), least); }
  Size topKIsOn() {
    return both(g, g.cmp(sgt, scores.integer(Option::TopK), g.index(0)),
                g.cmp(slt, topKCount(), columns));
  }

  /// Only for all scores: a list has been chosen by top_k.
  void keepTopK() {
    scores.changeIf(Option::TopK, topKIsOn(), [&] {
      Type count = g.ops.getI32Type();
      Value last =
          thresholdOf(g, scores.value, g.splat(count, g.sizes(scores.value), 1),
                      g.fromSize(topKCount(), count));
      return scores.without(
          g.compare(CompareDirection::LT, scores.value, last));
    });
  }

  Value cut() {
    keepTopP();
    cutByBest();
    keepTypical();
    cutByNumber();
    cutByEntropy();
    return scores.value;
  }

private:
  void keepTopP() {
    Option option = Option::TopP;
    scores.changeIf(option, isBelow(g, scores.number(option), 1), [&] {
      Value p = probabilities(scores.value);
      return scores.without(isList ? isBehindSorted(p) : isBehindAll(p));
    });
  }

  /// True for the scores that top_p removes.
  Value isBehindSorted(Value p) {
    Ranking sorted = Ranking::of(g, scores.value, columns, Order::Descending);
    Value before = cumulative(takeColumns(g, p, sorted.columns),
                              /*exclusive=*/true);
    Value isKept = g.compare(CompareDirection::LT, before,
                             probability(Option::TopP, before));
    Value count = g.maximum(countTrue(isKept), asInteger(least));
    return sorted.at(g, g.sub(count, 1.0)).isBefore(g, scores.value);
  }
  Value isBehindAll(Value p) {
    Value weights = g.convert(p, g.ops.getF64Type());
    // The best score is no part of a sum of zero.
    Value target = g.maximum(probability(Option::TopP, weights),
                             std::numeric_limits<double>::min());
    Value isFar = isBehind(g, scores.value, weights, target);
    return g.make<AndOp>(isFar, best(least).isBefore(g, scores.value));
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
      Value p = g.make<ExpFlushedOp>(logs);
      Value distance =
          g.make<AbsOp>(g.sub(g.make<NegateOp>(logs), entropy(p, logs)));
      Value isFar = isList ? isFarSorted(distance, p) : isFarOfAll(distance, p);
      Ranking kept =
          Ranking::of(g, distance, g.bound(least, columns), Order::Ascending)
              .at(g, g.sub(least, g.index(1)));
      return scores.without(g.make<AndOp>(isFar, kept.isBefore(g, distance)));
    });
  }

  /// True for the scores that typical_p removes, by their distances.
  Value isFarSorted(Value distance, Value p) {
    Ranking sorted = Ranking::of(g, distance, columns, Order::Ascending);
    Value sums = cumulative(takeColumns(g, p, sorted.columns),
                            /*exclusive=*/false);
    Value isBelow = g.compare(CompareDirection::LT, sums,
                              probability(Option::TypicalP, sums));
    Value last =
        g.minimum(countTrue(isBelow), asInteger(g.sub(columns, g.index(1))));
    return g.compare(CompareDirection::GT, distance,
                     sorted.at(g, last).elements);
  }
  Value isFarOfAll(Value distance, Value p) {
    Value weights = g.convert(p, g.ops.getF64Type());
    Value nearness = g.make<NegateOp>(distance);
    Value last = thresholdOf(g, nearness, weights,
                             probability(Option::TypicalP, weights));
    return g.compare(CompareDirection::LT, nearness, last);
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
    return Ranking::of(g, scores.value, g.bound(count, columns),
                       Order::Descending)
        .at(g, g.sub(count, g.index(1)));
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
  Size columns; ///< scores of a row
  Size least;   ///< scores that are kept in any case
  bool isList;
};

/// `scores` after temperature.
Value heated(Scores scores) {
  Option option = Option::Temperature;
  GraphBuilder &g = scores.g;
  scores.changeIf(option, isNot(g, scores.number(option), 1), [&] {
    return g.div(scores.value, scores.options.get(option));
  });
  return scores.value;
}

/// True if a row has no more scores that top_k keeps than `listed` has, whose
/// element `wanted` - 1 is the last one that it wants: an i1 of rank 0.
Value coversTies(GraphBuilder &g, const Ranking &listed, Size wanted) {
  Value last =
      listed.at(g, g.sub(g.size(listed.elements, 1), g.index(1))).elements;
  Value kept = listed.at(g, g.sub(wanted, g.index(1))).elements;
  Value ends =
      g.make<OrOp>(g.compare(CompareDirection::NE, last, kept),
                   g.compare(CompareDirection::EQ, last, removedScore));
  return g.compare(CompareDirection::NE,
                   g.reduce(ReduceKind::Minimum, g.convert(ends, g.i64()),
                            {0, 1}, /*keepDims=*/false),
                   0);
}

/// The scores that top_k keeps in the order of the vocabulary, by which equal
/// ones are ranked, and removed scores behind them, so that a row's sums do not
/// depend on the length of the list.
Candidates inOrder(GraphBuilder &g, Value scores, const Ranking &listed,
                   Size wanted) {
  Value kept = listed.at(g, g.sub(wanted, g.index(1))).elements;
  Value isRemoved = g.binary<OrOp>(
      g.compare(CompareDirection::LT, listed.elements, kept),
      g.compare(CompareDirection::EQ, listed.elements, removedScore));
  Value end = g.broadcastTo(g.fromSize(g.size(scores, 1), g.i64()),
                            g.sizes(listed.columns));
  Value sorted = Ranking::of(g, g.select(isRemoved, end, listed.columns),
                             g.size(end, 1), Order::Ascending)
                     .elements;
  Value columns = g.minimum(sorted, g.sub(end, 1.0));
  Value taken = takeColumns(g, scores, columns);
  return {g.select(g.compare(CompareDirection::LT, sorted, end), taken,
                   g.splatLike(taken, removedScore)),
          columns};
}
} // namespace

SmallVector<Value>
useWarped(GraphBuilder &g, Options &options, const Sequences &at, Value scores,
          ArrayRef<Sizes> sizes,
          llvm::function_ref<SmallVector<Value>(Candidates)> use) {
  scores = heated(Scores(g, options, at, scores));
  Size columns = g.size(scores, 1);
  Warper all(g, options, at, scores, /*isList=*/false);
  Size wanted = all.topKCount();
  Size isShort = both(g, all.topKIsOn(),
                      g.cmp(sle, wanted, g.index(mostListed - moreListed)));
  Size most = g.min(g.index(mostListed), columns);
  Size count =
      g.bound(g.select(isShort, g.min(g.add(wanted, g.index(moreListed)), most),
                       g.index(0)),
              most);
  Ranking listed = Ranking::of(g, scores, count, Order::Descending);
  Value isListed = choose(
      g, isShort, {}, [&] { return coversTies(g, listed, wanted); },
      [&] { return g.scalar(g.i1(), 0); });
  return chooseAll(
      g, g.extractScalar(isListed), sizes,
      [&] {
        Candidates few = inOrder(g, scores, listed, wanted);
        few.scores = Warper(g, options, at, few.scores, /*isList=*/true).cut();
        return use(few);
      },
      [&] {
        all.keepTopK();
        return use({all.cut(), g.iota(g.i64(), g.sizes(scores), 1)});
      });
}

Value warped(GraphBuilder &g, Options &options, const Sequences &at,
             Value scores) {
  Sizes sizes = g.sizes(scores);
  auto inVocabulary = [&](const Candidates &found) -> SmallVector<Value> {
    if (g.same(g.size(found.scores, 1), sizes[1]))
      return {found.scores};
    // The maximum, since a token that is removed may stand there again.
    Value none = g.splat(g.f32(), sizes, removedScore);
    return {Scores(g, options, at, none)
                .with(ScatterKind::Maximum, found.columns, found.scores)};
  };
  return useWarped(g, options, at, scores, sizes, inVocabulary).front();
}

} // namespace tenon::hf
