// Compares lengths, and changes the scores of a list of tokens.
#include "compiler/import/huggingface/generation/Endings.h"

using namespace mlir;

namespace tenon::hf {
namespace {

using enum arith::CmpIPredicate;

Size hasTokens(Scores &scores, Option list) {
  return scores.g.cmp(sgt, scores.count(list), scores.g.index(0));
}

/// Only the tokens where `mask`, i1 [vocabulary], is true can be chosen.
Value onlyTokens(Scores &scores, Value mask) {
  GraphBuilder &g = scores.g;
  Value row = g.select(mask, g.splat(g.f32(), g.sizes(mask), 0),
                       g.splat(g.f32(), g.sizes(mask), removedScore));
  return g.broadcastTo(row, g.sizes(scores.value));
}

void removeIf(Scores &scores, Option option, Size condition, Option list) {
  scores.changeIf(option, condition,
                  [&] { return scores.without(scores.options.mask(list)); });
}
} // namespace

void forbidEarlyEnd(Scores &scores) {
  GraphBuilder &g = scores.g;
  Size isShort = g.cmp(sgt, scores.integer(Option::MinLength), scores.length);
  removeIf(scores, Option::MinLength, isShort, Option::EosTokenId);
  Size isNew = g.cmp(sgt, scores.integer(Option::MinNewTokens),
                     g.sub(scores.length, scores.prompt));
  removeIf(scores, Option::MinNewTokens, isNew, Option::EosTokenId);
}

void forceFirstToken(Scores &scores) {
  GraphBuilder &g = scores.g;
  Option option = Option::ForcedBosTokenId;
  Size isOn = both(g, g.cmp(sge, scores.integer(option), g.index(0)),
                   g.cmp(eq, scores.length, g.index(1)));
  scores.changeIf(option, isOn, [&] {
    Value tokens = g.iota(g.i64(), {g.size(scores.value, 1)}, 0);
    return onlyTokens(scores, g.compare(CompareDirection::EQ, tokens,
                                        scores.options.get(option)));
  });
}

void forceEnd(Scores &scores) {
  GraphBuilder &g = scores.g;
  Option option = Option::ForcedEosTokenId;
  Size isOn =
      both(g, hasTokens(scores, option),
           g.cmp(eq, g.add(scores.length, g.index(1)), scores.maxLength));
  scores.changeIf(option, isOn, [&] {
    return onlyTokens(scores, scores.options.mask(option));
  });
}

void raiseEnd(Scores &scores) {
  GraphBuilder &g = scores.g;
  Size start = scores.integer(Option::ExponentialDecayStart);
  Size late = g.sub(g.sub(scores.length, scores.prompt), start);
  Size isOn =
      both(g, g.cmp(sge, start, g.index(0)), g.cmp(sgt, late, g.index(0)));
  scores.changeIf(Option::ExponentialDecayFactor, isOn, [&] {
    // In f64: a factor near one is raised to a power, and one is subtracted.
    Type f64 = g.ops.getF64Type();
    Value factor =
        g.convert(scores.options.get(Option::ExponentialDecayFactor), f64);
    Value power = g.make<PowerOp>(factor, g.fromSize(late, f64));
    Value share = g.convert(g.sub(power, 1.0), g.f32());
    Value raised =
        g.add(scores.value, g.mul(g.make<AbsOp>(scores.value), share));
    return g.select(scores.options.mask(Option::EosTokenId), raised,
                    scores.value);
  });
}

void suppressTokens(Scores &scores) {
  Option list = Option::SuppressTokens;
  removeIf(scores, list, hasTokens(scores, list), list);
}

void suppressFirstTokens(Scores &scores) {
  GraphBuilder &g = scores.g;
  Option list = Option::BeginSuppressTokens;
  // A forced first token is not the first that is chosen. Models that write
  // speech begin after the whole prompt.
  Size isForced =
      scores.options.speech()
          ? Size(g.ops.getBoolAttr(false))
          : both(g, g.cmp(eq, scores.prompt, g.index(1)),
                 g.cmp(sge, scores.integer(Option::ForcedBosTokenId),
                       g.index(0)));
  Size begin = g.add(scores.prompt, g.select(isForced, g.index(1), g.index(0)));
  removeIf(scores, list,
           both(g, hasTokens(scores, list), g.cmp(eq, scores.length, begin)),
           list);
}

} // namespace tenon::hf
