// One step: candidates are the best continuations of a prompt's beams; the best
// that do not end a sequence become the next beams, and the best that do
// compete with the finished sequences.
#include "compiler/import/huggingface/generation/BeamSearch.h"

#include "compiler/import/huggingface/blocks/SizeIn.h"
#include "compiler/import/huggingface/generation/Conditional.h"
#include "compiler/import/huggingface/generation/Draws.h"
#include "compiler/import/huggingface/generation/Processors.h"
#include "compiler/import/huggingface/generation/Ranking.h"
#include "compiler/import/huggingface/generation/Warpers.h"

using namespace mlir;

namespace tenon::hf {
namespace {

/// The greatest elements of each row, and their places; the first of equal
/// ones.
Ranking best(GraphBuilder &g, Value x, Size count) {
  return Ranking::of(g, x, count, Order::Descending);
}

Value both(GraphBuilder &g, Value a, Value b) { return g.binary<AndOp>(a, b); }
Value either(GraphBuilder &g, Value a, Value b) { return g.binary<OrOp>(a, b); }
Value negated(GraphBuilder &g, Value a) { return g.make<NotOp>(a); }

/// True if an element along the last extent is true.
Value anyOf(GraphBuilder &g, Value flags) {
  return g.compare(CompareDirection::GT,
                   g.reduce(ReduceKind::Maximum, g.convert(flags, g.i64()),
                            {g.rankOf(flags) - 1}, false),
                   0);
}
Value allOf(GraphBuilder &g, Value flags) {
  return negated(g, anyOf(g, negated(g, flags)));
}

class BeamStep {
public:
  BeamStep(const Step &step, Compatibility compatibility)
      : step(step), g(step.g), states(step.states), call(step.call),
        inPt(compatibility == Compatibility::Pt), beams(call.copies),
        square({call.batch, beams}) {}

  void run(Value scores) {
    stepScores = scores;
    findCandidates(scores);
    continueBeams();
    Value allFinished = finishSequences();
    Value improves = findImprovement();
    Value stops = both(g, is(Option::EarlyStopping, 1), allFinished);
    if (inPt)
      stops = either(g, stops, allOf(g, flat(hits)));
    else
      stops = either(g, stops, isLast());
    step.writeGoing(both(g, anyOf(g, improves), negated(g, stops)));
  }

private:
  /// The step's candidates: their beams, tokens and scores, [batch, K], best
  /// first, or in the order in which they were drawn.
  void findCandidates(Value scores) {
    Size vocabulary = g.size(scores, 1);
    Value before = states.readFirst(state::scores, call.rows, step.now);
    Sizes wide = {call.batch, g.mul(beams, vocabulary)};
    Value all = g.reshape(g.add(scores, g.unsqueeze(before, {1})), wide);
    Size count = candidates();
    Value places = choose(
        g, step.samples(), {call.batch, count},
        [&] {
          Value tokens = g.iota(g.i64(), {call.rows, vocabulary}, 1);
          Value noise =
              gumbelNoise(g, step.options.get(Option::Seed), call.step, tokens);
          return best(g, g.add(all, g.reshape(noise, wide)), count).columns;
        },
        [&] { return best(g, all, count).columns; });
    candidateScores = takeColumns(g, all, places);
    Value width = g.fromSize(vocabulary, g.i64());
    step.checkScores(
        g.squeeze(g.sliceDim(candidateScores, 1, g.index(0), g.index(1)), {1}),
        /*exempt=*/inPt ? g.compare(CompareDirection::EQ, oldImproves(), 0)
                        : Value());
    candidateBeams = g.div(places, width);
    candidateTokens = g.sub(places, g.mul(candidateBeams, width));
    hits = step.ends(candidateTokens);
    if (inPt)
      hits = either(g, hits, isLast());
  }

  /// The number of candidates of a prompt. Enough go on if each token that ends
  /// a sequence is the best of every beam.
  Size candidates() {
    Size ends = g.index(1);
    if (inPt) {
      Size found = sizeIn(g, step.options.count(Option::EosTokenId));
      ends = g.bound(g.clamp(found, g.index(1), g.index(maxEndTokens)),
                     g.index(maxEndTokens));
    }
    Size most = g.mul(beams, g.add(ends, g.index(1)));
    // A tiny vocabulary has fewer.
    Size all = g.mul(beams, g.index(step.options.vocabulary()));
    return g.min(most, all);
  }

  /// The best candidates that end no sequence become beams.
  void continueBeams() {
    Value scores =
        g.select(hits, g.add(candidateScores, noScore), candidateScores);
    Ranking next = best(g, scores, beams);
    nextScores = next.elements;
    states.writeFirst(state::scores, flat(nextScores), step.next);
    Value parents = rowOf(takeColumns(g, candidateBeams, next.columns));
    Value tokens = takeColumns(g, candidateTokens, next.columns);
    states.writeFirst(state::ids, grown(state::ids, parents, flat(tokens)),
                      step.next);
    step.ifScored([&] {
      Value own =
          ownScores(nextScores, takeColumns(g, candidateBeams, next.columns));
      states.writeFirst(state::tokenScores,
                        grown(state::tokenScores, parents, flat(own)),
                        step.next);
    });
    step.writeTable(parents);
  }

  /// The first candidates, as many as beams, that end a sequence compete with
  /// the sequences finished before. Returns true for each prompt, [batch], if
  /// all its sequences are finished.
  Value finishSequences() {
    Value oldScores = ofBeams(state::doneScores),
          oldLengths = ofBeams(state::doneLengths);
    Value wereFinished =
        allOf(g, g.compare(CompareDirection::GT, oldLengths, 0));
    auto first = [&](Value x) { return g.sliceDim(x, 1, g.index(0), beams); };
    Value length = g.fromSize(g.add(call.step, g.index(1)), g.i64());
    Value score = g.div(first(candidateScores), power(length));
    Value competes =
        both(g, first(hits),
             g.unsqueeze(negated(g, both(g, is(Option::EarlyStopping, 1),
                                         wereFinished)),
                         {1}));
    if (inPt)
      competes = both(
          g, competes,
          g.unsqueeze(g.compare(CompareDirection::GT, oldImproves(), 0), {1}));
    score = g.select(competes, score, g.splatLike(score, noScore));
    Ranking kept = best(g, g.concat({oldScores, score}, 1), beams);
    doneScores = kept.elements;
    states.writeFirst(state::doneScores, flat(doneScores), step.next);
    Value newLengths = g.select(competes, g.broadcastTo(length, square),
                                g.splatLike(oldLengths, 0));
    Value lengths =
        takeColumns(g, g.concat({oldLengths, newLengths}, 1), kept.columns);
    states.writeFirst(state::doneLengths, flat(lengths), step.next);

    // A kept place is one of the old sequences, or a candidate after them.
    Value isNew = g.compare(CompareDirection::GE, kept.columns,
                            g.fromSize(beams, g.i64()));
    Value number =
        g.sub(kept.columns,
              g.select(isNew, g.broadcastTo(g.fromSize(beams, g.i64()), square),
                       g.splatLike(kept.columns, 0)));
    Value fromDone = rowOf(number),
          fromBeams = rowOf(takeColumns(g, first(candidateBeams), number));
    auto keep = [&](const CallState &done, const CallState &running,
                    Value value) {
      Value old =
          rowsOf(g, states.readFirst(done, call.rows, step.now), fromDone);
      Value fresh =
          grown(running, fromBeams, flat(takeColumns(g, first(value), number)));
      Value takesFresh =
          g.broadcastTo(g.unsqueeze(flat(isNew), {1}), g.sizes(old));
      states.writeFirst(done, g.select(takesFresh, fresh, old), step.next);
    };
    keep(state::doneIds, state::ids, candidateTokens);
    step.ifScored([&] {
      Value own = ownScores(candidateScores, candidateBeams);
      keep(state::doneTokenScores, state::tokenScores, own);
    });
    isOpen = g.compare(CompareDirection::EQ, lengths, 0);
    return allOf(g, flat(negated(g, isOpen)));
  }

  /// Returns true for each prompt whose sequences may still become better, by
  /// the best beam and the worst finished sequence.
  Value findImprovement() {
    Value length = g.fromSize(g.add(call.step, g.index(1)), g.i64());
    Value longest = g.fromSize(g.sub(call.limit, call.prompt), g.i64());
    Value penalty = step.options.get(Option::LengthPenalty);
    Value usesLongest = both(g, is(Option::EarlyStopping, 2),
                             g.compare(CompareDirection::GT, penalty, 0));
    Value counted = g.select(usesLongest, longest, length);
    Value bestBeam =
        g.div(g.squeeze(g.sliceDim(nextScores, 1, g.index(0), g.index(1)), {1}),
              power(counted));
    Value least = g.reduce(ReduceKind::Minimum, doneScores, {1}, false);
    Value worst =
        g.select(anyOf(g, isOpen), g.splatLike(least, noScore), least);
    Value improves = g.compare(CompareDirection::GT, bestBeam, worst);
    // In PyTorch's search, a prompt that stops does not start again.
    if (inPt)
      improves =
          both(g, improves, g.compare(CompareDirection::GT, oldImproves(), 0));
    states.writeFirst(state::improves, g.convert(improves, g.i64()), step.next);
    return improves;
  }

  //===-- Parts ---------------------------------------------------------===//

  Value oldImproves() {
    return states.readFirst(state::improves, call.batch, step.now);
  }
  Value ofBeams(const CallState &state) {
    return g.reshape(states.readFirst(state, call.rows, step.now), square);
  }
  /// [batch, beams] as [rows].
  Value flat(Value x) {
    if (g.same(g.size(x, 1), beams))
      return g.reshape(x, {call.rows});
    return g.reshape(x, {g.mul(g.size(x, 0), g.size(x, 1))});
  }
  /// The scores of the newest tokens of sequences, given the scores of these
  /// and the beams that they continue.
  Value ownScores(Value sequences, Value parents) {
    Value own =
        g.sub(sequences, takeColumns(g, ofBeams(state::scores), parents));
    // A text of speech is judged by the log-probabilities among the tokens that
    // the rules have left.
    return step.options.speech()
               ? g.sub(own, takeColumns(g, logSums(), parents))
               : own;
  }
  /// The logarithm of the sum of each beam's probabilities, [batch, beams]. A
  /// score less its log-probability is the same for all tokens.
  Value logSums() {
    auto most = [&](Value x) {
      return g.reduce(ReduceKind::Maximum, x, {1}, false);
    };
    Value sums = g.sub(most(stepScores), most(logSoftmax(g, stepScores)));
    return g.reshape(sums, square);
  }
  /// The rows of the model that are the beams `numbers`, [batch, beams].
  Value rowOf(Value numbers) {
    return flat(
        g.add(g.mul(g.iota(g.i64(), square, 0), g.fromSize(beams, g.i64())),
              numbers));
  }
  /// The rows `parents` of a state with `value`, [rows], in the new column.
  Value grown(const CallState &state, Value parents, Value value) {
    Value rows =
        rowsOf(g, states.readFirst(state, call.rows, step.now), parents);
    return step.withColumn(rows, step.newColumn(), g.unsqueeze(value, {1}));
  }
  Value is(Option option, int64_t value) {
    return g.compare(CompareDirection::EQ, step.options.get(option),
                     double(value));
  }
  /// True if this step fills the last column.
  Value isLast() {
    return g.compare(CompareDirection::GE,
                     g.fromSize(g.add(step.columns, g.index(1)), g.i64()),
                     g.fromSize(call.limit, g.i64()));
  }
  /// length^length_penalty.
  Value power(Value length) {
    return g.binary<PowerOp>(g.convert(length, g.f32()),
                             step.options.get(Option::LengthPenalty));
  }

  const Step &step;
  GraphBuilder &g;
  CallStates &states;
  const CallSizes &call;
  bool inPt;
  Size beams;
  Sizes square;
  Value stepScores, candidateScores, candidateBeams, candidateTokens, hits;
  Value nextScores, doneScores, isOpen;
};
} // namespace

void searchBeams(const Step &step, const Sequences &at, Value scores,
                 Compatibility compatibility) {
  GraphBuilder &g = step.g;
  scores = choose(
      g, step.samples(), g.sizes(scores),
      [&] { return warped(g, step.options, at, scores); },
      [&] { return scores; });
  BeamStep(step, compatibility).run(renormalized(g, step.options, scores));
}

} // namespace tenon::hf
