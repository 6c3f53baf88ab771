// What handlers ask of a node: attributes of the right kind, operands of the
// right type, errors in the node's name.
#include "compiler/import/onnx/NodeContext.h"

#include "compiler/import/onnx/GraphImporter.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tenon::onnx {

mlir::Type elementTypeOf(MLIRContext *context, ElementType type) {
  auto integer = [&](unsigned width, IntegerType::SignednessSemantics sign) {
    return IntegerType::get(context, width, sign);
  };
  switch (type) {
  case ElementType::F32:
    return Float32Type::get(context);
  case ElementType::F64:
    return Float64Type::get(context);
  case ElementType::F16:
    return Float16Type::get(context);
  case ElementType::BF16:
    return BFloat16Type::get(context);
  case ElementType::I8:
    return integer(8, IntegerType::Signless);
  case ElementType::I16:
    return integer(16, IntegerType::Signless);
  case ElementType::I32:
    return integer(32, IntegerType::Signless);
  case ElementType::I64:
    return integer(64, IntegerType::Signless);
  case ElementType::U8:
    return integer(8, IntegerType::Unsigned);
  case ElementType::U16:
    return integer(16, IntegerType::Unsigned);
  case ElementType::U32:
    return integer(32, IntegerType::Unsigned);
  case ElementType::U64:
    return integer(64, IntegerType::Unsigned);
  case ElementType::Bool:
    return integer(1, IntegerType::Signless);
  default:
    return {};
  }
}

std::string spell(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto tensor = dyn_cast<RankedTensorType>(type);
  mlir::Type element = tensor ? tensor.getElementType() : type;
  if (element.isInteger(1))
    os << "bool";
  else
    os << element;
  if (!tensor)
    return text;
  os << "[";
  llvm::interleave(
      tensor.getShape(),
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

std::string spell(Value value) { return spell(value.getType()); }

NodeContext::NodeContext(GraphImporter &importer, const Node &node,
                         int64_t opset, ArrayRef<Value> inputs)
    : g(importer.g), shapes(importer.shapes), node(node), opset(opset),
      importer(importer), operands(inputs), results(node.outputs.size()) {}

StringRef NodeContext::inputName(size_t i) const {
  return i < node.inputs.size() ? StringRef(node.inputs[i]) : StringRef();
}

bool NodeContext::wants(size_t i) const {
  return i < node.outputs.size() && !node.outputs[i].empty();
}

void NodeContext::set(size_t i, Value value) {
  if (i < results.size())
    results[i] = value;
}

//===-- Attributes ------------------------------------------------------===//

bool NodeContext::hasAttr(StringRef name) {
  asked.insert(name);
  return importer.attribute(node, name) != nullptr;
}

template <typename T>
const T *NodeContext::read(StringRef name, AttributeKind kind, bool required) {
  asked.insert(name);
  const Attribute *attribute = importer.attribute(node, name);
  if (!attribute) {
    if (required)
      (void)error("required attribute '" + name + "' is missing");
    return nullptr;
  }
  const T *value = std::get_if<T>(&attribute->value);
  if (!value || attribute->kind != kind) {
    (void)error("expected attribute '" + name + "' of kind " +
                attributeKindName(kind) + ", got " +
                attributeKindName(attribute->kind));
    return nullptr;
  }
  return value;
}

int64_t NodeContext::intAttr(StringRef name) {
  const auto *value = read<int64_t>(name, AttributeKind::Int, true);
  return value ? *value : 0;
}

int64_t NodeContext::intAttr(StringRef name, int64_t otherwise) {
  const auto *value = read<int64_t>(name, AttributeKind::Int, false);
  return value ? *value : otherwise;
}

double NodeContext::floatAttr(StringRef name) {
  const auto *value = read<float>(name, AttributeKind::Float, true);
  return value ? *value : 0;
}

double NodeContext::floatAttr(StringRef name, double otherwise) {
  const auto *value = read<float>(name, AttributeKind::Float, false);
  return value ? *value : otherwise;
}

std::string NodeContext::stringAttr(StringRef name, StringRef otherwise) {
  const auto *value = read<std::string>(name, AttributeKind::String, false);
  return value ? *value : otherwise.str();
}

SmallVector<int64_t> NodeContext::intsAttr(StringRef name) {
  using List = std::vector<int64_t>;
  const auto *value = read<List>(name, AttributeKind::Ints, false);
  return value ? SmallVector<int64_t>(value->begin(), value->end())
               : SmallVector<int64_t>();
}

SmallVector<double> NodeContext::floatsAttr(StringRef name) {
  using List = std::vector<float>;
  const auto *value = read<List>(name, AttributeKind::Floats, false);
  return value ? SmallVector<double>(value->begin(), value->end())
               : SmallVector<double>();
}

std::vector<std::string> NodeContext::stringsAttr(StringRef name) {
  using List = std::vector<std::string>;
  const auto *value = read<List>(name, AttributeKind::Strings, false);
  return value ? *value : List();
}

const Tensor *NodeContext::tensorAttr(StringRef name) {
  return read<Tensor>(name, AttributeKind::Tensor, false);
}

const SparseTensor *NodeContext::sparseAttr(StringRef name) {
  return read<SparseTensor>(name, AttributeKind::SparseTensor, false);
}

const Graph *NodeContext::graphAttr(StringRef name) {
  using Pointer = std::unique_ptr<Graph>;
  const auto *value = read<Pointer>(name, AttributeKind::Graph, true);
  return value ? value->get() : nullptr;
}

Value NodeContext::constant(const Tensor &tensor) {
  StringRef name = tensor.name.empty() ? StringRef(node.name) : tensor.name;
  if (!elementTypeOf(g.ops.getContext(), tensor.type)) {
    (void)unsupported(Twine("constants of type ") +
                      elementTypeName(tensor.type));
    return {};
  }
  Value value = importer.constant(tensor, name);
  hasFailed |= !value;
  return value;
}

Value NodeContext::constant(const SparseTensor &tensor) {
  if (!elementTypeOf(g.ops.getContext(), tensor.values.type)) {
    (void)unsupported(Twine("constants of type ") +
                      elementTypeName(tensor.values.type));
    return {};
  }
  Value value = importer.constant(tensor, node.name);
  hasFailed |= !value;
  return value;
}

void NodeContext::ignoreAttrs(ArrayRef<StringRef> names) {
  for (StringRef name : names)
    asked.insert(name);
}

//===-- Checks ----------------------------------------------------------===//

FailureOr<int64_t> NodeContext::axis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return error("expected an axis within [" + Twine(-rank) + ", " +
                 Twine(rank - 1) + "], got " + Twine(axis));
  return axis < 0 ? axis + rank : axis;
}

FailureOr<SmallVector<int64_t>> NodeContext::axes(ArrayRef<int64_t> axes,
                                                  int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t given : axes) {
    FailureOr<int64_t> dim = axis(given, rank);
    if (llvm::failed(dim))
      return failure();
    if (llvm::is_contained(result, *dim))
      return error("axis " + Twine(given) + " is given twice");
    result.push_back(*dim);
  }
  llvm::sort(result);
  return result;
}

FailureOr<Sizes> NodeContext::sizesInput(size_t i) {
  if (llvm::failed(expectInteger(i)))
    return failure();
  if (g.rankOf(input(i)) > 1)
    return error("expected a list of integers as operand " + Twine(i) +
                 ", got " + spell(input(i)));
  std::optional<Sizes> sizes = shapes.elements(input(i));
  if (!sizes)
    return unsupported("a list of sizes of unknown or great length");
  return *sizes;
}

FailureOr<SmallVector<int64_t>> NodeContext::constantInput(size_t i,
                                                           StringRef what) {
  FailureOr<Sizes> sizes = sizesInput(i);
  if (llvm::failed(sizes))
    return failure();
  std::optional<SmallVector<int64_t>> constants =
      GraphBuilder::staticSizes(*sizes);
  if (!constants)
    return unsupported(what + " known only in the run");
  return *constants;
}

FailureOr<Sizes> NodeContext::extents(Sizes sizes) {
  for (Size &size : sizes) {
    std::optional<int64_t> extent = GraphBuilder::staticSize(size);
    if (extent && *extent < 0)
      return error("expected extents that are not negative, got " +
                   Twine(*extent));
    check(size, g.index(0), g.index(INT64_MAX), "extents must not be negative");
    size = g.max(size, g.index(0));
  }
  return sizes;
}

FailureOr<Sizes> NodeContext::perDim(const Sizes &axes, const Sizes &values,
                                     int64_t rank, int64_t otherwise) {
  if (axes.size() != values.size())
    return error("expected as many entries as axes, got " +
                 Twine(values.size()) + " and " + Twine(axes.size()));
  Sizes result(rank, g.index(otherwise));
  if (auto known = GraphBuilder::staticSizes(axes)) {
    SmallVector<int64_t> seen;
    for (auto [given, value] : llvm::zip(*known, values)) {
      FailureOr<int64_t> dim = axis(given, rank);
      if (llvm::failed(dim))
        return failure();
      if (llvm::is_contained(seen, *dim))
        return error("axis " + Twine(given) + " is given twice");
      seen.push_back(*dim);
      result[*dim] = value;
    }
    return result;
  }
  for (auto [given, value] : llvm::zip(axes, values)) {
    check(given, g.index(-rank), g.index(rank - 1), "an axis of its operand");
    Size isNegative = g.cmp(arith::CmpIPredicate::slt, given, g.index(0));
    Size dim = g.select(isNegative, g.add(given, g.index(rank)), given);
    for (int64_t i = 0; i < rank; ++i)
      result[i] = g.select(g.cmp(arith::CmpIPredicate::eq, dim, g.index(i)),
                           value, result[i]);
  }
  return result;
}

LogicalResult NodeContext::broadcast(MutableArrayRef<Value> values) {
  SmallVector<std::string> before;
  for (Value value : values)
    before.push_back(spell(value));
  if (g.broadcast(values))
    return success();
  return error("expected operands whose shapes can be broadcast, got " +
               llvm::join(before, " and "));
}

LogicalResult NodeContext::expect(size_t i, bool holds, StringRef wanted) {
  if (holds)
    return success();
  if (!hasInput(i))
    return error("expected operand " + Twine(i) + " to be given");
  return error("expected " + wanted + " as operand " + Twine(i) + " ('" +
               inputName(i) + "'), got " + spell(input(i)));
}

LogicalResult NodeContext::expectFloat(size_t i) {
  return expect(i, hasInput(i) && isa<FloatType>(g.elementOf(input(i))),
                "a float tensor");
}

LogicalResult NodeContext::expectInteger(size_t i) {
  return expect(i,
                hasInput(i) && isa<IntegerType>(g.elementOf(input(i))) &&
                    !g.elementOf(input(i)).isInteger(1),
                "an integer tensor");
}

LogicalResult NodeContext::expectNumber(size_t i) {
  return expect(i, hasInput(i) && !g.elementOf(input(i)).isInteger(1),
                "a tensor of numbers");
}

LogicalResult NodeContext::expectBool(size_t i) {
  return expect(i, hasInput(i) && g.elementOf(input(i)).isInteger(1),
                "a bool tensor");
}

LogicalResult NodeContext::expectRank(size_t i, int64_t rank) {
  return expect(i, hasInput(i) && g.rankOf(input(i)) == rank,
                "a tensor of rank " + std::to_string(rank));
}

LogicalResult NodeContext::expectMinRank(size_t i, int64_t rank) {
  return expect(i, hasInput(i) && g.rankOf(input(i)) >= rank,
                "a tensor of rank " + std::to_string(rank) + " or more");
}

LogicalResult NodeContext::expectSameElements(ArrayRef<size_t> which) {
  SmallVector<size_t> all(which);
  if (which.empty())
    all = llvm::to_vector(llvm::seq<size_t>(0, numInputs()));
  Value first;
  for (size_t i : all) {
    Value value = input(i);
    if (!value)
      continue;
    if (!first)
      first = value;
    if (g.elementOf(value) != g.elementOf(first))
      return error("expected operands of one element type, got " +
                   spell(g.elementOf(first)) + " and " +
                   spell(g.elementOf(value)) + " ('" + inputName(i) + "')");
  }
  return success();
}

//===-- Errors ----------------------------------------------------------===//

LogicalResult NodeContext::error(const Twine &text) {
  // The first error of a node explains the others.
  if (!hasFailed)
    importer.error(placeOf(node), text.str());
  hasFailed = true;
  return failure();
}

LogicalResult NodeContext::unsupported(const Twine &what) {
  if (!hasFailed && !isUnsupported)
    importer.unsupported(&node, placeOf(node), what.str());
  isUnsupported = true;
  return failure();
}

} // namespace tenon::onnx
