// The entry `result`: the sequences of the call, as far as they are.
#include "compiler/import/huggingface/blocks/SizeIn.h"
#include "compiler/import/huggingface/generation/BeamSearch.h"
#include "compiler/import/huggingface/generation/Conditional.h"
#include "compiler/import/huggingface/generation/Generation.h"

using namespace mlir;

namespace tenon::hf {
namespace {

/// Why a sequence ended, as `result` tells it.
enum Reason { Unfinished = 0, EndToken = 1, Length = 2 };

/// The sequences that are found, one row each.
struct Found {
  Value ids;     ///< [rows, positions]
  Value lengths; ///< [rows]: new ids
  Value scores;  ///< [rows], f32
  Value tokens;  ///< [rows, positions], f32: log-probabilities of ids
  Value ended;   ///< [rows], i1: by a token that ends sequences
};

class Result {
public:
  Result(GraphBuilder &g, CallStates &states, Options &options,
         const CallSizes &call)
      : g(g), states(states), options(options), call(call),
        half(g.rem(call.step, g.index(2))),
        columns(g.min(g.add(call.prompt, call.step), states.positions())),
        made(g.fromSize(call.step, g.i64())) {}

  /// Texts that chose their own tokens.
  Found ofTexts() {
    Value ends = states.readFirst(state::ends, call.texts, half);
    Value ended = g.compare(CompareDirection::GT, ends, 0);
    Value tokens = scoresOf(state::tokenScores);
    return {states.readFirst(state::ids, call.texts, half),
            g.select(ended, ends, g.broadcastTo(made, {call.texts})),
            g.reduce(ReduceKind::Add, tokens, {1}, false), tokens, ended};
  }

  /// The finished sequences of each prompt, best first. A prompt without one
  /// has its beams.
  Found ofBeams() {
    Value lengths = states.readFirst(state::doneLengths, call.texts, half);
    Value done = g.compare(CompareDirection::GT, lengths, 0);
    Sizes square = {call.batch, call.copies};
    Value any =
        g.reduce(ReduceKind::Maximum,
                 g.convert(g.reshape(done, square), g.i64()), {1}, false);
    Value copies = g.fromSize(call.copies, g.i64());
    Value prompt = g.div(g.iota(g.i64(), {call.texts}, 0), copies);
    Value hasDone = g.compare(CompareDirection::GT, g.take(any, prompt, 0), 0);
    Value ids = states.readFirst(state::ids, call.texts, half),
          doneIds = states.readFirst(state::doneIds, call.texts, half);
    Value length = g.binary<PowerOp>(g.convert(g.maximum(made, 1.0), g.f32()),
                                     options.get(Option::LengthPenalty));
    Value open =
        g.div(states.readFirst(state::scores, call.texts, half), length);
    Value scores = states.readFirst(state::doneScores, call.texts, half);
    Found result;
    result.ids = g.select(
        g.broadcastTo(g.unsqueeze(hasDone, {1}), g.sizes(ids)), doneIds, ids);
    result.lengths =
        g.select(hasDone, lengths, g.broadcastTo(made, {call.texts}));
    result.scores = g.select(hasDone, scores, open);
    result.tokens = g.select(
        g.broadcastTo(g.unsqueeze(hasDone, {1}), g.sizes(ids)),
        scoresOf(state::doneTokenScores), scoresOf(state::tokenScores));
    // A finished sequence ends with its token, or fills the last column.
    Value last = g.add(g.fromSize(g.sub(call.prompt, g.index(1)), g.i64()),
                       result.lengths);
    Value flat = g.reshape(result.ids, {g.mul(call.texts, states.positions())});
    Value place = g.add(g.mul(g.iota(g.i64(), {call.texts}, 0),
                              g.fromSize(states.positions(), g.i64())),
                        last);
    Value token = g.take(flat, place, 0);
    result.ended =
        g.binary<AndOp>(g.binary<AndOp>(hasDone, g.compare(CompareDirection::GT,
                                                           result.lengths, 0)),
                        g.take(options.mask(Option::EosTokenId), token, 0));
    return result;
  }

  /// The outputs: the first `count` sequences of each prompt.
  SmallVector<Value> outputs(const Found &all, Size count) {
    Size rows =
        g.bound(g.min(g.mul(call.batch, count), call.texts), call.texts);
    Value number = g.iota(g.i64(), {rows}, 0);
    Value each = g.fromSize(count, g.i64());
    Value prompt = g.div(number, each);
    Value row = g.add(g.mul(prompt, g.fromSize(call.each, g.i64())),
                      g.sub(number, g.mul(prompt, each)));
    Value lengths = g.take(all.lengths, row, 0);
    Size longest = g.bound(g.sub(columns, call.prompt), states.positions());
    Value fresh = g.take(g.sliceDim(all.ids, 1, call.prompt, longest), row, 0);
    Value inside =
        g.compare(CompareDirection::LT, g.iota(g.i64(), g.sizes(fresh), 1),
                  g.broadcastTo(g.unsqueeze(lengths, {1}), g.sizes(fresh)));
    Value sequences = g.select(
        inside, fresh,
        g.broadcastTo(options.get(Option::PadTokenId), g.sizes(fresh)));
    Value full = g.compare(
        CompareDirection::GE, g.add(lengths, g.fromSize(call.prompt, g.i64())),
        g.broadcastTo(g.fromSize(call.limit, g.i64()), g.sizes(lengths)));
    auto reason = [&](Reason reason) {
      return g.splatLike(lengths, double(reason));
    };
    Value reasons =
        g.select(g.take(all.ended, row, 0), reason(EndToken),
                 g.select(full, reason(Length), reason(Unfinished)));
    Value tokens =
        g.take(g.sliceDim(all.tokens, 1, call.prompt, longest), row, 0);
    tokens = g.select(inside, tokens, g.splatLike(tokens, 0));
    return {sequences, lengths, g.take(all.scores, row, 0), reasons, tokens};
  }

private:
  /// A state of scores; zeros without `output_scores`.
  Value scoresOf(const CallState &state) {
    Value scores = states.readFirst(state, call.texts, half);
    Value isOn =
        g.broadcastTo(options.get(Option::OutputScores), g.sizes(scores));
    return g.select(isOn, scores, g.splatLike(scores, 0));
  }

  GraphBuilder &g;
  CallStates &states;
  Options &options;
  const CallSizes &call;
  Size half, columns;
  Value made; ///< new ids of each row
};
} // namespace

void Generation::buildResult() {
  func::FuncOp entry = entries.begin("result", {});
  states.beginEntry();
  CallSizes call = CallSizes::read(g, states);
  Result result(g, states, options, call);
  auto parts = [](const Found &found) {
    return SmallVector<Value>{found.ids, found.lengths, found.scores,
                              found.tokens, found.ended};
  };
  Sizes texts = {call.texts}, wide = {call.texts, states.positions()};
  SmallVector<Value> found = chooseAll(
      g, call.isSearch, {wide, texts, texts, wide, texts},
      [&] { return parts(result.ofBeams()); },
      [&] { return parts(result.ofTexts()); });
  Found all = {found[0], found[1], found[2], found[3], found[4]};
  Size count = sizeIn(g, options.get(Option::NumReturnSequences));
  count = g.bound(g.clamp(count, g.index(1), g.max(call.each, g.index(1))),
                  states.rows());
  entries.end(entry, result.outputs(all, count),
              {"sequences", "lengths", "scores", "reasons", "token_scores"});
}

} // namespace tenon::hf
