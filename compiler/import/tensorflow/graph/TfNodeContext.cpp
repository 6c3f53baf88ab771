// The functions that handlers call on a node: attributes with a checked kind,
// operands with a checked type, and errors that name the node.
#include "compiler/import/tensorflow/graph/TfNodeContext.h"

using namespace mlir;

namespace tenon::tf {

mlir::Type elementTypeOf(MLIRContext *context, DataType type) {
  return elementTypeNamed(context, dataTypeName(type));
}

//===-- Attributes ------------------------------------------------------===//

bool NodeContext::hasAttr(StringRef name) const {
  return node.find(std::string_view(name)) != nullptr;
}

template <typename T>
const T *NodeContext::read(StringRef name, const char *kind) {
  const Attr *attr = node.find(std::string_view(name));
  if (!attr || std::holds_alternative<std::monostate>(*attr))
    return nullptr;
  const T *value = std::get_if<T>(attr);
  if (!value)
    (void)error("expected attribute '" + name + "' to be " + kind);
  return value;
}

int64_t NodeContext::intAttr(StringRef name, int64_t otherwise) {
  const auto *value = read<int64_t>(name, "an integer");
  return value ? *value : otherwise;
}

double NodeContext::floatAttr(StringRef name, double otherwise) {
  const auto *value = read<float>(name, "a float");
  return value ? *value : otherwise;
}

bool NodeContext::boolAttr(StringRef name, bool otherwise) {
  const auto *value = read<bool>(name, "a bool");
  return value ? *value : otherwise;
}

std::string NodeContext::stringAttr(StringRef name, StringRef otherwise) {
  const auto *value = read<std::string>(name, "a string");
  return value ? *value : otherwise.str();
}

SmallVector<int64_t> NodeContext::intsAttr(StringRef name,
                                           ArrayRef<int64_t> otherwise) {
  const auto *value = read<List>(name, "a list");
  return value ? SmallVector<int64_t>(value->ints.begin(), value->ints.end())
               : llvm::to_vector(otherwise);
}

DataType NodeContext::typeAttr(StringRef name, DataType otherwise) {
  const auto *value = read<DataType>(name, "a type");
  return value ? *value : otherwise;
}

mlir::Type NodeContext::elementAttr(StringRef name, DataType otherwise) {
  DataType type = typeAttr(name, otherwise);
  mlir::Type element = elementTypeOf(g.ops.getContext(), type);
  if (!element)
    (void)unsupported("tensors of " + dataTypeName(type));
  return element;
}

std::string NodeContext::functionAttr(StringRef name) {
  const auto *value = read<FunctionName>(name, "a function");
  if (!value)
    (void)error("expected attribute '" + name + "' to name a function");
  return value ? value->name : std::string();
}

LogicalResult NodeContext::expectTensor(size_t i) {
  static const char *const names[] = {"what came of something unsupported",
                                      "a tensor",
                                      "complex numbers",
                                      "a variable",
                                      "a list of tensors",
                                      "a list of tensors"};
  Result::Kind kind = operands[i].kind;
  if (kind == Result::Kind::Tensor)
    return success();
  return unsupported(std::string(names[int(kind)]) + " as operand " + Twine(i));
}

LogicalResult NodeContext::expectOneShape(llvm::MutableArrayRef<Value> values) {
  Value first = values.front();
  for (Value &value : values.drop_front()) {
    if (failed(verifyCompatibleShape(first.getType(), value.getType())))
      return error("expected tensors of one shape, got " + textOf(first) +
                   " and " + textOf(value));
    Sizes wanted = g.sizes(first), found = g.sizes(value);
    bool differ = false;
    for (auto [i, want, got] : llvm::enumerate(wanted, found)) {
      if (GraphBuilder::same(want, got))
        continue;
      differ = true;
      check(got, want, want, "extent " + Twine(i) + " must be as elsewhere");
    }
    if (differ)
      value = g.reshape(value, wanted);
  }
  return success();
}

//===-- Errors ----------------------------------------------------------===//

LogicalResult NodeContext::error(const Twine &text) {
  importer.error(site(), text.str());
  return failure();
}

LogicalResult NodeContext::unsupported(const Twine &what) {
  importer.unsupported(node, what.str());
  return failure();
}

} // namespace tenon::tf
