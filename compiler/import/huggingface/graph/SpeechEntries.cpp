// Neither entry reads weights or states.
#include "compiler/import/huggingface/graph/SpeechEntries.h"

#include "compiler/import/huggingface/blocks/LogMel.h"
#include "compiler/import/huggingface/blocks/SizeIn.h"

using namespace mlir;

namespace tenon::hf {
namespace {

/// An input whose default is a list or one integer.
EntryArgument integers(Builder &b, StringRef name, StringRef extent,
                       ArrayRef<int64_t> values) {
  SmallVector<int64_t> shape;
  SmallVector<Attribute> dims;
  EntryArgument input{name.str(), {}, {}};
  if (!extent.empty()) {
    shape.push_back(int64_t(values.size()));
    dims.push_back(b.getStringAttr(extent));
  }
  input.defaultValue = DenseIntElementsAttr::get(
      RankedTensorType::get(shape, b.getI64Type()), values);
  input.type = RankedTensorType::get(
      SmallVector<int64_t>(shape.size(), ShapedType::kDynamic), b.getI64Type());
  input.dims = b.getArrayAttr(dims);
  return input;
}

EntryArgument integer(Builder &b, StringRef name, int64_t value) {
  return integers(b, name, "", value);
}

/// An input whose default is these bytes.
EntryArgument bytes(Builder &b, StringRef name, ArrayRef<uint8_t> values) {
  Type element = b.getIntegerType(8, /*isSigned=*/false);
  EntryArgument input{
      name.str(), RankedTensorType::get({ShapedType::kDynamic}, element),
      b.getArrayAttr({b.getStringAttr((name + "_bytes").str())})};
  input.defaultValue = DenseElementsAttr::get(
      RankedTensorType::get({int64_t(values.size())}, element), values);
  return input;
}

/// An input whose default is the names, each with a zero behind it.
EntryArgument names(Builder &b, StringRef name, ArrayRef<NamedToken> tokens) {
  std::vector<uint8_t> values;
  for (const NamedToken &token : tokens) {
    values.insert(values.end(), token.name.begin(), token.name.end());
    values.push_back(0);
  }
  return bytes(b, name, values);
}

std::vector<int64_t> idsOf(ArrayRef<NamedToken> tokens) {
  std::vector<int64_t> ids;
  for (const NamedToken &token : tokens)
    ids.push_back(token.token);
  return ids;
}

/// The token before the text of earlier windows. Older checkpoints do not name
/// it, and have it as the last but one of those that never come.
int64_t previousToken(const GenerationConfig &defaults) {
  if (defaults.speech->previous)
    return *defaults.speech->previous;
  const std::vector<int64_t> &never = defaults.suppressTokens;
  return never.size() < 2 ? -1 : never[never.size() - 2];
}
} // namespace

void SpeechEntries::buildFeatures() {
  Builder &b = g.ops;
  SmallVector<EntryArgument> inputs = {
      {"samples", RankedTensorType::get({ShapedType::kDynamic}, g.f32()),
       b.getArrayAttr({b.getStringAttr("samples")})}};
  for (StringRef name : {"before", "after"}) {
    inputs.push_back(integer(b, name, 0));
    inputs.back().range = integerRange(b.getContext(), 0, INT64_MAX);
  }
  func::FuncOp entry = entries.begin("features", inputs);
  auto size = [&](unsigned i) { return sizeIn(g, entry.getArgument(i)); };
  LogMel made =
      logMel(g, {entry.getArgument(0), size(1), size(2)}, config.bins);
  entries.end(entry, {made.features, made.greatest}, {"features", "greatest"});
}

void SpeechEntries::buildTokens() {
  Builder &b = g.ops;
  const SpeechTokens &tokens = *defaults.speech;
  std::vector<int64_t> first;
  for (std::optional<int64_t> token : tokens.first)
    first.push_back(token.value_or(-1));
  EntryArgument isMultilingual{
      "is_multilingual", RankedTensorType::get({}, g.i1()), b.getArrayAttr({})};
  isMultilingual.defaultValue =
      DenseElementsAttr::get(isMultilingual.type, tokens.isMultilingual);
  func::FuncOp entry = entries.begin(
      "tokens",
      {integers(b, "languages", "languages", idsOf(tokens.languages)),
       names(b, "language_names", tokens.languages),
       integers(b, "tasks", "tasks", idsOf(tokens.tasks)),
       names(b, "task_names", tokens.tasks),
       integers(b, "first_tokens", "first_tokens", first),
       integer(b, "no_timestamps_token_id", tokens.noTimestamps.value_or(-1)),
       integer(b, "prev_sot_token_id", previousToken(defaults)), isMultilingual,
       bytes(b, "pieces", tokens.pieces)});
  entries.end(entry, {entry.getArgument(5)}, {"no_timestamps"});
}

} // namespace tenon::hf
