// The entry `start`: keeps the options, computes the prompts, and prepares the
// states for the first step.
#include "compiler/import/huggingface/blocks/CheckedInput.h"
#include "compiler/import/huggingface/blocks/LeftPads.h"
#include "compiler/import/huggingface/blocks/SizeIn.h"
#include "compiler/import/huggingface/generation/BeamSearch.h"
#include "compiler/import/huggingface/generation/CachedAttend.h"
#include "compiler/import/huggingface/generation/Conditional.h"
#include "compiler/import/huggingface/generation/Generation.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tenon::hf {
namespace {

class Start {
public:
  Start(GraphBuilder &g, CallStates &states, Options &options, Value ids,
        Value lengths, Value keep)
      : g(g), states(states), options(options), ids(ids), batch(g.size(ids, 0)),
        prompt(g.size(ids, 1)), oldStep(states.readSize(state::step)) {
    // No prompt is there until finish().
    states.writeSize(state::step, g.index(-1));
    g.checkSize(prompt, g.index(1), states.positions(),
                "input \"ids\": columns within the context's positions");
    this->lengths =
        checkedInput(g, lengths, 1, g.add(prompt, g.index(1)), "lengths");
    pads = g.sub(g.fromSize(prompt, g.i64()), this->lengths);
    kept = sizeIn(g, keep);
    g.checkSize(kept, g.index(0), g.sub(prompt, g.index(1)), "input \"keep\"");
    kept =
        g.bound(g.clamp(kept, g.index(0), g.sub(prompt, g.index(1))), prompt);
  }

  /// Reads the sizes of the call from the options.
  void readOptions(Compatibility compatibility) {
    Size beams = option(Option::NumBeams),
         sequences = option(Option::NumReturnSequences);
    Value sample = g.extractScalar(options.get(Option::DoSample));
    Size isSearch = g.cmp(arith::CmpIPredicate::sgt, beams, g.index(1));
    Size most = g.select(isSearch, beams,
                         g.select(sample, g.index(INT64_MAX), g.index(1)));
    g.checkSize(sequences, g.index(1), most,
                "input \"num_return_sequences\": at most num_beams, or one "
                "without sampling");
    Size wanted = g.select(isSearch, beams, sequences);
    g.checkSize(g.mul(batch, wanted), g.index(1), states.rows(),
                "rows of \"ids\" times beams or sequences, within the "
                "context's rows");
    copies = g.bound(g.clamp(wanted, g.index(1), states.rows()), states.rows());
    rows = g.bound(g.min(g.mul(batch, copies), states.rows()), states.rows());

    Size all = option(Option::MaxLength), fresh = option(Option::MaxNewTokens);
    auto isGiven = [&](Size size) {
      return g.cmp(arith::CmpIPredicate::sge, size, g.index(0));
    };
    // Without either: 20 new tokens in PyTorch, 20 in all in TensorFlow.
    Size neither = compatibility == Compatibility::Pt
                       ? g.add(prompt, g.index(20))
                       : g.index(20);
    Size asked = g.select(isGiven(fresh),
                          g.add(prompt, g.min(fresh, states.positions())),
                          g.select(isGiven(all), all, neither));
    g.checkSize(option(Option::MinLength), g.index(0), asked,
                "input \"min_length\": at most the greatest length");
    limit = g.min(asked, states.positions());
  }

  /// Ends the run unless the context holds the first `keep` columns of `ids`.
  void checkKept() {
    Size some = g.cmp(arith::CmpIPredicate::sgt, kept, g.index(0));
    onlyIf(g, some, [&] {
      auto check = [&](Size found, Size expected, const char *what) {
        g.checkSize(found, expected, expected,
                    std::string("input \"keep\": ") + what +
                        " of the call before");
      };
      g.checkSize(oldStep, g.index(0), g.index(INT64_MAX),
                  "input \"keep\": a context with a call before");
      check(states.readSize(state::batch), batch, "the rows");
      check(states.readSize(state::copies), copies, "the beams or sequences");
      g.checkSize(kept, g.index(0), states.readSize(state::cached),
                  "input \"keep\": columns of the call before");
      Size half = g.rem(g.max(oldStep, g.index(0)), g.index(2));
      Value first = firstRows();
      auto differing = [&](Value a, Value b) {
        Value differs = g.compare(CompareDirection::NE, a, b);
        SmallVector<int64_t> dims =
            llvm::to_vector(llvm::seq<int64_t>(0, g.rankOf(differs)));
        return sizeIn(g, g.reduce(ReduceKind::Add, g.convert(differs, g.i64()),
                                  dims, false));
      };
      auto before = [&](Value x, Value first) {
        return g.sliceDim(g.take(x, first, 0), 1, g.index(0), kept);
      };
      Value oldIds = before(states.readFirst(state::ids, rows, half), first);
      check(differing(oldIds, g.sliceDim(ids, 1, g.index(0), kept)), g.index(0),
            "the first ids");
      // Rows must have the pads that they had, and their own part of the cache.
      Value oldLengths =
          g.take(states.readFirst(state::lengths, rows), first, 0);
      Value oldPads = g.sub(
          g.broadcastTo(g.fromSize(states.readSize(state::prompt), g.i64()),
                        {batch}),
          oldLengths);
      Value most = g.fromSize(kept, g.i64());
      check(differing(g.minimum(oldPads, most), g.minimum(pads, most)),
            g.index(0), "the pads");
      Value table = before(states.readFirst(state::table, rows, half), first);
      Value inUse = g.compare(
          CompareDirection::LT, g.iota(g.i64(), g.sizes(table), 1),
          g.broadcastTo(g.unsqueeze(keptTokens(), {1}), g.sizes(table)));
      Value own = g.broadcastTo(g.unsqueeze(first, {1}), g.sizes(table));
      check(differing(table, g.select(inUse, own, table)), g.index(0),
            "the first beams");
    });
  }

  /// Computes the items of `encoder`, or checks that the states have them if
  /// `keeps`, an i1.
  void encode(EncoderStates &kept, const EncoderDecoder &model,
              ArrayRef<EncoderArgument> inputs, Value keeps, int64_t layers) {
    g.checkSize(batch, g.index(1), states.items(),
                "rows of \"ids\", within the context's items");
    Value isKept = g.extractScalar(keeps);
    // The cache's columns follow from the items that they were computed with.
    g.checkSize(g.select(isKept, g.index(0), this->kept), g.index(0),
                g.index(0), "input \"keep\": without \"keep_encoder\"");
    onlyIf(g, isKept, [&] { kept.checkKept(batch); });
    Size computes = g.cmp(arith::CmpIPredicate::eq,
                          g.select(isKept, g.index(1), g.index(0)), g.index(0));
    onlyIf(g, computes, [&] {
      std::unique_ptr<Encoder> encoder = model.encoder(inputs);
      Size items = g.bound(g.min(batch, states.items()), states.items());
      kept.encode(model, *encoder, items, layers);
    });
  }

  /// The tokens to compute, to the left: the last ones of each row.
  Value tokens(int64_t vocabulary, CachePlaces &places, Value &last) {
    Value fresh =
        g.sliceDim(ids, 1, kept, g.bound(g.sub(prompt, kept), prompt));
    Value count = g.sub(lengths, keptTokens());
    Value tokens = LeftPads(g, fresh, count).removeFrom(fresh);
    places.row = firstRows();
    places.first = keptTokens();
    places.positions = g.add(g.unsqueeze(places.first, {1}),
                             g.iota(g.i64(), g.sizes(tokens), 1));
    places.lengths = lengths;
    places.table =
        g.broadcastInDim(places.row, {0}, {batch, states.positions()});
    places.items = batch;
    places.rowsOfItem = g.index(1);
    last = g.sub(count, 1.0);
    return checkedInput(g, tokens, 0, g.index(vocabulary), "ids");
  }

  /// `logits`, [batch, vocabulary], for the rows of the model.
  Value perRow(Value logits) { return g.take(logits, promptOfRow(), 0); }

  /// Writes all states of the call; the number of the step last.
  void finish() {
    states.writeSize(state::batch, batch);
    states.writeSize(state::copies, copies);
    states.writeSize(state::prompt, prompt);
    states.writeSize(state::limit, limit);
    Value rowLengths = g.take(lengths, promptOfRow(), 0);
    states.writeFirst(state::lengths, rowLengths);
    Size positions = states.positions(), now = g.index(0);
    Sizes wide = {rows, positions};

    Value column = g.iota(g.i64(), wide, 1);
    Value last = g.fromSize(g.sub(prompt, g.index(1)), g.i64());
    Value place = g.add(g.mul(g.broadcastInDim(promptOfRow(), {0}, wide),
                              g.broadcastTo(g.fromSize(prompt, g.i64()), wide)),
                        g.minimum(column, g.broadcastTo(last, wide)));
    Value given = g.take(g.reshape(ids, {g.mul(batch, prompt)}), place, 0);
    Value isGiven =
        g.compare(CompareDirection::LE, column, g.broadcastTo(last, wide));
    Value all = g.select(isGiven, given,
                         g.broadcastTo(options.get(Option::PadTokenId), wide));
    states.writeFirst(state::ids, all, now);
    states.writeFirst(state::doneIds, all, now);
    // Scores of columns that no step fills are told as zeros.
    Value unscored = g.splat(g.f32(), wide, 0);
    states.writeFirst(state::tokenScores, unscored, now);
    states.writeFirst(state::doneTokenScores, unscored, now);

    // Rows of a prompt share its positions in the cache's row of the first.
    Value row = g.iota(g.i64(), wide, 0);
    Value copiesOf = g.fromSize(copies, g.i64());
    Value firstRow = g.mul(g.div(row, g.broadcastTo(copiesOf, wide)),
                           g.broadcastTo(copiesOf, wide));
    Value ofPrompt = g.compare(CompareDirection::LT, column,
                               g.broadcastInDim(rowLengths, {0}, wide));
    states.writeFirst(state::table, g.select(ofPrompt, firstRow, row), now);

    Value number = g.iota(g.i64(), {rows}, 0);
    Value isFirst = g.compare(
        CompareDirection::EQ,
        g.sub(number, g.mul(promptOfRow(), g.broadcastTo(copiesOf, {rows}))),
        0);
    Value none = g.splat(g.f32(), {rows}, noScore);
    states.writeFirst(state::scores,
                      g.select(isFirst, g.splatLike(none, 0), none), now);
    states.writeFirst(state::doneScores, none, now);
    Value zeros = g.splat(g.i64(), {rows}, 0);
    states.writeFirst(state::doneLengths, zeros, now);
    states.writeFirst(state::ends, zeros, now);
    states.writeFirst(state::improves, g.splatLike(zeros, 1), now);
    states.writeFirst(
        state::going,
        g.convert(g.compare(CompareDirection::LT, g.fromSize(prompt, g.i64()),
                            g.fromSize(limit, g.i64())),
                  g.i64()),
        now);
    states.writeSize(state::cached, prompt);
    states.writeSize(state::told, g.index(0));
    states.writeSize(state::step, g.index(0));
  }

  Size columns() const { return prompt; }

private:
  Size option(Option option) { return sizeIn(g, options.get(option)); }
  /// The row of the model that is the first of each prompt, [batch].
  Value firstRows() {
    return g.mul(g.iota(g.i64(), {batch}, 0), g.fromSize(copies, g.i64()));
  }
  /// The prompt of each row of the model, [rows].
  Value promptOfRow() {
    return g.div(g.iota(g.i64(), {rows}, 0), g.fromSize(copies, g.i64()));
  }
  /// The tokens of each prompt that are in the cache, [batch].
  Value keptTokens() {
    return g.maximum(g.sub(g.fromSize(kept, g.i64()), pads), 0.0);
  }

  GraphBuilder &g;
  CallStates &states;
  Options &options;
  Value ids;
  Size batch, prompt;
  Size oldStep;        ///< of the call before; -1 without one
  Value lengths, pads; ///< [batch]
  Size kept;           ///< columns
  Size copies, rows, limit;
};
} // namespace

SmallVector<EntryArgument> Generation::startInputs() const {
  Builder &b = g.ops;
  auto number = [&](StringRef name, Type element, DenseElementsAttr initial) {
    EntryArgument input = {name.str(), RankedTensorType::get({}, element),
                           b.getArrayAttr({})};
    input.defaultValue = initial;
    return input;
  };
  auto scalar = RankedTensorType::get({}, g.i64());
  SmallVector<EntryArgument> inputs = {
      setup.inputs.argument(b, "ids"), setup.inputs.argument(b, "lengths"),
      number("keep", g.i64(),
             DenseElementsAttr::get(scalar, ArrayRef<int64_t>{int64_t(0)}))};
  inputs.back().range = integerRange(b.getContext(), 0, INT64_MAX);
  if (!encoder)
    return inputs;
  for (const EncoderInput &input : setup.inputs.encoder().inStart)
    inputs.push_back(setup.inputs.argument(b, input.name));
  inputs.push_back(
      number("keep_encoder", g.i1(),
             DenseElementsAttr::get(RankedTensorType::get({}, g.i1()), false)));
  // The graph does not read it: drivers make `ids` of it.
  inputs.push_back(
      number("decoder_start_token_id", g.i64(),
             DenseElementsAttr::get(
                 scalar, ArrayRef<int64_t>{setup.defaults.firstDecoderToken})));
  inputs.back().range = integerRange(b.getContext(), 0, maxToken);
  return inputs;
}

Value Generation::noSpeech(Value logits) {
  std::optional<int64_t> first = options.firstTimestamp();
  if (!first || *first < 2)
    return g.splat(g.f32(), {g.size(logits, 0)}, 0);
  Value shares = g.make<SoftmaxOp>(logits, uint64_t(1));
  return g.squeeze(g.sliceDim(shares, 1, g.index(*first - 2), g.index(1)), {1});
}

void Generation::buildStart() {
  SmallVector<EntryArgument> inputs = startInputs();
  size_t own = inputs.size();
  llvm::append_range(inputs, options.inputs());
  func::FuncOp entry = entries.begin("start", inputs);
  states.beginEntry();
  SmallVector<Value> arguments(entry.getArguments());
  Start start(g, states, options, arguments[0], arguments[1], arguments[2]);
  options.store(ArrayRef(arguments).drop_front(own));
  start.readOptions(setup.compatibility);
  start.checkKept();
  if (encoder) {
    const std::vector<EncoderInput> &given = setup.inputs.encoder().inStart;
    start.encode(*encoder,
                 *makeEncoderDecoder(setup.config, Part(g, parameters)),
                 encoderArguments(given, arguments, 3),
                 arguments[3 + given.size()], setup.config.layers());
  }
  CachePlaces places;
  Value last;
  Value tokens = start.tokens(setup.config.vocabulary(), places, last);
  Value logits =
      logitsOf(hiddenOfPrompt(tokens, places, last, start.columns()));
  writeLogits(start.perRow(logits));
  start.finish();
  SmallVector<Value> results = {g.fromSize(start.columns(), g.i64())};
  SmallVector<std::string> names = {"prompt"};
  if (setup.defaults.speech) {
    results.push_back(noSpeech(logits));
    names.push_back("no_speech");
  }
  entries.end(entry, results, names);
}

} // namespace tenon::hf
