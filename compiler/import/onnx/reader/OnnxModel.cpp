// Names and sizes of the model's parts, and access to payloads in files or
// memory.
#include "compiler/import/onnx/reader/OnnxModel.h"

#include "compiler/files/OpenFile.h"
#include "compiler/files/ReadFailure.h"

#include <cstring>
#include <iterator>

namespace tenon::onnx {

unsigned elementSize(ElementType type) {
  switch (type) {
  case ElementType::Undefined:
  case ElementType::String:
    return 0;
  case ElementType::U8:
  case ElementType::I8:
  case ElementType::Bool:
    return 1;
  case ElementType::U16:
  case ElementType::I16:
  case ElementType::F16:
  case ElementType::BF16:
    return 2;
  case ElementType::F32:
  case ElementType::I32:
  case ElementType::U32:
    return 4;
  case ElementType::I64:
  case ElementType::U64:
  case ElementType::F64:
  case ElementType::Complex64:
    return 8;
  case ElementType::Complex128:
    return 16;
  }
  return 0;
}

const char *elementTypeName(ElementType type) {
  static const char *const names[] = {
      "undefined", "f32", "u8",  "i8",  "u16", "i16", "i32",  "i64", "string",
      "bool",      "f16", "f64", "u32", "u64", "c64", "c128", "bf16"};
  auto number = static_cast<size_t>(type);
  return number < std::size(names) ? names[number] : "unknown";
}

constexpr auto newestType = static_cast<int64_t>(ElementType::BF16);

std::optional<ElementType> elementTypeNumbered(int64_t number) {
  if (number < 1 || number > newestType)
    return std::nullopt;
  return static_cast<ElementType>(number);
}

std::string elementTypeNumbers() {
  return std::string("from 1 (") + elementTypeName(ElementType::F32) + ") to " +
         std::to_string(newestType) + " (" +
         elementTypeName(ElementType(newestType)) + ")";
}

int opsetOfLaterType(int64_t number) {
  // Four f8 types, two 4-bit integers, f4, 8-bit exponents, two 2-bit integers.
  static constexpr int opsets[] = {19, 19, 19, 19, 21, 21, 23, 24, 25, 25};
  uint64_t index = static_cast<uint64_t>(number) - (newestType + 1);
  return index < std::size(opsets) ? opsets[index] : 0;
}

const char *attributeKindName(AttributeKind kind) {
  static const char *const names[] = {
      "undefined", "float",  "int",     "string",  "tensor",
      "graph",     "floats", "ints",    "strings", "tensors",
      "graphs",    "sparse", "sparses", "type",    "types"};
  auto number = static_cast<size_t>(kind);
  return number < std::size(names) ? names[number] : "unknown";
}

int64_t Tensor::numElements() const {
  // Look for a zero first: the product is known not to overflow only without
  // zeros.
  for (int64_t dim : dims)
    if (dim == 0)
      return 0;
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  return count;
}

const Attribute *Node::find(std::string_view attribute) const {
  auto found = attributes.find(attribute);
  return found == attributes.end() ? nullptr : &found->second;
}

const Graph *Node::graph(std::string_view attribute) const {
  auto *found = get<std::unique_ptr<Graph>>(attribute);
  return found ? found->get() : nullptr;
}

const Function *Model::findFunction(std::string_view domain,
                                    std::string_view name) const {
  for (const Function &function : functions)
    if (function.name == name && function.domain == domain)
      return &function;
  return nullptr;
}

bool Model::read(const Tensor &tensor, uint64_t offset, void *into,
                 uint64_t size) const {
  if (auto *bytes = std::get_if<InlineBytes>(&tensor.payload)) {
    if (offset > bytes->size() || size > bytes->size() - offset)
      return false;
    if (size > 0)
      std::memcpy(into, bytes->data() + offset, size);
    return true;
  }
  auto *range = std::get_if<FileRange>(&tensor.payload);
  if (!range || offset > range->length || size > range->length - offset)
    return false;
  return files[range->file].file->read(range->offset + offset, into, size);
}

std::optional<InlineBytes> Model::bytes(const Tensor &tensor) const {
  InlineBytes result(tensor.numBytes());
  if (!read(tensor, 0, result.data(), result.size()))
    return std::nullopt;
  return result;
}

std::string placeOf(const Node &node) {
  return "node " + quoted(node.name) + " (" + node.opType + ")";
}

} // namespace tenon::onnx
