// The rules about tokens leave each row one range of text and one of
// timestamps. The sums of probabilities come last, over these ranges.
#include "compiler/import/huggingface/generation/Timestamps.h"

using namespace mlir;

namespace tenon::hf {
namespace {

constexpr auto eq = CompareDirection::EQ, lt = CompareDirection::LT,
               ge = CompareDirection::GE, gt = CompareDirection::GT;

/// Values of rows are [rows, 1].
class TimestampRules {
public:
  explicit TimestampRules(Scores &scores)
      : scores(scores), g(scores.g), first(*scores.options.firstTimestamp()),
        rows({g.size(scores.value, 0), g.index(1)}),
        isAtBegin(
            g.cmp(arith::CmpIPredicate::eq, scores.length, scores.prompt)) {}

  Value apply() {
    int64_t all = scores.options.vocabulary();
    Value token = g.iota(g.i64(), g.sizes(scores.value), 1);
    Value isTimestamp = g.compare(ge, token, double(first));
    Value isLast = isTimestampAt(1), isPair = isTimestampAt(2);
    // A timestamp after text wants another one or the end, a timestamp after
    // another one, or as the first token, wants text.
    Value wantsOne = both(isLast, negated(isPair)),
          wantsText = both(isLast, isPair);
    Value textBegin =
        g.select(wantsOne, forRows(scores.options.firstEndToken()),
                 forRows(g.select(isAtBegin, g.index(first), g.index(0))));
    Value timestampBegin = g.select(wantsText, g.splat(g.i64(), rows, all),
                                    leastTimestamp(wantsOne));
    Value outside = g.binary<OrOp>(g.compare(lt, token, timestampBegin),
                                   g.compare(gt, token, forRows(greatest())));
    Value removed = g.binary<OrOp>(both(isTimestamp, outside),
                                   g.compare(lt, token, textBegin));
    Value isNone = g.compare(eq, token, double(first - 1));
    scores.value = scores.without(g.binary<OrOp>(removed, isNone));
    return scores.without(
        g.binary<AndOp>(timestampsAreLikelier(), g.make<NotOp>(isTimestamp)));
  }

private:
  Value both(Value a, Value b) { return g.binary<AndOp>(a, b); }
  Value negated(Value condition) { return g.make<NotOp>(condition); }
  Value forRows(Value scalar) { return g.broadcastTo(scalar, rows); }
  Value forRows(Size size) { return forRows(g.fromSize(size, g.i64())); }

  /// True if id number `back` from the end is a timestamp. A second id from the
  /// end that belongs to the prompt counts as one.
  Value isTimestampAt(int64_t back) {
    Size column = g.sub(scores.length, g.index(back));
    Size last = g.sub(g.size(scores.ids, 1), g.index(1));
    Value id = g.sliceDim(scores.ids, 1, g.clamp(column, g.index(0), last),
                          g.index(1));
    Size stand = g.index(back == 1 ? 0 : first);
    Size isOwn = g.cmp(arith::CmpIPredicate::sge, column, scores.prompt);
    Value own =
        g.compare(gt, forRows(g.select(isOwn, g.index(1), g.index(0))), 0.0);
    return g.compare(ge, g.select(own, id, forRows(stand)), double(first));
  }

  /// Timestamps do not decrease, and an end is followed by a later begin.
  Value leastTimestamp(Value wantsOne) {
    Sizes sizes = g.sizes(scores.ids);
    Value column = g.iota(g.i64(), sizes, 1);
    auto bound = [&](CompareDirection direction, Size size) {
      return g.compare(direction, column,
                       g.broadcastTo(g.fromSize(size, g.i64()), sizes));
    };
    Value isOne =
        both(g.compare(ge, scores.ids, double(first)),
             both(bound(ge, scores.prompt), bound(lt, scores.length)));
    // The last one has the greatest column; its id is in the lower half.
    constexpr double half = double(int64_t(1) << 32);
    Value key = g.select(isOne, g.add(g.mul(column, half), scores.ids),
                         g.splat(g.i64(), sizes, -1));
    key = g.reduce(ReduceKind::Maximum, key, {1}, true);
    Value last = g.sub(key, g.mul(g.div(key, half), half));
    Value next = g.select(wantsOne, last, g.add(last, 1));
    return g.select(g.compare(lt, key, 0.0), g.splat(g.i64(), rows, first),
                    next);
  }

  /// The greatest timestamp that may come.
  Size greatest() {
    Size index = scores.integer(Option::MaxInitialTimestampIndex);
    Size isBounded = hf::both(
        g, isAtBegin, g.cmp(arith::CmpIPredicate::sge, index, g.index(0)));
    return g.select(isBounded, g.add(index, g.index(first)),
                    g.index(scores.options.vocabulary()));
  }

  /// True in rows where some timestamp is likelier than the likeliest text.
  Value timestampsAreLikelier() {
    auto part = [&](int64_t begin, int64_t end) {
      return g.sliceDim(scores.value, 1, g.index(begin), g.index(end - begin));
    };
    auto greatest = [&](Value x) {
      return g.reduce(ReduceKind::Maximum, x, {1}, true);
    };
    Value timestamps = part(first, scores.options.vocabulary());
    // If all are removed, their sum is zero.
    Value most = g.maximum(greatest(timestamps), -maxNumber);
    Value powers = g.make<ExpFlushedOp>(g.sub(timestamps, most));
    Value sum = g.reduce(ReduceKind::Add, powers, {1}, true);
    // Only the difference is compared: a sum with the least number of f32,
    // which remove_invalid_values sets, would be that number.
    return g.compare(gt, g.make<LogOp>(sum),
                     g.sub(greatest(part(0, first)), most));
  }

  Scores &scores;
  GraphBuilder &g;
  int64_t first;
  Sizes rows;
  Size isAtBegin;
};
} // namespace

void keepTimestampRules(Scores &scores) {
  if (!scores.options.firstTimestamp())
    return;
  Option option = Option::Timestamps;
  scores.changeIf(option, scores.flag(option), [&] {
    Scores inside = scores;
    return TimestampRules(inside).apply();
  });
}

} // namespace tenon::hf
