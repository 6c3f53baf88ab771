// What comes into the graph from outside: arguments with their named extents
// and what the user said of them, and constants as values or weights.
#include "compiler/import/onnx/GraphImporter.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace mlir;

namespace tenon {

void loadImportDialects(MLIRContext &context) {
  context.loadDialect<TenonDialect, arith::ArithDialect, func::FuncDialect,
                      scf::SCFDialect, tensor::TensorDialect>();
}

OwningOpRef<ModuleOp> importOnnx(MLIRContext &context, const onnx::Model &model,
                                 const ImportOptions &options,
                                 const DiagnosticHandler &report) {
  loadImportDialects(context);
  return onnx::GraphImporter(context, model, options, report).run();
}

namespace onnx {

/// A sparse constant may grow to this size.
static constexpr uint64_t maxSparseBytes = uint64_t(64) << 20;

const ShapeOption *GraphImporter::shapeOption(StringRef input) const {
  for (const ShapeOption &option : options.shapes)
    if (option.input == input)
      return &option;
  return nullptr;
}

bool GraphImporter::bindOptions() {
  llvm::StringSet<> symbols;
  llvm::StringMap<const ValueInfo *> inputs;
  std::string inputNames, dimNames;
  for (const ValueInfo &input : model.graph.inputs) {
    inputs[input.name] = &input;
    inputNames += (inputNames.empty() ? "" : ", ") + input.name;
    if (!input.type.shape)
      continue;
    for (const Dim &dim : *input.type.shape)
      if (dim.kind == Dim::Kind::Symbolic && symbols.insert(dim.symbol).second)
        dimNames += (dimNames.empty() ? "" : ", ") + dim.symbol;
  }
  auto fail = [&](const std::string &text, const std::string &help) {
    error("", text, Status::Usage, help);
    return false;
  };
  SmallVector<NamedAttribute> ranges;
  for (const DimOption &dim : options.dims) {
    if (!symbols.contains(dim.name))
      return fail("no dimension of an input is named '" + dim.name + "'",
                  dimNames.empty() ? "use --shape: the model names no dimension"
                                   : "the model names " + dimNames);
    if (dim.min == dim.max)
      fixedDims[dim.name] = dim.min;
    else
      ranges.push_back(g.ops.getNamedAttr(
          dim.name,
          g.ops.getDenseI64ArrayAttr({dim.min, dim.max, dim.multiple})));
  }
  if (!ranges.empty())
    (*module)->setAttr("tenon.ranges", g.ops.getDictionaryAttr(ranges));
  for (const ShapeOption &option : options.shapes) {
    const ValueInfo *input = inputs.lookup(option.input);
    if (!input)
      return fail("no input is named '" + option.input + "'",
                  "the model's inputs are " + inputNames);
    if (!input->type.shape)
      continue;
    const std::vector<Dim> &declared = *input->type.shape;
    if (declared.size() != option.dims.size())
      return fail("expected a shape of rank " +
                      std::to_string(declared.size()) + " for input '" +
                      option.input + "', got " +
                      std::to_string(option.dims.size()) + " extents",
                  "");
    for (auto [dim, wanted] : llvm::zip(declared, option.dims)) {
      if (!wanted)
        continue;
      int64_t fixed = dim.size;
      if (dim.kind == Dim::Kind::Symbolic)
        fixed = fixedDims.try_emplace(dim.symbol, *wanted).first->second;
      else if (dim.kind == Dim::Kind::Unknown)
        continue;
      if (fixed != *wanted)
        return fail("input '" + option.input + "' has an extent of " +
                        std::to_string(fixed) + " where " +
                        std::to_string(*wanted) + " is asked for",
                    "");
    }
  }
  return true;
}

bool GraphImporter::buildSignature(ArrayRef<const ValueInfo *> inputs,
                                   SmallVectorImpl<EntryArgument> &arguments) {
  llvm::StringSet<> names;
  for (const ValueInfo *input : inputs)
    if (input->type.shape)
      for (const Dim &dim : *input->type.shape)
        names.insert(dim.symbol);
  for (const ValueInfo *input : inputs) {
    std::string place = "input '" + input->name + "'";
    const ShapeOption *option = shapeOption(input->name);
    mlir::Type element;
    if (input->type.kind == Type::Kind::Tensor)
      element = elementTypeOf(&context, input->type.element);
    if (!element) {
      unsupported(nullptr, place,
                  input->type.kind == Type::Kind::Tensor
                      ? std::string("inputs of type ") +
                            elementTypeName(input->type.element)
                      : "inputs that are not tensors");
      continue;
    }
    if (!input->type.shape && !option) {
      error(place, "its rank is not declared", Status::Unsupported,
            "--shape=" + input->name + ":... declares it");
      return false;
    }
    std::vector<Dim> shape = input->type.shape
                                 ? *input->type.shape
                                 : std::vector<Dim>(option->dims.size());
    SmallVector<int64_t> extents;
    SmallVector<mlir::Attribute> named;
    for (auto [i, dim] : llvm::enumerate(shape)) {
      std::optional<int64_t> extent;
      if (dim.kind == Dim::Kind::Static)
        extent = dim.size;
      else if (option && option->dims[i])
        extent = option->dims[i];
      else if (auto fixed = fixedDims.find(dim.symbol);
               dim.kind == Dim::Kind::Symbolic && fixed != fixedDims.end())
        extent = fixed->second;
      extents.push_back(extent.value_or(ShapedType::kDynamic));
      if (extent) {
        named.push_back(g.ops.getI64IntegerAttr(*extent));
        continue;
      }
      std::string name = dim.symbol;
      if (name.empty()) {
        name = input->name + "_dim" + std::to_string(i);
        while (!names.insert(name).second)
          name += "_";
      }
      named.push_back(g.ops.getStringAttr(name));
    }
    auto type = RankedTensorType::get(extents, element);
    if (!checkExtent(place, input->name, type))
      return false;
    arguments.push_back({input->name, type, g.ops.getArrayAttr(named)});
  }
  if (!hasUnsupported())
    return true;
  // What else is wrong is worth knowing, but not without arguments.
  for (const Node &node : model.graph.nodes)
    checkKnownOps(node);
  reportUnsupported();
  return false;
}

//===-- Constants -------------------------------------------------------===//

Value GraphImporter::constant(const Tensor &tensor, StringRef name) {
  auto type =
      RankedTensorType::get(tensor.dims, elementTypeOf(&context, tensor.type));
  std::optional<ConstantRange> place;
  if (const auto *range = std::get_if<FileRange>(&tensor.payload))
    place = {model.files[range->file].path, range->offset, range->length};
  return ModelImporter::constant(
      type, place, [&] { return model.bytes(tensor); }, name);
}

Value GraphImporter::constant(const SparseTensor &tensor, StringRef name) {
  mlir::Type element = elementTypeOf(&context, tensor.values.type);
  auto type = RankedTensorType::get(tensor.dims, element);
  unsigned width = elementSize(tensor.values.type);
  uint64_t size = uint64_t(type.getNumElements()) * width;
  std::string place = "constant '" + name.str() + "'";
  if (size > maxSparseBytes) {
    error(place,
          "expected a sparse constant of at most " +
              std::to_string(maxSparseBytes) + " bytes when dense, got " +
              std::to_string(size),
          Status::Limit);
    return {};
  }
  std::optional<InlineBytes> values = model.bytes(tensor.values);
  std::optional<InlineBytes> indices = model.bytes(tensor.indices);
  if (!values || !indices) {
    error(place, "its data can no longer be read", Status::Io);
    return {};
  }
  InlineBytes dense(size, std::byte(0));
  bool linear = tensor.indices.dims.size() == 1;
  size_t perEntry = linear ? 1 : tensor.dims.size();
  for (int64_t k = 0; k < tensor.values.numElements(); ++k) {
    int64_t position = 0;
    for (size_t d = 0; d < perEntry; ++d) {
      int64_t index;
      std::memcpy(&index, indices->data() + (k * perEntry + d) * 8, 8);
      position = linear ? index : position * tensor.dims[d] + index;
    }
    std::memcpy(dense.data() + position * width, values->data() + k * width,
                width);
  }
  return g.constant(denseOf(type, dense));
}

bool GraphImporter::importInitializers(const Graph &graph) {
  auto import = [&](const auto &tensor, ElementType type, StringRef name) {
    g.loc = NameLoc::get(g.ops.getStringAttr(name));
    if (!elementTypeOf(&context, type)) {
      unsupported(nullptr, "constant '" + name.str() + "'",
                  std::string("constants of type ") + elementTypeName(type));
      bind(name, {Value(), false});
      return true;
    }
    Value value = constant(tensor, name);
    bind(name, {value});
    return bool(value);
  };
  for (const Tensor &tensor : graph.initializers)
    if (!import(tensor, tensor.type, tensor.name))
      return false;
  for (const SparseTensor &tensor : graph.sparseInitializers)
    if (!import(tensor, tensor.values.type, tensor.values.name))
      return false;
  return true;
}

} // namespace onnx
} // namespace tenon
