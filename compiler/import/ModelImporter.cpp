// The module of an import: its creation, its constants and entries, and the
// messages and clean-up at the end.
#include "compiler/import/ModelImporter.h"

#include "dialects/tenon/Annotations.h"
#include "dialects/tenon/State.h"

#include "mlir/IR/Iterators.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace tenon {

/// Constants up to these sizes are stored in the IR. The limit for integers is
/// higher because they may be shapes.
static constexpr uint64_t maxInlineFloatBytes = 512;
static constexpr uint64_t maxInlineIntegerBytes = 8192;
/// Vectors of floats up to this size are remembered beside their weights:
/// scales are compared with one another.
static constexpr uint64_t maxVectorBytes = 16384;

void loadImportDialects(MLIRContext &context) {
  context.loadDialect<TenonDialect, arith::ArithDialect, func::FuncDialect,
                      scf::SCFDialect, tensor::TensorDialect>();
}

DenseElementsAttr denseOf(RankedTensorType type, ArrayRef<std::byte> bytes) {
  if (bytes.empty())
    return DenseElementsAttr::get(type, ArrayRef<Attribute>());
  if (type.getElementType().isInteger(1)) {
    SmallVector<bool> bools;
    for (std::byte element : bytes)
      bools.push_back(element != std::byte(0));
    return DenseElementsAttr::get(type, bools);
  }
  return DenseElementsAttr::getFromRawBuffer(
      type,
      ArrayRef(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
}

InputRangeAttr integerRange(MLIRContext *context, int64_t least,
                            int64_t greatest) {
  return cast<InputRangeAttr>(
      Attribute(DenseI64ArrayAttr::get(context, {least, greatest})));
}

InputRangeAttr floatRange(MLIRContext *context, float least, float greatest) {
  return cast<InputRangeAttr>(
      Attribute(DenseF32ArrayAttr::get(context, {least, greatest})));
}

ModelImporter::ModelImporter(MLIRContext &context, std::string file,
                             const DiagnosticHandler &report)
    : g(&context), shapes(g), context(context), report(report),
      file(std::move(file)) {}

ModelImporter::~ModelImporter() = default;

/// The greatest number of places listed for one unsupported use; a model may
/// have thousands.
static constexpr size_t maxPlaces = 16;

//===-- Messages --------------------------------------------------------===//

void ModelImporter::error(const std::string &place, const std::string &text,
                          Status status, std::string help) {
  failedAlready = true;
  Diagnostic diagnostic;
  diagnostic.file = file;
  diagnostic.place = place;
  diagnostic.text = text;
  diagnostic.help = std::move(help);
  diagnostic.status = status;
  explain(diagnostic);
  report(diagnostic);
}

void ModelImporter::unsupportedUse(const std::string &use,
                                   const std::string &place) {
  auto [entry, isNew] =
      unsupportedIndex.try_emplace(use, unsupportedUses.size());
  if (isNew)
    unsupportedUses.push_back({use, {}, 0});
  Unsupported &known = unsupportedUses[entry->second];
  ++known.count;
  if (known.places.size() < maxPlaces)
    known.places.push_back(place);
}

void ModelImporter::reportUnsupported() {
  int64_t total = 0;
  Diagnostic diagnostic;
  for (const Unsupported &use : unsupportedUses) {
    total += use.count;
    if (use.count == 1) {
      diagnostic.details.push_back(use.use + ", at " + use.places.front());
      continue;
    }
    diagnostic.details.push_back(use.use + ", " + std::to_string(use.count) +
                                 " times:");
    for (const std::string &place : use.places)
      diagnostic.details.push_back("  at " + place);
    if (int64_t more = use.count - int64_t(use.places.size()))
      diagnostic.details.push_back("  and " + std::to_string(more) + " more");
  }
  diagnostic.file = file;
  diagnostic.text = "the model uses what is not supported, in " +
                    std::to_string(total) + (total == 1 ? " place" : " places");
  diagnostic.status = Status::Unsupported;
  failedAlready = true;
  report(diagnostic);
}

//===-- Constants -------------------------------------------------------===//

std::string ModelImporter::symbolFor(StringRef name) {
  std::string symbol = name.empty() ? "constant" : name.str();
  // The entry function has the name "main".
  while (symbol == "main" || !symbols.insert(symbol).second)
    symbol += "_";
  return symbol;
}

Value ModelImporter::constant(RankedTensorType type,
                              const std::optional<ConstantRange> &range,
                              function_ref<Bytes()> read, StringRef name) {
  uint64_t limit = isa<IntegerType>(type.getElementType())
                       ? maxInlineIntegerBytes
                       : maxInlineFloatBytes;
  if (!range || range->length <= limit) {
    if (Bytes bytes = read())
      return g.constant(denseOf(type, *bytes));
    error("constant '" + name.str() + "'", "its data can no longer be read",
          Status::Io);
    return {};
  }
  auto source = WeightSourceAttr::get(
      &context, g.ops.getStringAttr(range->path), range->offset, range->length);
  std::string symbol = symbolFor(name);
  OpBuilder before = beforeEntry();
  WeightOp::create(before, g.loc, symbol, type, source);
  Value weight = g.make<GetWeightOp>(type, symbol);
  if (type.getRank() == 1 && range->length <= maxVectorBytes)
    if (Bytes bytes = read())
      shapes.remember(weight, denseOf(type, *bytes));
  return weight;
}

//===-- The module ------------------------------------------------------===//

void ModelImporter::begin(StringRef producer) {
  module = ModuleOp::create(UnknownLoc::get(&context));
  annotation::producer.set(*module, g.ops.getStringAttr(producer));
  annotation::source.set(*module, g.ops.getStringAttr(file));
}

OpBuilder ModelImporter::beforeEntry() {
  Operation *entry = g.ops.getInsertionBlock()->getParentOp();
  while (entry->getParentOp() != module->getOperation())
    entry = entry->getParentOp();
  return OpBuilder(entry);
}

func::FuncOp ModelImporter::beginEntry(StringRef symbol,
                                       ArrayRef<EntryArgument> arguments) {
  SmallVector<Type> types;
  for (const EntryArgument &argument : arguments)
    types.push_back(argument.type);
  g.loc = UnknownLoc::get(&context);
  g.beginFunction();
  g.ops.setInsertionPointToEnd(module->getBody());
  auto entry = func::FuncOp::create(g.ops, g.loc, symbol,
                                    g.ops.getFunctionType(types, {}));
  Block *block = entry.addEntryBlock();
  g.ops.setInsertionPointToEnd(block);
  // All extents with one name are one value: the extent of the first argument
  // that has the name.
  llvm::StringMap<Size> named;
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    annotation::name.set(entry, i, g.ops.getStringAttr(argument.name));
    annotation::dims.set(entry, i, cast<DimsAttr>(argument.dims));
    if (argument.defaultValue &&
        succeeded(verifyCompatibleShape(argument.type,
                                        argument.defaultValue.getType())))
      annotation::defaultValue.set(entry, i, argument.defaultValue);
    if (argument.range)
      annotation::inputRange.set(entry, i, argument.range);
    Value value = block->getArgument(i);
    value.setLoc(NameLoc::get(g.ops.getStringAttr(argument.name)));
    Sizes sizes = g.sizes(value);
    for (auto [dim, size] : llvm::zip(argument.dims, sizes))
      if (auto name = dyn_cast<StringAttr>(dim))
        size = named.try_emplace(name.getValue(), size).first->second;
    g.recordSizes(value, sizes);
  }
  return entry;
}

void ModelImporter::endEntry(func::FuncOp entry, ArrayRef<Value> results,
                             ArrayRef<std::string> names) {
  g.loc = UnknownLoc::get(&context);
  func::ReturnOp::create(g.ops, g.loc, results);
  entry.setFunctionType(g.ops.getFunctionType(entry.getArgumentTypes(),
                                              ValueRange(results).getTypes()));
  for (auto [i, name] : llvm::enumerate(names))
    annotation::name.setResult(entry, i, g.ops.getStringAttr(name));
}

/// Erases weights and states without uses.
void ModelImporter::eraseUnusedSymbols() {
  llvm::StringSet<> used;
  module->walk([&](Operation *op) {
    if (auto read = dyn_cast<StateReadOp>(op))
      used.insert(read.getState());
    else if (auto write = dyn_cast<StateWriteOp>(op))
      used.insert(write.getState());
    else if (auto get = dyn_cast<GetWeightOp>(op))
      used.insert(get.getWeight());
  });
  for (auto state : llvm::make_early_inc_range(module->getOps<StateOp>())) {
    if (!used.contains(state.getSymName()))
      state.erase();
    else if (std::optional<StringRef> initial = state.getInitial())
      used.insert(*initial);
  }
  for (auto weight : llvm::make_early_inc_range(module->getOps<WeightOp>()))
    if (!used.contains(weight.getSymName()))
      weight.erase();
}

OwningOpRef<ModuleOp> ModelImporter::finish() {
  if (hasUnsupported()) {
    reportUnsupported();
    return {};
  }
  // Erase in reverse order, because later ops may be nested in earlier ones.
  for (Operation *op : llvm::reverse(discarded))
    op->erase();
  // Erases extents, constants and weights that are not used.
  module->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
  eraseUnusedSymbols();
  if (failed(verify(*module))) {
    error("", "the imported module does not verify", Status::Internal);
    return {};
  }
  return std::move(module);
}

} // namespace tenon
