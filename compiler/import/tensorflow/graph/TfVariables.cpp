// Variables as values. A variable that no node writes is a weight, or a
// constant if it is small. Any other one is a state with the saved value as
// initial value.
#include "compiler/import/tensorflow/graph/TfGraphImporter.h"

#include "compiler/files/ReaderBoundary.h"
#include "compiler/import/TypeNames.h"
#include "compiler/import/tensorflow/reader/TensorBundle.h"
#include "dialects/tenon/State.h"

using namespace mlir;

namespace tenon::tf {

std::string GraphImporter::keyOf(const Node &variable) const {
  // A checkpoint of TensorFlow 1 may lack the graph that restores it. Then the
  // key is the variable's name.
  auto key = model.variableKeys.find(variable.name);
  return key == model.variableKeys.end() ? variable.name : key->second;
}

/// True if a value with extents `dims` has the declared shape.
static bool admits(const Shape &declared, ArrayRef<int64_t> dims) {
  if (!declared.hasRank)
    return true;
  if (declared.dims.size() != dims.size())
    return false;
  for (auto [expected, size] : llvm::zip(declared.dims, dims))
    if (expected >= 0 && expected != size)
      return false;
  return true;
}

std::optional<Tensor> GraphImporter::savedValue(const Node &variable) {
  std::string place = "variable \"" + variable.name + "\"";
  std::string key = keyOf(variable);
  if (!model.bundle || !model.bundle->contains(key)) {
    error(place, "no value was saved for it");
    return std::nullopt;
  }
  std::optional<Tensor> tensor;
  ReaderBoundary boundary(model.path, report);
  if (!boundary.run([&] { tensor = model.bundle->tensor(key); })) {
    markFailed();
    return std::nullopt;
  }
  const Attr *attr = variable.find("dtype");
  const auto *declared = attr ? std::get_if<DataType>(attr) : nullptr;
  if (!elementTypeOf(&context, tensor->type)) {
    unsupported(variable, "variables of " + dataTypeName(tensor->type));
    return std::nullopt;
  }
  if (declared && *declared != tensor->type) {
    error(place, "expected a saved value of " + dataTypeName(*declared) +
                     ", got " + dataTypeName(tensor->type));
    return std::nullopt;
  }
  const Attr *shapeAttr = variable.find("shape");
  const auto *shape = shapeAttr ? std::get_if<Shape>(shapeAttr) : nullptr;
  if (shape && !admits(*shape, tensor->dims)) {
    mlir::Type element = elementTypeOf(&context, tensor->type);
    std::vector<int64_t> dims = shape->dims;
    for (int64_t &dim : dims)
      dim = dim < 0 ? ShapedType::kDynamic : dim;
    error(place, "expected a saved value of " +
                     textOf(RankedTensorType::get(dims, element)) + ", got " +
                     textOf(RankedTensorType::get(tensor->dims, element)));
    return std::nullopt;
  }
  return tensor;
}

Value GraphImporter::variable(const Node &variable) {
  std::string key = keyOf(variable);
  if (written.contains(key)) {
    StateOp state = stateOf(variable);
    return state ? g.make<StateReadOp>(state.getType(), state.getSymName(),
                                       /*in_place=*/false)
                 : Value();
  }
  if (auto known = variableSymbols.find(key); known != variableSymbols.end())
    if (auto weight = module->lookupSymbol<WeightOp>(known->second))
      return g.make<GetWeightOp>(weight.getType(), known->second);
  std::optional<Tensor> tensor = savedValue(variable);
  if (!tensor)
    return {};
  Value value = weight(key, *tensor);
  if (auto get = value ? value.getDefiningOp<GetWeightOp>() : GetWeightOp())
    variableSymbols[key] = get.getWeight().str();
  return value;
}

StateOp GraphImporter::stateOf(const Node &variable) {
  std::string key = keyOf(variable);
  if (auto known = variableSymbols.find(key); known != variableSymbols.end())
    return module->lookupSymbol<StateOp>(known->second);
  std::optional<Tensor> tensor = savedValue(variable);
  if (!tensor)
    return {};
  auto type = RankedTensorType::get(tensor->dims,
                                    elementTypeOf(&context, tensor->type));
  OpBuilder before = beforeEntry();
  std::string symbol = symbolFor(variable.name);
  variableSymbols[key] = symbol;
  // Bools must be converted to zeros and ones, so they cannot refer to the
  // file.
  if (tensor->type == DataType::Bool) {
    std::optional<std::vector<std::byte>> bytes = model.bytes(*tensor);
    if (bytes)
      return StateOp::create(before, g.loc, symbol, type, FlatSymbolRefAttr(),
                             denseOf(type, *bytes));
    error("variable \"" + variable.name + "\"",
          "its data can no longer be read", Status::Io);
    return {};
  }
  const auto &range = std::get<FileRange>(tensor->payload);
  std::string initial = symbolFor(key + ".saved");
  WeightOp::create(
      before, g.loc, initial, type,
      WeightSourceAttr::get(&context,
                            g.ops.getStringAttr(model.files[range.file].path),
                            range.offset, range.length));
  return StateOp::create(before, g.loc, symbol, type,
                         FlatSymbolRefAttr::get(&context, initial),
                         ElementsAttr());
}

Value GraphImporter::takeBlocks(const Node &node, Size blocks) {
  // No variable has such a key, because the prefix is not valid in a
  // checkpoint.
  std::string name = frames.back()->prefix + node.name;
  std::string &symbol = variableSymbols["random draws of " + name];
  auto type = RankedTensorType::get({}, g.i64());
  if (symbol.empty()) {
    OpBuilder before = beforeEntry();
    symbol = symbolFor(name + ".draws");
    StateOp::create(before, g.loc, symbol, type, FlatSymbolRefAttr(),
                    DenseElementsAttr::get(type, int64_t(0)));
  }
  Value taken = g.make<StateReadOp>(type, symbol, /*in_place=*/false);
  StateWriteOp::create(g.ops, g.loc, symbol,
                       g.add(taken, g.fromSize(blocks, g.i64())));
  return taken;
}

bool GraphImporter::assign(const Node &site, const Node &variable,
                           Value value) {
  std::string key = keyOf(variable);
  if (!written.contains(key)) {
    // Earlier reads took the saved value as a constant, so the import must
    // start again.
    newlyWritten.insert(key);
    return true;
  }
  StateOp state = stateOf(variable);
  if (!state)
    return false;
  auto type = cast<RankedTensorType>(state.getType());
  if (g.elementOf(value) != type.getElementType() ||
      g.rankOf(value) != type.getRank()) {
    error(placeIn(site), "expected a value like variable \"" + variable.name +
                             "\", got " + textOf(value));
    return false;
  }
  Sizes sizes = g.sizes(value);
  for (auto [extent, size] : llvm::zip(type.getShape(), sizes)) {
    std::optional<int64_t> known = GraphBuilder::staticSize(size);
    if (known && *known != extent) {
      error(placeIn(site), "expected a value like variable \"" + variable.name +
                               "\", got " + textOf(value));
      return false;
    }
    g.checkSize(size, g.index(extent), g.index(extent),
                placeIn(site) + ": an extent of variable \"" + variable.name +
                    "\"");
  }
  if (value.getType() != type)
    value = g.reshape(value, type.getShape());
  StateWriteOp::create(g.ops, g.loc, state.getSymName(), value);
  return true;
}

} // namespace tenon::tf
