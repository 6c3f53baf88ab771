// What comes into the graph from outside: arguments with their named extents
// and what the user said of them, constants, and the saved values of variables.
#include "compiler/import/ReaderDoor.h"
#include "compiler/import/tensorflow/TensorBundle.h"
#include "compiler/import/tensorflow/TfNodeContext.h"

using namespace mlir;

namespace tenon::tf {

/// Complex constants stand in the IR, in two parts.
constexpr size_t maxComplexBytes = 1 << 16;

/// Complex numbers enter with their parts along a last dimension.
static Result takeApart(GraphBuilder &g, Value x) {
  int64_t last = g.rankOf(x) - 1;
  auto part = [&](int64_t i) {
    return g.squeeze(g.sliceDim(x, last, g.index(i), g.index(1)), {last});
  };
  return Result::complex(part(0), part(1));
}

func::FuncOp GraphImporter::addArguments(const Entry &entry, Frame &frame) {
  SmallVector<EntryArgument> arguments;
  llvm::StringMap<int64_t> fixed;
  SmallVector<NamedAttribute> ranges;
  llvm::StringSet<> names, usedOptions;
  for (const DimOption &dim : options.dims) {
    if (dim.min == dim.max)
      fixed[dim.name] = dim.min;
    else
      ranges.push_back(g.ops.getNamedAttr(
          dim.name,
          g.ops.getDenseI64ArrayAttr({dim.min, dim.max, dim.multiple})));
  }
  std::string inputNames;
  for (const Port &port : entry.inputs) {
    inputNames += (inputNames.empty() ? "" : ", ") + port.name;
    const ShapeOption *option = nullptr;
    for (const ShapeOption &candidate : options.shapes)
      if (candidate.input == port.name)
        option = &candidate;
    std::string place = "input '" + port.name + "'";
    mlir::Type element = elementTypeOf(&context, realType(port.type));
    bool isComplex = realType(port.type) != port.type;
    if (!element) {
      error(place,
            "inputs of " + dataTypeName(port.type) + " are not supported",
            Status::Unsupported);
      return nullptr;
    }
    Shape shape = port.shape;
    if (!shape.hasRank && option)
      shape = {true, std::vector<int64_t>(option->dims.size(), -1)};
    if (!shape.hasRank) {
      error(place, "its rank is not declared", Status::Unsupported,
            "--shape=" + port.name + ":... declares it");
      return nullptr;
    }
    if (option && option->dims.size() != shape.dims.size()) {
      error("",
            "expected a shape of rank " + std::to_string(shape.dims.size()) +
                " for " + place + ", got " +
                std::to_string(option->dims.size()) + " extents",
            Status::Usage);
      return nullptr;
    }
    SmallVector<int64_t> extents;
    SmallVector<mlir::Attribute> named;
    int64_t bytes = 16;
    for (auto [i, dim] : llvm::enumerate(shape.dims)) {
      // The first extent that is open is the batch, of all inputs together.
      std::string name =
          i == 0 ? "batch" : port.name + "_dim" + std::to_string(i);
      std::optional<int64_t> extent;
      if (dim >= 0)
        extent = dim;
      else if (option && option->dims[i])
        extent = option->dims[i];
      else if (auto found = fixed.find(name); found != fixed.end())
        extent = found->second;
      if (dim < -1 ||
          (extent &&
           llvm::MulOverflow(bytes, std::max<int64_t>(*extent, 1), bytes))) {
        error(place, "expected an extent that fits the address space, got " +
                         std::to_string(dim));
        return nullptr;
      }
      extents.push_back(extent.value_or(ShapedType::kDynamic));
      if (dim < 0)
        names.insert(name);
      if (extent)
        named.push_back(g.ops.getI64IntegerAttr(*extent));
      else
        named.push_back(g.ops.getStringAttr(name));
    }
    if (isComplex) {
      extents.push_back(2);
      named.push_back(g.ops.getI64IntegerAttr(2));
    }
    arguments.push_back({port.name, RankedTensorType::get(extents, element),
                         g.ops.getArrayAttr(named)});
  }
  for (const DimOption &dim : options.dims)
    if (!names.contains(dim.name)) {
      std::string all;
      for (const auto &name : names)
        all += (all.empty() ? "" : ", ") + name.getKey().str();
      error("", "no dimension of an input is named '" + dim.name + "'",
            Status::Usage,
            all.empty() ? "the entry has no open dimension"
                        : "the open dimensions are " + all);
      return nullptr;
    }
  for (const ShapeOption &option : options.shapes)
    if (llvm::none_of(entry.inputs, [&](const Port &port) {
          return port.name == option.input;
        })) {
      error("", "no input is named '" + option.input + "'", Status::Usage,
            "the inputs are " + inputNames);
      return nullptr;
    }
  if (!ranges.empty())
    (*module)->setAttr("tenon.ranges", g.ops.getDictionaryAttr(ranges));
  func::FuncOp main = beginEntry("main", arguments);
  for (auto [port, argument] : llvm::zip(entry.inputs, main.getArguments())) {
    size_t colon = port.tensor.rfind(':');
    int64_t index = 0;
    if (colon != std::string::npos &&
        StringRef(port.tensor).drop_front(colon + 1).getAsInteger(10, index))
      index = 0;
    frame.fed[{port.tensor.substr(0, colon), index}] =
        realType(port.type) == port.type ? Result::tensor(argument)
                                         : takeApart(g, argument);
  }
  return main;
}

//===-- Constants and variables -----------------------------------------===//

Value GraphImporter::weight(StringRef name, const Tensor &tensor) {
  auto type =
      RankedTensorType::get(tensor.dims, elementTypeOf(&context, tensor.type));
  std::optional<ConstantRange> place;
  // Bools are made zeros and ones on the way.
  const auto *range = std::get_if<FileRange>(&tensor.payload);
  if (range && tensor.type != DataType::Bool)
    place = {model.files[range->file].path, range->offset, range->length};
  return ModelImporter::constant(
      type, place, [&] { return model.bytes(tensor); }, name);
}

/// Every second part of complex elements, beginning with number `first`.
static std::vector<std::byte> partsOf(ArrayRef<std::byte> bytes, size_t width,
                                      size_t first) {
  std::vector<std::byte> parts;
  for (size_t at = first * width; at < bytes.size(); at += 2 * width)
    parts.insert(parts.end(), bytes.begin() + at, bytes.begin() + at + width);
  return parts;
}

Result GraphImporter::constant(const Node &node, const Tensor &tensor) {
  mlir::Type part = elementTypeOf(&context, realType(tensor.type));
  if (!part) {
    unsupported(node, "constants of " + dataTypeName(tensor.type));
    return {};
  }
  std::string name = frames.back()->prefix + node.name;
  if (realType(tensor.type) == tensor.type) {
    Value value = weight(name, tensor);
    return value ? Result::tensor(value) : Result();
  }
  auto bytes = model.bytes(tensor);
  if (!bytes) {
    error(placeIn(node), "its data can no longer be read", Status::Io);
    return {};
  }
  if (bytes->size() > maxComplexBytes) {
    unsupported(node, "complex constants of more than " +
                          std::to_string(maxComplexBytes) + " bytes");
    return {};
  }
  auto type = RankedTensorType::get(tensor.dims, part);
  size_t width = elementSize(realType(tensor.type));
  Value values[2];
  for (size_t i : {0, 1})
    values[i] = g.constant(denseOf(type, partsOf(*bytes, width, i)));
  return Result::complex(values[0], values[1]);
}

Value GraphImporter::variable(const Node &variable) {
  std::string place = "variable \"" + variable.name + "\"";
  auto key = model.variableKeys.find(variable.name);
  // A checkpoint of TensorFlow 1 may be without a graph that restores it.
  std::string name =
      key == model.variableKeys.end() ? variable.name : key->second;
  if (!model.bundle || !model.bundle->contains(name)) {
    error(place, "no value was saved for it");
    return {};
  }
  if (auto known = variableSymbols.find(name); known != variableSymbols.end())
    if (auto weight = module->lookupSymbol<WeightOp>(known->second))
      return g.make<GetWeightOp>(weight.getType(), known->second);
  std::optional<Tensor> tensor;
  ReaderDoor door(model.path, report);
  if (!door.run([&] { tensor = model.bundle->tensor(name); })) {
    markFailed();
    return {};
  }
  const Attr *attr = variable.find("dtype");
  const auto *declared = attr ? std::get_if<DataType>(attr) : nullptr;
  if (!elementTypeOf(&context, tensor->type)) {
    unsupported(variable, "variables of " + dataTypeName(tensor->type));
    return {};
  }
  if (declared && *declared != tensor->type) {
    error(place, "expected a saved value of " + dataTypeName(*declared) +
                     ", got " + dataTypeName(tensor->type));
    return {};
  }
  Value value = weight(name, *tensor);
  if (auto get = value ? value.getDefiningOp<GetWeightOp>() : GetWeightOp())
    variableSymbols[name] = get.getWeight().str();
  return value;
}

} // namespace tenon::tf
