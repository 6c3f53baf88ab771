// The inputs of the graph: arguments with named dimensions and the user's
// options for them, and constants as values or weights.
#include "compiler/import/InputDims.h"
#include "compiler/import/onnx/graph/GraphImporter.h"
#include "dialects/tenon/Annotations.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace mlir;

namespace tenon {

OwningOpRef<ModuleOp> importOnnx(MLIRContext &context, const onnx::Model &model,
                                 const ImportOptions &options,
                                 const DiagnosticHandler &report) {
  loadImportDialects(context);
  return onnx::GraphImporter(context, model, options, report).run();
}

namespace onnx {

/// The most bytes that a sparse constant may take in dense form.
static constexpr uint64_t maxSparseBytes = uint64_t(64) << 20;

const ShapeOption *GraphImporter::shapeOption(StringRef input) const {
  for (const ShapeOption &option : options.shapes)
    if (option.input == input)
      return &option;
  return nullptr;
}

/// The extents that a file declares for an input. An extent without a name is
/// named after the input.
static DeclaredInput declare(const ValueInfo &input, const ShapeOption *option,
                             llvm::StringSet<> &names) {
  std::vector<Dim> shape = input.type.shape
                               ? *input.type.shape
                               : std::vector<Dim>(option->dims.size());
  DeclaredInput declared{input.name, {}};
  for (auto [i, dim] : llvm::enumerate(shape)) {
    if (dim.kind == Dim::Kind::Static) {
      declared.dims.push_back({dim.size, "", false});
      continue;
    }
    std::string name = dim.symbol;
    if (name.empty()) {
      name = input.name + "_dim" + std::to_string(i);
      while (!names.insert(name).second)
        name += "_";
    }
    declared.dims.push_back({-1, name, !dim.symbol.empty()});
  }
  return declared;
}

bool GraphImporter::buildSignature(ArrayRef<const ValueInfo *> inputs,
                                   SmallVectorImpl<EntryArgument> &arguments) {
  llvm::StringSet<> names;
  for (const ValueInfo *input : inputs)
    if (input->type.shape)
      for (const Dim &dim : *input->type.shape)
        names.insert(dim.symbol);
  std::vector<DeclaredInput> declared;
  SmallVector<mlir::Type> elements;
  for (const ValueInfo *input : inputs) {
    std::string place = "input '" + input->name + "'";
    const ShapeOption *option = shapeOption(input->name);
    mlir::Type element;
    if (input->type.kind == Type::Kind::Tensor)
      element = elementTypeOf(&context, input->type.element);
    if (!element)
      unsupported(nullptr, place,
                  input->type.kind == Type::Kind::Tensor
                      ? std::string("inputs of type ") +
                            elementTypeName(input->type.element)
                      : "inputs that are not tensors");
    if (element && !input->type.shape && !option) {
      error(place, "its rank is not declared", Status::Unsupported,
            "--shape=" + input->name + ":... declares it");
      return false;
    }
    elements.push_back(element);
    declared.push_back(element ? declare(*input, option, names)
                               : DeclaredInput{input->name, {}});
  }
  if (hasUnsupported()) {
    // Check the ops to report more unsupported uses, then stop: the graph
    // cannot be imported without its arguments.
    for (const Node &node : model.graph.nodes)
      checkKnownOps(node);
    reportUnsupported();
    return false;
  }
  BoundDims bound;
  auto refuse = [&](const std::string &text, const std::string &help) {
    error("", text, Status::Usage, help);
  };
  if (!bindInputDims(g.ops, declared, options.dims, options.shapes, refuse,
                     bound))
    return false;
  if (!bound.ranges.empty())
    annotation::ranges.set(*module, bound.ranges);
  for (auto [i, input] : llvm::enumerate(inputs)) {
    auto type = RankedTensorType::get(bound.extents[i], elements[i]);
    if (!checkExtent("input '" + input->name + "'", input->name, type))
      return false;
    arguments.push_back({input->name, type, bound.names[i]});
  }
  return true;
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
