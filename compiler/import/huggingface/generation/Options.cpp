// Inputs from the table of options, and the states that keep them. The state
// `call.option.NAME` has the value of NAME; a list of tokens is kept as a mask,
// and `call.option.NAME.count` is its length.
#include "compiler/import/huggingface/generation/Options.h"

#include "compiler/import/huggingface/blocks/SizeIn.h"
#include "compiler/import/huggingface/generation/OptionTable.h"

#include "dialects/tenon/State.h"

using namespace mlir;

namespace tenon::hf {
namespace {

/// The columns of a list of words as inputs have it. An empty list has one.
int64_t columnsOf(ArrayRef<std::vector<int64_t>> words) {
  size_t columns = 1;
  for (const std::vector<int64_t> &word : words)
    columns = std::max(columns, word.size());
  return int64_t(columns);
}

/// The default of an input.
struct DefaultValue {
  Builder &b;

  DenseElementsAttr integers(ArrayRef<int64_t> shape,
                             ArrayRef<int64_t> values) const {
    return DenseIntElementsAttr::get(
        RankedTensorType::get(shape, b.getI64Type()), values);
  }
  DenseElementsAttr floats(ArrayRef<int64_t> shape,
                           ArrayRef<float> values) const {
    return DenseFPElementsAttr::get(
        RankedTensorType::get(shape, b.getF32Type()), values);
  }
  DenseElementsAttr operator()(bool flag) const {
    return DenseElementsAttr::get(RankedTensorType::get({}, b.getI1Type()),
                                  flag);
  }
  DenseElementsAttr operator()(int64_t integer) const {
    return integers({}, integer);
  }
  DenseElementsAttr operator()(double number) const {
    return floats({}, float(number));
  }
  DenseElementsAttr operator()(const std::vector<int64_t> &tokens) const {
    return integers(int64_t(tokens.size()), tokens);
  }
  DenseElementsAttr
  operator()(const std::vector<std::vector<int64_t>> &words) const {
    int64_t columns = columnsOf(words);
    SmallVector<int64_t> padded;
    for (const std::vector<int64_t> &word : words) {
      padded.append(columns - word.size(), -1);
      llvm::append_range(padded, word);
    }
    return integers({int64_t(words.size()), columns}, padded);
  }
  DenseElementsAttr operator()(const std::vector<float> &biases) const {
    return floats(int64_t(biases.size()), biases);
  }
};

Type elementOf(Builder &b, OptionKind kind) {
  switch (kind) {
  case OptionKind::Flag:
    return b.getI1Type();
  case OptionKind::Number:
  case OptionKind::Biases:
    return b.getF32Type();
  case OptionKind::Integer:
  case OptionKind::Tokens:
  case OptionKind::Words:
    return b.getI64Type();
  }
  llvm_unreachable("a kind of option");
}

InputRangeAttr rangeOf(Builder &b, const OptionRow &row) {
  // The bounds of 64 bits exclude nothing.
  if (row.kind == OptionKind::Flag || row.greatest >= double(INT64_MAX))
    if (!isa<FloatType>(elementOf(b, row.kind)))
      return {};
  if (isa<FloatType>(elementOf(b, row.kind)))
    return floatRange(b.getContext(), float(row.least), float(row.greatest));
  return integerRange(b.getContext(), int64_t(row.least),
                      int64_t(row.greatest));
}

/// Sets elements of the vector `x` at `positions`; positions outside of it are
/// skipped.
Value setAt(GraphBuilder &g, Value x, Value positions, Value elements) {
  return g.make<ScatterOp>(
      x.getType(), ScatterKind::Set, x, g.unsqueeze(positions, {1}), elements,
      ArrayRef<int64_t>{}, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{},
      ArrayRef<int64_t>{}, ArrayRef<int64_t>{0}, 1);
}
} // namespace

Options::Options(GraphBuilder &g, const GenerationConfig &defaults,
                 int64_t vocabulary, Compatibility compatibility)
    : g(g), defaults(defaults), width(vocabulary),
      compatibility(compatibility) {}

ArrayRef<OptionRow> Options::rows() const {
  return speech() ? optionTable() : commonOptions();
}

SmallVector<EntryArgument> Options::inputs() const {
  Builder &b = g.ops;
  SmallVector<EntryArgument> inputs;
  for (const OptionRow &row : rows()) {
    SmallVector<Attribute> dims;
    for (StringRef extent : {row.extent, row.innerExtent})
      if (!extent.empty())
        dims.push_back(b.getStringAttr(extent));
    SmallVector<int64_t> shape(dims.size(), ShapedType::kDynamic);
    inputs.push_back(
        {row.name.str(), RankedTensorType::get(shape, elementOf(b, row.kind)),
         b.getArrayAttr(dims),
         std::visit(DefaultValue{b}, row.initial(defaults)), rangeOf(b, row)});
  }
  return inputs;
}

//===-- States ----------------------------------------------------------===//

void Options::enterFunction() {
  Operation *now = g.ops.getInsertionBlock()->getParentOp();
  while (!isa<func::FuncOp>(now))
    now = now->getParentOp();
  if (now == function)
    return;
  function = now;
  values.clear();
}

/// Declares the state `name` of the module around `function` if there is none.
static void declare(GraphBuilder &g, Operation *function, StringRef name,
                    RankedTensorType type) {
  auto module = function->getParentOfType<ModuleOp>();
  if (module.lookupSymbol(name))
    return;
  OpBuilder before(function);
  StateOp::create(before, g.loc, name, type, FlatSymbolRefAttr(),
                  ElementsAttr());
}

void Options::write(const Twine &state, Value value) {
  enterFunction();
  std::string name = ("call.option." + state).str();
  declare(g, function, name, GraphBuilder::typeOf(value));
  StateWriteOp::create(g.ops, g.loc, name, value);
  values[name] = value;
}

Value Options::read(const Twine &state, RankedTensorType type) {
  enterFunction();
  std::string name = ("call.option." + state).str();
  Value &value = values[name];
  if (value)
    return value;
  declare(g, function, name, type);
  // At the start of the function, so that all regions can use the value. It is
  // read where it lies.
  OpBuilder::InsertionGuard guard(g.ops);
  g.ops.setInsertionPointToStart(&function->getRegion(0).front());
  return value = g.make<StateReadOp>(type, name);
}

//===-- Parts -----------------------------------------------------------===//

void Options::store(ArrayRef<Value> arguments) {
  auto check = [&](const OptionRow &row, Value list, int64_t dim, int64_t least,
                   int64_t most) {
    g.checkSize(g.size(list, dim), g.index(least), g.index(most),
                ("input \"" + row.name + "\"").str());
  };
  for (auto [row, argument] : llvm::zip_equal(rows(), arguments)) {
    if (row.option == Option::Timestamps && !firstTimestamp())
      g.checkSize(g.make<arith::IndexCastUIOp>(g.ops.getIndexType(),
                                               g.extractScalar(argument)),
                  g.index(0), g.index(0),
                  "input \"timestamps\": the checkpoint names no tokens for "
                  "them");
    switch (row.kind) {
    case OptionKind::Flag:
    case OptionKind::Integer:
    case OptionKind::Number:
      write(row.name, argument);
      break;
    case OptionKind::Tokens:
      if (row.option == Option::EosTokenId ||
          row.option == Option::ForcedEosTokenId)
        check(row, argument, 0, 0, maxEndTokens);
      keepTokens(row.name, argument);
      break;
    case OptionKind::Words:
      check(row, argument, 0, 0, maxWords);
      check(row, argument, 1, 1, maxWordTokens);
      keepWords(row.option, argument);
      break;
    case OptionKind::Biases: {
      check(row, argument, 0, 0, maxWords);
      Value padded = g.dynamicUpdateSlice(
          g.splat(g.f32(), g.index(maxWords), 0), argument, g.index(0));
      write(row.name, padded);
      break;
    }
    }
  }
}

void Options::keepTokens(StringRef name, Value tokens) {
  write(name + ".count", g.fromSize(g.size(tokens, 0), g.i64()));
  write(name, setAt(g, g.splat(g.i1(), g.index(width), 0), tokens,
                    g.splat(g.i1(), g.sizes(tokens), 1)));
}

void Options::keepWords(Option option, Value words) {
  StringRef name = rowOf(option).name;
  write(name + ".count", g.fromSize(g.size(words, 0), g.i64()));
  words = checkedWords(words, name);
  Sizes sizes = g.indices({maxWords, maxWordTokens});
  Value padded = g.dynamicUpdateSlice(
      g.splat(g.i64(), sizes, -1), words,
      {g.index(0), g.sub(g.index(maxWordTokens), g.size(words, 1))});
  bool dropped =
      option == Option::BadWordsIds && compatibility == Compatibility::Pt;
  write(name, dropped ? withoutEndTokens(padded) : padded);
}

/// Negative elements fill words on the left. Behind a token they would match
/// any token, and a word has at least one.
Value Options::checkedWords(Value words, StringRef name) {
  Value column = g.iota(g.i64(), g.size(words, 1), 0);
  Value end = g.fromSize(g.sub(g.size(words, 1), g.index(1)), g.i64());
  Value before =
      g.take(words, g.maximum(g.sub(column, g.splatLike(column, 1)), 0.0), 1);
  Value isLast =
      g.broadcastInDim(g.compare(CompareDirection::EQ, column,
                                 g.broadcastTo(end, g.sizes(column))),
                       {1}, g.sizes(words));
  Value follows =
      g.make<AndOp>(g.broadcastInDim(g.compare(CompareDirection::GT, column, 0),
                                     {1}, g.sizes(words)),
                    g.compare(CompareDirection::GE, before, 0));
  Value low = g.select(g.make<OrOp>(isLast, follows), g.splatLike(words, 0),
                       g.splatLike(words, -1));
  return g.make<CheckRangeOp>(
      words, low, g.splatLike(words, double(maxToken + 1)),
      g.ops.getStringAttr("input \"" + name.str() + "\""));
}

/// A word that is just an end token is dropped: banning it would let no
/// sequence end.
Value Options::withoutEndTokens(Value words) {
  Value last = g.sliceDim(words, 1, g.index(maxWordTokens - 1), g.index(1));
  Value before = g.sliceDim(words, 1, g.index(maxWordTokens - 2), g.index(1));
  Value token = g.clamp(last, 0, double(width - 1));
  Value isEnd = g.make<AndOp>(g.compare(CompareDirection::EQ, token, last),
                              g.take(mask(Option::EosTokenId), token, 0));
  Value isOne = g.compare(CompareDirection::LT, before, 0.0);
  return g.select(g.make<AndOp>(isOne, isEnd), g.splatLike(words, -1), words);
}

Value Options::get(Option option) {
  const OptionRow &row = rowOf(option);
  return read(row.name, RankedTensorType::get({}, elementOf(g.ops, row.kind)));
}

Value Options::mask(Option option) {
  return read(rowOf(option).name, RankedTensorType::get({width}, g.i1()));
}

std::optional<int64_t> Options::firstTimestamp() const {
  const SpeechTokens *tokens = speech();
  if (!tokens || !tokens->noTimestamps || *tokens->noTimestamps + 1 >= width)
    return std::nullopt;
  return *tokens->noTimestamps + 1;
}

Value Options::firstEndToken() {
  int64_t none = defaults.endTokens.empty() ? 0 : defaults.endTokens.front();
  Value tokens = mask(Option::EosTokenId);
  Sizes sizes = g.sizes(tokens);
  Value here = g.select(tokens, g.iota(g.i64(), sizes, 0),
                        g.splat(g.i64(), sizes, double(width)));
  Value first = g.reduce(ReduceKind::Minimum, here, {0}, false);
  return g.select(g.compare(CompareDirection::LT, first, double(width)), first,
                  g.scalarInt(g.i64(), none));
}

Value Options::count(Option option) {
  return read(rowOf(option).name + ".count",
              RankedTensorType::get({}, g.i64()));
}

Words Options::words(Option option) {
  Value all = read(rowOf(option).name,
                   RankedTensorType::get({maxWords, maxWordTokens}, g.i64()));
  Size words = g.bound(sizeIn(g, count(option)), g.index(maxWords));
  Words result;
  result.tokens = g.sliceDim(all, 0, g.index(0), words);
  if (option == Option::SequenceBiasIds)
    result.biases = g.sliceDim(read(rowOf(Option::SequenceBias).name,
                                    RankedTensorType::get({maxWords}, g.f32())),
                               0, g.index(0), words);
  return result;
}

} // namespace tenon::hf
