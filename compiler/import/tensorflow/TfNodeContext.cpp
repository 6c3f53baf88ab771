// What handlers ask of a node: attributes of the right kind, operands of the
// right type, errors in the node's name.
#include "compiler/import/tensorflow/TfNodeContext.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tenon::tf {

mlir::Type elementTypeOf(MLIRContext *context, DataType type) {
  auto integer = [&](unsigned width, bool isUnsigned) {
    return IntegerType::get(context, width,
                            isUnsigned ? IntegerType::Unsigned
                                       : IntegerType::Signless);
  };
  switch (type) {
  case DataType::F32:
    return Float32Type::get(context);
  case DataType::F64:
    return Float64Type::get(context);
  case DataType::F16:
    return Float16Type::get(context);
  case DataType::BF16:
    return BFloat16Type::get(context);
  case DataType::I8:
    return integer(8, false);
  case DataType::I16:
    return integer(16, false);
  case DataType::I32:
    return integer(32, false);
  case DataType::I64:
    return integer(64, false);
  case DataType::U8:
    return integer(8, true);
  case DataType::U16:
    return integer(16, true);
  case DataType::U32:
    return integer(32, true);
  case DataType::U64:
    return integer(64, true);
  case DataType::Bool:
    return integer(1, false);
  default:
    return {};
  }
}

std::string spell(Value value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto type = GraphBuilder::typeOf(value);
  if (type.getElementType().isInteger(1))
    os << "bool";
  else
    os << type.getElementType();
  os << "[";
  llvm::interleave(
      type.getShape(),
      [&](int64_t extent) {
        if (ShapedType::isDynamic(extent))
          os << "?";
        else
          os << extent;
      },
      [&] { os << ","; });
  os << "]";
  return text;
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

//===-- Checks ----------------------------------------------------------===//

LogicalResult NodeContext::error(const Twine &text) {
  importer.error(site(), text.str());
  return failure();
}

LogicalResult NodeContext::unsupported(const Twine &what) {
  importer.unsupported(node, what.str());
  return failure();
}

FailureOr<int64_t> NodeContext::axis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return error("expected an axis in [" + Twine(-rank) + ", " + Twine(rank) +
                 "), got " + Twine(axis));
  return axis < 0 ? axis + rank : axis;
}

FailureOr<SmallVector<int64_t>> NodeContext::axes(ArrayRef<int64_t> axes,
                                                  int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t given : axes) {
    FailureOr<int64_t> one = axis(given, rank);
    if (failed(one))
      return failure();
    if (llvm::is_contained(result, *one))
      return error("expected distinct axes, got " + Twine(given) + " again");
    result.push_back(*one);
  }
  llvm::sort(result);
  return result;
}

FailureOr<Sizes> NodeContext::sizesInput(size_t i) {
  if (failed(expectInteger(i)))
    return failure();
  std::optional<Sizes> sizes = shapes.elements(input(i));
  if (!sizes)
    return unsupported("operand " + Twine(i) +
                       " as sizes, whose number is not known");
  return *sizes;
}

FailureOr<SmallVector<int64_t>> NodeContext::constantInput(size_t i,
                                                           StringRef what) {
  std::optional<SmallVector<int64_t>> known = shapes.constants(input(i));
  if (!known)
    return unsupported(what + " that is not constant");
  return *known;
}

FailureOr<int64_t> NodeContext::constantScalar(size_t i, StringRef what) {
  FailureOr<SmallVector<int64_t>> known = constantInput(i, what);
  if (failed(known))
    return failure();
  if (known->size() != 1)
    return error("expected one number for " + what + ", got " +
                 Twine(known->size()));
  return known->front();
}

LogicalResult NodeContext::broadcast(MutableArrayRef<Value> values) {
  SmallVector<Value> before(values);
  if (g.broadcast(values))
    return success();
  std::string types;
  for (Value value : before)
    types += (types.empty() ? "" : " and ") + spell(value);
  return error("expected operands whose shapes can be broadcast, got " + types);
}

LogicalResult NodeContext::expect(size_t i, bool holds, StringRef wanted) {
  if (holds)
    return success();
  return error("expected operand " + Twine(i) + " to be " + wanted + ", got " +
               spell(input(i)));
}

LogicalResult NodeContext::expectFloat(size_t i) {
  return expect(i, isa<FloatType>(g.elementOf(input(i))), "of a float type");
}
LogicalResult NodeContext::expectInteger(size_t i) {
  mlir::Type element = g.elementOf(input(i));
  return expect(i, isa<IntegerType>(element) && !element.isInteger(1),
                "of an integer type");
}
LogicalResult NodeContext::expectNumber(size_t i) {
  return expect(i, !g.elementOf(input(i)).isInteger(1), "of numbers");
}
LogicalResult NodeContext::expectBool(size_t i) {
  return expect(i, g.elementOf(input(i)).isInteger(1), "of bools");
}
LogicalResult NodeContext::expectRank(size_t i, int64_t rank) {
  return expect(i, g.rankOf(input(i)) == rank,
                "of rank " + std::to_string(rank));
}
LogicalResult NodeContext::expectMinRank(size_t i, int64_t rank) {
  return expect(i, g.rankOf(input(i)) >= rank,
                "of rank " + std::to_string(rank) + " at least");
}

LogicalResult NodeContext::expectSame(size_t first, size_t last) {
  for (size_t i = first + 1; i < last; ++i)
    if (g.elementOf(input(i)) != g.elementOf(input(first)))
      return error("expected operands of one element type, got " +
                   spell(input(first)) + " and " + spell(input(i)));
  return success();
}

} // namespace tenon::tf
