// Entries of models with an encoder compute one row after another: a row of the
// encoder has a length of its own.
#include "compiler/import/huggingface/graph/PlainEntries.h"

#include "compiler/import/huggingface/blocks/CheckedInput.h"
#include "compiler/import/huggingface/blocks/LeftPads.h"
#include "compiler/import/huggingface/blocks/Loop.h"

using namespace mlir;

namespace tenon::hf {
namespace {

/// Attention in a sequence whose tokens also attend to one item.
class AttendToItem : public AttendInSequence {
public:
  AttendToItem(const EncoderDecoder &model, Value hidden)
      : model(model), item(hidden) {}

  Value cross(GraphBuilder &g, int64_t layer, Value queries,
              double scale) const override {
    Projections projected = model.crossProjections(layer, item);
    projected.queries = queries;
    return attendToAll(g, projected, scale);
  }

private:
  const EncoderDecoder &model;
  Value item;
};

/// Row `row` of `x`, with a first extent of one.
Value rowOf(GraphBuilder &g, Value x, Size row) {
  return g.sliceDim(x, 0, row, g.index(1));
}

/// `x` with `update`, whose first extent is one, at the begin of row `row`.
Value withRow(GraphBuilder &g, Value x, Size row, Value update) {
  Sizes offsets(g.rankOf(x), g.index(0));
  offsets[0] = row;
  return g.dynamicUpdateSlice(x, update, offsets);
}
} // namespace

void PlainEntries::buildLogits() {
  if (config.hasEncoder())
    buildEncoderDecoderLogits();
  else
    buildDecoderLogits();
}

Value PlainEntries::logits(const Decoder &decoder, Value ids, Value lengths,
                           StringRef input, const Attend &attend) {
  LeftPads pads(g, ids, lengths);
  // Pads are removed before the check: they may be any number.
  Value tokens = checkedInput(g, pads.removeFrom(ids), 0,
                              g.index(config.vocabulary()), input);
  Value positions = g.iota(g.i64(), {g.size(ids, 1)}, 0);
  Value hidden = decoder.hidden(tokens, positions, attend);
  return decoder.logits(pads.restoreTo(hidden));
}

void PlainEntries::buildDecoderLogits() {
  func::FuncOp entry =
      entries.begin("logits", {inputs.argument(g.ops, "ids"),
                               inputs.argument(g.ops, "lengths")});
  Value ids = entry.getArgument(0);
  Value lengths = checkedInput(g, entry.getArgument(1), 0,
                               g.add(g.size(ids, 1), g.index(1)), "lengths");
  std::unique_ptr<Decoder> decoder = makeDecoder(config, Part(g, parameters));
  Value all = logits(*decoder, ids, lengths, "ids", AttendInSequence());
  entries.end(entry, {all}, {"logits"});
}

void PlainEntries::buildEncoderDecoderLogits() {
  const std::vector<EncoderInput> &given = inputs.encoder().alone;
  SmallVector<EntryArgument> arguments;
  for (const EncoderInput &input : given)
    arguments.push_back(inputs.argument(g.ops, input.name));
  for (StringRef name : {"decoder_ids", "decoder_lengths"})
    arguments.push_back(inputs.argument(g.ops, name));
  func::FuncOp entry = entries.begin("logits", arguments);
  Value ids = entry.getArgument(given.size());
  Value lengths =
      checkedInput(g, entry.getArgument(given.size() + 1), 0,
                   g.add(g.size(ids, 1), g.index(1)), "decoder_lengths");
  std::unique_ptr<EncoderDecoder> model =
      makeEncoderDecoder(config, Part(g, parameters));
  std::unique_ptr<Encoder> encoder =
      model->encoder(encoderArguments(given, entry.getArguments(), 0));
  Size rows = g.size(ids, 0);
  Value none =
      g.splat(g.f32(), {rows, g.size(ids, 1), g.index(config.vocabulary())}, 0);
  Value all = forEach(g, rows, none, [&](Size row, Value done) {
    AttendToItem attend(*model, encoder->encode(row));
    return withRow(g, done, row,
                   logits(*model, rowOf(g, ids, row), rowOf(g, lengths, row),
                          "decoder_ids", attend));
  });
  entries.end(entry, {all}, {"logits"});
}

void PlainEntries::buildEncode() {
  const std::vector<EncoderInput> &given = inputs.encoder().alone;
  SmallVector<EntryArgument> arguments;
  for (const EncoderInput &input : given)
    arguments.push_back(inputs.argument(g.ops, input.name));
  func::FuncOp entry = entries.begin("encode", arguments);
  std::unique_ptr<EncoderDecoder> model =
      makeEncoderDecoder(config, Part(g, parameters));
  std::unique_ptr<Encoder> encoder =
      model->encoder(encoderArguments(given, entry.getArguments(), 0));
  Value first = entry.getArgument(0);
  Value none = g.splat(
      g.f32(),
      {g.size(first, 0), encoder->positions(), g.index(model->encoderWidth())},
      0);
  Value all = forEach(g, g.size(first, 0), none, [&](Size row, Value done) {
    return withRow(g, done, row, encoder->encode(row));
  });
  entries.end(entry, {all}, {"hidden"});
}

} // namespace tenon::hf
