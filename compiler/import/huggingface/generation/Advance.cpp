// The entry `advance`: a loop of steps over the states. A step computes the
// logits of the tokens that the step before has chosen, and chooses the next
// ones. The logits of the first step are those of `start`.
#include "compiler/import/huggingface/blocks/SizeIn.h"
#include "compiler/import/huggingface/generation/AppendTokens.h"
#include "compiler/import/huggingface/generation/BeamSearch.h"
#include "compiler/import/huggingface/generation/CachedAttend.h"
#include "compiler/import/huggingface/generation/ChooseTokens.h"
#include "compiler/import/huggingface/generation/Conditional.h"
#include "compiler/import/huggingface/generation/ContrastiveSearch.h"
#include "compiler/import/huggingface/generation/Generation.h"
#include "compiler/import/huggingface/generation/Processors.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon::hf {
namespace {

EntryArgument input(GraphBuilder &g, StringRef name, ArrayRef<int64_t> shape,
                    Type element, ArrayRef<Attribute> dims) {
  return {name.str(), RankedTensorType::get(shape, element),
          g.ops.getArrayAttr(dims)};
}

/// An i1 that is true if `condition` is not.
Value negated(GraphBuilder &g, Value condition) {
  Value yes = arith::ConstantOp::create(g.ops, g.loc, g.ops.getBoolAttr(true));
  return arith::XOrIOp::create(g.ops, g.loc, condition, yes);
}

/// `encoder` is null in a model without one.
Sequences sequencesOf(const Step &step, const EncoderInputs *encoder) {
  GraphBuilder &g = step.g;
  const CallSizes &call = step.call;
  Sequences at = {
      step.states.readFirst(state::ids, call.texts, step.now),
      g.fromSize(step.columns, g.i64()), g.fromSize(call.prompt, g.i64()),
      g.fromSize(call.limit, g.i64()), step.options.get(Option::NumBeams)};
  if (encoder) {
    at.source.exists = encoder->hasTokens;
    at.source.columns = step.states.encoderPositions();
    at.source.ids = [&step] {
      GraphBuilder &g = step.g;
      Value item = g.div(g.iota(g.i64(), {step.call.texts}, 0),
                         g.fromSize(step.call.each, g.i64()));
      return g.take(step.states.read(state::encoderIds), item, 0);
    };
  }
  return at;
}

/// The scores of the next token of each text after all processors. Scores of
/// beams are log-probabilities, other scores are logits.
Value nextScores(const Step &step, const Sequences &at, Value logits) {
  GraphBuilder &g = step.g;
  Value scores = choose(
      g, step.call.isSearch, g.sizes(logits),
      [&] { return logSoftmax(g, logits); }, [&] { return logits; });
  return processed(g, step.options, at, step.restricted(scores));
}

SmallVector<Value> parts(const Proposal &found) {
  return {found.tokens, found.logs, found.best};
}

/// A turn of countWhile: the count after it, and an i1 to go on.
struct Turn {
  Value count, goes;
};

/// A while loop that counts from `first` up to `most` as long as `goes`, an i1,
/// and the body, which gets the count, say so. Returns the count.
Value countWhile(GraphBuilder &g, Size first, Size most, Value goes,
                 llvm::function_ref<Turn(Value)> body) {
  Value start = g.indexValue(first), end = g.indexValue(most);
  SmallVector<Type> types = {start.getType(), goes.getType()};
  SmallVector<Location> locations(2, g.loc);
  auto loop =
      scf::WhileOp::create(g.ops, g.loc, types, ValueRange{start, goes});
  OpBuilder::InsertionGuard guard(g.ops);
  Block *before = g.ops.createBlock(&loop.getBefore(), {}, types, locations);
  Value less = arith::CmpIOp::create(g.ops, g.loc, arith::CmpIPredicate::slt,
                                     before->getArgument(0), end);
  Value more =
      arith::AndIOp::create(g.ops, g.loc, less, before->getArgument(1));
  scf::ConditionOp::create(g.ops, g.loc, more, before->getArguments());
  Block *after = g.ops.createBlock(&loop.getAfter(), {}, types, locations);
  Turn turn = body(after->getArgument(0));
  scf::YieldOp::create(g.ops, g.loc, ValueRange{turn.count, turn.goes});
  return loop.getResult(0);
}
} // namespace

void Generation::buildAdvance() {
  Attribute open = g.ops.getStringAttr("allowed_rows");
  int64_t vocabulary = setup.config.vocabulary();
  EntryArgument steps = input(g, "steps", {}, g.i64(), {});
  EntryArgument allowedInput =
      input(g, "allowed", {ShapedType::kDynamic, vocabulary}, g.i1(),
            {open, g.ops.getI64IntegerAttr(vocabulary)});
  steps.defaultValue =
      DenseElementsAttr::get(steps.type, ArrayRef<int64_t>{int64_t(1)});
  steps.range = integerRange(g.ops.getContext(), 0, INT64_MAX);
  allowedInput.defaultValue = DenseElementsAttr::get(
      RankedTensorType::get({0, vocabulary}, g.i1()), ArrayRef<bool>{});
  func::FuncOp entry = entries.begin("advance", {steps, allowedInput});
  Value stepsArgument = entry.getArgument(0), allowed = entry.getArgument(1);
  states.beginEntry();
  CallSizes call = CallSizes::read(g, states);
  Size wanted = sizeIn(g, stepsArgument);
  Size most = g.min(g.max(wanted, g.index(0)), states.positions());
  auto isPositive = [&](Size size) {
    return g.cmp(arith::CmpIPredicate::sgt, size, g.index(0));
  };
  auto hasMasks = cast<Value>(isPositive(g.size(allowed, 0)));

  auto isGoing = [&](Size half) -> Value {
    Value going = states.readFirst(state::going, g.index(1), half);
    return g.extractScalar(g.compare(CompareDirection::GT, going, 0));
  };
  Value going = isGoing(g.rem(call.step, g.index(2)));
  // Steps that a cancelled run has made count as steps of this one.
  Size told = g.clamp(states.readSize(state::told), g.index(0), call.step);
  Size pending = g.sub(call.step, told);
  Value count = countWhile(g, pending, most, going, [&](Value k) -> Turn {
    CallSizes now = call;
    now.step = g.add(told, k);
    Step step(g, states, options, now);
    step.allowed = allowed;
    step.restricts = arith::AndIOp::create(
        g.ops, g.loc, hasMasks,
        arith::CmpIOp::create(g.ops, g.loc, arith::CmpIPredicate::eq, k,
                              g.indexValue(g.index(0))));
    ContrastiveSearch contrast(step);
    // Contrastive search takes a step by two turns: one finds candidates, one
    // computes them. Other calls compute the tokens of the step before.
    Value tries = contrast.hasCandidates();
    Value computes =
        arith::SelectOp::create(g.ops, g.loc, call.isContrastive, tries,
                                cast<Value>(isPositive(now.step)));
    auto first = [&] { return g.splat(g.i64(), {call.texts}, 0); };
    Value place = choose(
        g, computes, {call.texts},
        [&] {
          Value hidden = computeTokens(step);
          return choose(
              g, tries, {call.texts},
              [&] { return contrast.choose(hidden, logitsState()); }, first);
        },
        first);
    onlyIf(g, negated(g, tries), [&] { findCandidates(step); });
    Value takesStep = arith::OrIOp::create(g.ops, g.loc, tries,
                                           negated(g, call.isContrastive));
    onlyIf(g, takesStep, [&] {
      // Beams have taken theirs.
      onlyIf(g, negated(g, call.isSearch), [&] { appendTokens(step, place); });
      // The step takes effect by this write.
      states.writeSize(state::step, g.add(now.step, g.index(1)));
      states.writeSize(state::cached, step.columns);
    });
    Size next = g.add(k, g.select(takesStep, g.index(1), g.index(0)));
    Value goes = arith::OrIOp::create(g.ops, g.loc, negated(g, takesStep),
                                      isGoing(step.next));
    return {g.indexValue(next), goes};
  });

  // The new ids, but for beams, which may still change all of theirs.
  Size made = g.bound(g.min(count, most), most);
  Size parity = g.rem(g.add(told, count), g.index(2));
  Size returned = g.bound(g.select(call.isSearch, g.index(0), made), most);
  Value ids = states.readFirst(state::ids, call.texts, parity);
  Size from = g.min(g.add(call.prompt, told), states.positions());
  Value found = g.sliceDim(ids, 1, from, returned);
  Value stays =
      g.compare(CompareDirection::GT,
                states.readFirst(state::going, g.index(1), parity), 0);
  Value allTold = g.compare(CompareDirection::EQ, g.fromSize(made, g.i64()),
                            g.fromSize(count, g.i64()));
  Value finished = g.make<AndOp>(g.make<NotOp>(stays), allTold);
  states.writeSize(state::told, g.add(told, made));
  entries.end(entry, {found, g.fromSize(made, g.i64()), finished},
              {"ids", "steps_made", "finished"});
}

void Generation::findCandidates(const Step &step) {
  const CallSizes &call = step.call;
  Sequences at = sequencesOf(step, encoder ? &setup.inputs.encoder() : nullptr);
  Value scores = nextScores(step, at, readLogits(call.texts));
  either(
      g, call.isSearch,
      [&] {
        // Each text is a row of the model.
        CallSizes sizes = call;
        sizes.rows = call.texts;
        searchBeams(Step(g, states, options, sizes), at, scores,
                    setup.compatibility);
      },
      [&] {
        Sizes rows = {call.rows}, texts = {call.texts};
        SmallVector<Value> found = chooseAll(
            g, call.isContrastive, {rows, rows, texts},
            [&] { return parts(ContrastiveSearch(step).propose(scores)); },
            [&] { return parts(chooseTokens(step, at, scores)); });
        writeProposal(step, {found[0], found[1], found[2]});
      });
}

Value Generation::computeTokens(const Step &step) {
  const CallSizes &call = step.call;
  CachePlaces places;
  places.row = step.rowNumbers();
  // Candidates are tokens of this step, others those of the step before.
  Size back = g.select(call.isContrastive, g.index(0), g.index(1));
  places.first = g.sub(step.newPositions(), g.fromSize(back, g.i64()));
  places.positions = g.unsqueeze(places.first, {1});
  places.lengths = g.add(places.first, 1.0);
  places.table = states.readFirst(state::table, call.rows, step.now);
  places.items = call.batch;
  places.rowsOfItem = call.copies;
  Value tokens = choose(
      g, call.isContrastive, {call.rows, g.index(1)},
      [&] {
        return g.unsqueeze(states.readFirst(state::candidates, call.rows), {1});
      },
      [&] {
        Size before = g.max(g.sub(step.columns, g.index(1)), g.index(0));
        return g.sliceDim(states.readFirst(state::ids, call.rows, step.now), 1,
                          before, g.index(1));
      });
  Value hidden = hiddenOf(tokens, places, /*needed=*/nullptr);
  writeLogits(logitsOf(hidden));
  return g.squeeze(hidden, {1});
}

} // namespace tenon::hf
