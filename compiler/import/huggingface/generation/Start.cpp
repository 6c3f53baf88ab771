// The entry `start`: keeps the options, computes the prompts, and prepares the
// states for the first step.
#include "compiler/import/huggingface/blocks/CheckedInput.h"
#include "compiler/import/huggingface/blocks/LeftPads.h"
#include "compiler/import/huggingface/blocks/SizeIn.h"
#include "compiler/import/huggingface/generation/BeamSearch.h"
#include "compiler/import/huggingface/generation/CachedAttend.h"
#include "compiler/import/huggingface/generation/Conditional.h"
#include "compiler/import/huggingface/generation/ContrastiveSearch.h"
#include "compiler/import/huggingface/generation/Generation.h"
#include "compiler/import/huggingface/generation/KeptColumns.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tenon::hf {
namespace {

class Start {
public:
  Start(GraphBuilder &g, CallStates &states, Options &options, Value ids,
        Value lengths, Value keep)
      : g(g), states(states), options(options), ids(ids), kept(g, states) {
    call.batch = g.size(ids, 0);
    call.prompt = g.size(ids, 1);
    // No prompt is there until finish().
    states.writeSize(state::step, g.index(-1));
    g.checkSize(call.prompt, g.index(1), states.positions(),
                "input \"ids\": columns within the context's positions");
    this->lengths =
        checkedInput(g, lengths, 1, g.add(call.prompt, g.index(1)), "lengths");
    kept.ask(keep, call.prompt,
             g.sub(g.fromSize(call.prompt, g.i64()), this->lengths));
  }

  /// Reads the sizes of the call from the options.
  void readOptions(Compatibility compatibility) {
    Size beams = option(Option::NumBeams),
         sequences = option(Option::NumReturnSequences);
    Value sample = g.extractScalar(options.get(Option::DoSample));
    // Contrastive search is found before the others. All of this is computed
    // from scalars: the plan of memory checks sizes, and should run no kernel.
    call.isContrastive = isContrastive(sample);
    Size hasBeams = isAbove(beams, 1);
    auto either = [&](Size contrastive, Size search, Size otherwise) {
      return g.select(call.isContrastive, contrastive,
                      g.select(hasBeams, search, otherwise));
    };
    strategy = either(index(Strategy::Contrastive), index(Strategy::Beams),
                      index(Strategy::Choose));
    Size most = either(g.index(1), beams,
                       g.select(sample, g.index(INT64_MAX), g.index(1)));
    g.checkSize(sequences, g.index(1), most,
                "input \"num_return_sequences\": at most num_beams, or one "
                "without sampling");
    Size candidates =
        g.min(option(Option::TopK), g.index(options.vocabulary()));
    Size wanted = either(candidates, beams, sequences), rows = states.rows();
    g.checkSize(g.mul(call.batch, wanted), g.index(1), rows,
                "rows of \"ids\" times beams, sequences or candidates, within "
                "the context's rows");
    g.checkSize(g.select(call.isContrastive, call.batch, g.index(0)),
                g.index(0), states.contrastPrompts(),
                "rows of \"ids\" in contrastive search, within the context's "
                "contrast_prompts");
    call.copies = g.bound(g.clamp(wanted, g.index(1), rows), rows);
    call.rows = g.bound(g.min(g.mul(call.batch, call.copies), rows), rows);
    call.each =
        g.bound(g.select(call.isContrastive, g.index(1), call.copies), rows);
    call.texts = g.bound(
        g.select(call.isContrastive, g.min(call.batch, rows), call.rows), rows);

    Size all = option(Option::MaxLength), fresh = option(Option::MaxNewTokens);
    auto isGiven = [&](Size size) {
      return g.cmp(arith::CmpIPredicate::sge, size, g.index(0));
    };
    // Without either: 20 new tokens in PyTorch, 20 in all in TensorFlow.
    Size neither = compatibility == Compatibility::Pt
                       ? g.add(call.prompt, g.index(20))
                       : g.index(20);
    Size asked = g.select(isGiven(fresh),
                          g.add(call.prompt, g.min(fresh, states.positions())),
                          g.select(isGiven(all), all, neither));
    g.checkSize(option(Option::MinLength), g.index(0), asked,
                "input \"min_length\": at most the greatest length");
    call.limit = g.min(asked, states.positions());
  }

  void checkKept() { kept.check(call, ids); }

  /// Computes the items of `encoder`, or checks that the states have them if
  /// `keeps`, an i1.
  void encode(EncoderStates &items, const EncoderDecoder &model,
              ArrayRef<EncoderArgument> inputs, Value keeps, int64_t layers) {
    g.checkSize(call.batch, g.index(1), states.items(),
                "rows of \"ids\", within the context's items");
    Value isKept = g.extractScalar(keeps);
    // The cache's columns follow from the items that they were computed with.
    g.checkSize(g.select(isKept, g.index(0), kept.columns()), g.index(0),
                g.index(0), "input \"keep\": without \"keep_encoder\"");
    onlyIf(g, isKept, [&] { items.checkKept(call.batch); });
    Size computes = g.cmp(arith::CmpIPredicate::eq,
                          g.select(isKept, g.index(1), g.index(0)), g.index(0));
    onlyIf(g, computes, [&] {
      std::unique_ptr<Encoder> encoder = model.encoder(inputs);
      Size count = g.bound(g.min(call.batch, states.items()), states.items());
      items.encode(model, *encoder, count, layers);
    });
  }

  /// The tokens to compute, to the left: the last `count` of each row. The
  /// model gives the results of the last `needed` of these.
  Value tokens(int64_t vocabulary, CachePlaces &places, Value &count,
               Size &needed) {
    Value fresh =
        g.sliceDim(ids, 1, kept.columns(),
                   g.bound(g.sub(call.prompt, kept.columns()), call.prompt));
    count = g.sub(lengths, kept.tokens());
    Value tokens = LeftPads(g, fresh, count).removeFrom(fresh);
    places.row = firstRows(g, call, call.copies);
    places.first = kept.tokens();
    places.positions = g.add(g.unsqueeze(places.first, {1}),
                             g.iota(g.i64(), g.sizes(tokens), 1));
    places.lengths = lengths;
    places.table = table = kept.table(call);
    places.items = call.batch;
    places.rowsOfItem = g.index(1);
    // Contrastive search compares tokens with all before them.
    Size all = g.size(tokens, 1);
    needed = g.bound(g.select(call.isContrastive, all, g.index(1)), all);
    return checkedInput(g, tokens, 0, g.index(vocabulary), "ids");
  }

  /// Keeps what contrastive search compares with.
  void keepHidden(Value hidden) {
    onlyIf(g, call.isContrastive,
           [&] { writeHidden(states, g, hidden, kept.columns()); });
  }

  /// `logits`, [batch, vocabulary], for the texts.
  Value perText(Value logits) { return g.take(logits, promptOfText(), 0); }

  /// Writes all states of the call; the number of the step last.
  void finish() {
    states.writeSize(state::strategy, strategy);
    states.writeSize(state::batch, call.batch);
    states.writeSize(state::copies, call.copies);
    states.writeSize(state::prompt, call.prompt);
    states.writeSize(state::limit, call.limit);
    Value prompts = promptsOfRows(g, call);
    Value rowLengths = g.take(lengths, prompts, 0);
    states.writeFirst(state::lengths, rowLengths);
    writeTable(prompts, rowLengths);
    Size positions = states.positions(), now = g.index(0);

    Sizes wide = {call.texts, positions};
    Value column = g.iota(g.i64(), wide, 1);
    Value last = g.fromSize(g.sub(call.prompt, g.index(1)), g.i64());
    Value place =
        g.add(g.mul(g.broadcastInDim(promptOfText(), {0}, wide),
                    g.broadcastTo(g.fromSize(call.prompt, g.i64()), wide)),
              g.minimum(column, g.broadcastTo(last, wide)));
    Value given =
        g.take(g.reshape(ids, {g.mul(call.batch, call.prompt)}), place, 0);
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

    Value isFirst =
        g.compare(CompareDirection::EQ,
                  g.sub(g.iota(g.i64(), {call.texts}, 0),
                        g.mul(promptOfText(), g.fromSize(call.each, g.i64()))),
                  0);
    Value none = g.splat(g.f32(), {call.texts}, noScore);
    states.writeFirst(state::scores,
                      g.select(isFirst, g.splatLike(none, 0), none), now);
    states.writeFirst(state::doneScores, none, now);
    Value zeros = g.splat(g.i64(), {call.texts}, 0);
    states.writeFirst(state::doneLengths, zeros, now);
    states.writeFirst(state::ends, zeros, now);
    states.writeFirst(state::improves, g.splatLike(zeros, 1), now);
    states.writeFirst(state::going,
                      g.convert(g.compare(CompareDirection::LT,
                                          g.fromSize(call.prompt, g.i64()),
                                          g.fromSize(call.limit, g.i64())),
                                g.i64()),
                      now);
    states.writeSize(state::cached, call.prompt);
    states.writeSize(state::told, g.index(0));
    states.writeSize(state::proposed, g.index(0));
    states.writeSize(state::step, g.index(0));
  }

  Size columns() const { return call.prompt; }

private:
  Size option(Option option) { return sizeIn(g, options.get(option)); }
  Size index(Strategy strategy) { return g.index(int64_t(strategy)); }
  Size isAbove(Size size, int64_t least) {
    return g.cmp(arith::CmpIPredicate::sgt, size, g.index(least));
  }
  Value isContrastive(Value sample) {
    Value alpha = g.extractScalar(options.get(Option::PenaltyAlpha));
    Value zero =
        arith::ConstantOp::create(g.ops, g.loc, g.ops.getF32FloatAttr(0));
    Value isOn = arith::CmpFOp::create(g.ops, g.loc, arith::CmpFPredicate::OGT,
                                       alpha, zero);
    auto tries = cast<Value>(isAbove(option(Option::TopK), 1));
    Value both = arith::AndIOp::create(g.ops, g.loc, isOn, tries);
    Value no =
        arith::ConstantOp::create(g.ops, g.loc, g.ops.getBoolAttr(false));
    return arith::SelectOp::create(g.ops, g.loc, sample, no, both);
  }

  /// The prompt of each text, [texts].
  Value promptOfText() {
    return g.div(g.iota(g.i64(), {call.texts}, 0),
                 g.fromSize(call.each, g.i64()));
  }

  /// Rows of a prompt share its positions. What follows is their own.
  void writeTable(Value prompts, Value rowLengths) {
    Sizes sizes = {call.rows, states.positions()};
    Value ofPrompt = g.compare(CompareDirection::LT, g.iota(g.i64(), sizes, 1),
                               g.broadcastInDim(rowLengths, {0}, sizes));
    states.writeFirst(state::table,
                      g.select(ofPrompt, g.take(table, prompts, 0),
                               g.iota(g.i64(), sizes, 0)),
                      g.index(0));
  }

  GraphBuilder &g;
  CallStates &states;
  Options &options;
  Value ids;
  KeptColumns kept;
  CallSizes call; ///< but for the step
  Value lengths;  ///< [batch]
  Size strategy;
  Value table; ///< of the prompts, [batch, positions]
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
  Value count;
  Size needed;
  Value tokens = start.tokens(setup.config.vocabulary(), places, count, needed);
  Value hidden = hiddenOfPrompt(tokens, places, count, needed, start.columns());
  Value logits = logitsOf(hidden);
  start.keepHidden(hidden);
  writeLogits(start.perText(logits));
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
