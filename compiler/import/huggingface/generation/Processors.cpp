// The order of the processors.
#include "compiler/import/huggingface/generation/Processors.h"

#include "compiler/import/huggingface/generation/Endings.h"
#include "compiler/import/huggingface/generation/RepeatedTokens.h"
#include "compiler/import/huggingface/generation/Timestamps.h"
#include "compiler/import/huggingface/generation/Words.h"

using namespace mlir;

namespace tenon::hf {

/// remove_invalid_values: NaN becomes 0, an infinity the number next to it.
static void removeInvalid(Scores &scores) {
  GraphBuilder &g = scores.g;
  Option option = Option::RemoveInvalidValues;
  scores.changeIf(option, scores.flag(option), [&] {
    Value finite = g.clamp(scores.value, -maxNumber, maxNumber);
    return g.select(g.make<IsNanOp>(scores.value), g.splatLike(scores.value, 0),
                    finite);
  });
}

Value processed(GraphBuilder &g, Options &options, const Sequences &at,
                Value value) {
  Scores scores(g, options, at, value);
  addSequenceBias(scores);
  favourSource(scores);
  penalizeRepetition(scores);
  banNgrams(scores);
  banSourceNgrams(scores);
  banWords(scores);
  forbidEarlyEnd(scores);
  forceFirstToken(scores);
  forceEnd(scores);
  removeInvalid(scores);
  raiseEnd(scores);
  suppressTokens(scores);
  suppressFirstTokens(scores);
  keepTimestampRules(scores);
  return scores.value;
}

Value renormalized(GraphBuilder &g, Options &options, Value scores) {
  Value isOn = g.extractScalar(options.get(Option::RenormalizeLogits));
  return changedIf(g, Option::RenormalizeLogits, isOn, scores,
                   [&] { return g.make<LogSoftmaxOp>(scores, uint64_t(1)); });
}

} // namespace tenon::hf
