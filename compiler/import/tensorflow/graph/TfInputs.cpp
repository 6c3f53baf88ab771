// The inputs of the graph: arguments with named dimensions and the user's
// options for them, constants, and the saved values of variables.
#include "compiler/import/tensorflow/graph/TfNodeContext.h"
#include "dialects/tenon/Annotations.h"
#include "dialects/tenon/SizeLimit.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tenon::tf {

/// Complex constants up to this size are stored in the IR, as two real ones.
constexpr size_t maxComplexBytes = 1 << 16;

/// Splits the last dimension of a complex argument into real and imaginary
/// parts.
static Result takeApart(GraphBuilder &g, Value x) {
  int64_t last = g.rankOf(x) - 1;
  auto part = [&](int64_t i) {
    return g.squeeze(g.sliceDim(x, last, g.index(i), g.index(1)), {last});
  };
  return Result::complex(part(0), part(1));
}

/// True if the port becomes an argument of the compiled function.
bool GraphImporter::isTensor(const Port &port) {
  return bool(elementTypeOf(&context, realType(port.type)));
}

bool GraphImporter::declareInputs(const Entry &entry,
                                  std::vector<DeclaredInput> &declared) {
  for (const Port &port : entry.inputs) {
    const ShapeOption *option = nullptr;
    for (const ShapeOption &candidate : options.shapes)
      if (candidate.input == port.name)
        option = &candidate;
    std::string place = "input '" + port.name + "'";
    if (!isTensor(port)) {
      // Go on, so that other unsupported uses are reported in the same message.
      unsupportedUse("inputs of " + dataTypeName(port.type), place);
      continue;
    }
    Shape shape = port.shape;
    if (!shape.hasRank && option)
      shape = {true, std::vector<int64_t>(option->dims.size(), -1)};
    if (!shape.hasRank) {
      error(place, "its rank is not declared", Status::Unsupported,
            "--shape=" + port.name + ":... declares it");
      return false;
    }
    DeclaredInput &input = declared.emplace_back(DeclaredInput{port.name, {}});
    for (auto [i, dim] : llvm::enumerate(shape.dims)) {
      if (dim < -1) {
        error(place, "expected an extent or -1, got " + std::to_string(dim));
        return false;
      }
      std::string name = port.name + "_dim" + std::to_string(i);
      if (auto shared = batchNames.find(port.name);
          i == 0 && shared != batchNames.end())
        name = shared->second;
      input.dims.push_back({dim, dim < 0 ? name : "", false});
    }
  }
  return true;
}

void GraphImporter::takeOptions(const std::vector<DeclaredInput> &declared,
                                std::vector<DimOption> &dims,
                                std::vector<ShapeOption> &shapes) {
  llvm::StringSet<> names, inputs;
  for (const DeclaredInput &input : declared) {
    inputs.insert(input.name);
    if (!llvm::is_contained(inputNames, input.name))
      inputNames.push_back(input.name);
    for (const DeclaredDim &dim : input.dims)
      if (dim.size < 0 && names.insert(dim.name).second &&
          !llvm::is_contained(openDims, dim.name))
        openDims.push_back(dim.name);
  }
  for (const DimOption &dim : options.dims)
    if (isOnly || names.contains(dim.name))
      dims.push_back(dim);
  for (const ShapeOption &shape : options.shapes)
    if (isOnly || inputs.contains(shape.input))
      shapes.push_back(shape);
}

bool GraphImporter::checkOptionsTaken() {
  for (const DimOption &dim : options.dims)
    if (!llvm::is_contained(openDims, dim.name)) {
      error("", "no dimension of an input is named '" + dim.name + "'",
            Status::Usage,
            openDims.empty()
                ? "the model has no open dimension"
                : "the open dimensions are " + llvm::join(openDims, ", "));
      return false;
    }
  for (const ShapeOption &shape : options.shapes)
    if (!llvm::is_contained(inputNames, shape.input)) {
      error("", "no input is named '" + shape.input + "'", Status::Usage,
            "the inputs are " + llvm::join(inputNames, ", "));
      return false;
    }
  return true;
}

func::FuncOp GraphImporter::addArguments(const Entry &entry, Results &results) {
  std::vector<DeclaredInput> declared;
  BoundDims bound;
  auto refuse = [&](const std::string &text, const std::string &help) {
    error("", text, Status::Usage, help);
  };
  if (!declareInputs(entry, declared))
    return nullptr;
  std::vector<DimOption> dimOptions;
  std::vector<ShapeOption> shapeOptions;
  takeOptions(declared, dimOptions, shapeOptions);
  if (!bindInputDims(g.ops, declared, dimOptions, shapeOptions, refuse, bound))
    return nullptr;
  SmallVector<EntryArgument> arguments;
  for (const Port &port : entry.inputs) {
    if (!isTensor(port))
      continue;
    std::vector<int64_t> &extents = bound.extents[arguments.size()];
    ArrayAttr dims = bound.names[arguments.size()];
    if (realType(port.type) != port.type) {
      extents.push_back(2);
      SmallVector<mlir::Attribute> parts(dims.begin(), dims.end());
      parts.push_back(g.ops.getI64IntegerAttr(2));
      dims = g.ops.getArrayAttr(parts);
    }
    auto type = RankedTensorType::get(
        extents, elementTypeOf(&context, realType(port.type)));
    if (!isWithinSpan(extents)) {
      error("input '" + port.name + "'",
            "expected a product of its extents other than zero of at most " +
                std::to_string(maxSpan) + ", got " + textOf(type),
            Status::Limit);
      return nullptr;
    }
    arguments.push_back({port.name, type, dims});
  }
  if (!bound.ranges.empty()) {
    NamedAttrList ranges(static_cast<DictionaryAttr>(bound.ranges));
    if (DimRangesAttr others = annotation::ranges.of(*module))
      for (NamedAttribute range : others)
        ranges.set(range.getName(), range.getValue());
    annotation::ranges.set(*module,
                           cast<DimRangesAttr>(ranges.getDictionary(&context)));
  }
  func::FuncOp function = beginEntry(entry.name, arguments);
  auto argument = function.getArguments().begin();
  for (const Port &port : entry.inputs)
    if (!isTensor(port))
      results.emplace_back();
    else if (realType(port.type) == port.type)
      results.push_back(Result::tensor(*argument++));
    else
      results.push_back(takeApart(g, *argument++));
  return function;
}

//===-- Constants -------------------------------------------------------===//

Value GraphImporter::weight(StringRef name, const Tensor &tensor) {
  auto type =
      RankedTensorType::get(tensor.dims, elementTypeOf(&context, tensor.type));
  std::optional<ConstantRange> place;
  // Bools must be converted to zeros and ones, so they cannot refer to the
  // file.
  const auto *range = std::get_if<FileRange>(&tensor.payload);
  if (range && tensor.type != DataType::Bool)
    place = {model.files[range->file].path, range->offset, range->length};
  return ModelImporter::constant(
      type, place, [&] { return model.bytes(tensor); }, name);
}

/// The real (`first` = 0) or imaginary (1) parts of complex elements; `width`
/// is the bytes of one part.
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

} // namespace tenon::tf
