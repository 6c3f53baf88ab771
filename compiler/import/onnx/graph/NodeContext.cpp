// The functions that handlers call on a node: attributes with a checked kind,
// operands with a checked type, and errors that name the node.
#include "compiler/import/onnx/graph/NodeContext.h"

#include "compiler/import/onnx/graph/GraphImporter.h"

using namespace mlir;

namespace tenon::onnx {

mlir::Type elementTypeOf(MLIRContext *context, ElementType type) {
  return elementTypeNamed(context, elementTypeName(type));
}

NodeContext::NodeContext(GraphImporter &importer, const Node &node,
                         int64_t opset, ArrayRef<Value> inputs,
                         const Declared &declared)
    : NodeChecks(importer.g, importer.shapes), node(node), opset(opset),
      importer(importer), infos(declared), operands(inputs),
      results(node.outputs.size()) {}

StringRef NodeContext::inputName(size_t i) const {
  return i < node.inputs.size() ? StringRef(node.inputs[i]) : StringRef();
}

bool NodeContext::wants(size_t i) const {
  return i < node.outputs.size() && !node.outputs[i].empty();
}

const Type *NodeContext::declared(size_t i) const {
  const Type *found = wants(i) ? infos.lookup(node.outputs[i]) : nullptr;
  return found && found->kind == Type::Kind::Tensor ? found : nullptr;
}

std::optional<int64_t> NodeContext::declaredRank(size_t i) const {
  const Type *type = declared(i);
  if (!type || !type->shape)
    return std::nullopt;
  return int64_t(type->shape->size());
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

mlir::Type NodeContext::elementAttr(StringRef name) {
  int64_t number = intAttr(name);
  if (hasFailed)
    return {};
  std::optional<ElementType> type = elementTypeNumbered(number);
  mlir::Type element =
      type ? elementTypeOf(g.ops.getContext(), *type) : mlir::Type();
  if (element)
    return element;
  int since = opsetOfLaterType(number);
  if (type)
    (void)unsupported("attribute '" + name + "' that asks for " +
                      elementTypeName(*type));
  else if (since && opset >= since)
    (void)unsupported("attribute '" + name + "' that asks for element type " +
                      Twine(number) + " of TensorProto.DataType");
  else
    (void)error("expected attribute '" + name + "' to be an element type " +
                elementTypeNumbers() + ", got " + Twine(number));
  return {};
}

mlir::Type NodeContext::elementAttr(StringRef name, mlir::Type otherwise) {
  return hasAttr(name) ? elementAttr(name) : otherwise;
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

LogicalResult NodeContext::binaryOperands(SmallVector<Value, 2> &operands) {
  operands = {input(0), input(1)};
  if (opset >= 7)
    return broadcast(operands);
  // The second operand is broadcast to the shape of the first.
  ignoreAttrs({"consumed_inputs"});
  Sizes wanted = g.sizes(operands[0]);
  int64_t rank = wanted.size(), second = g.rankOf(operands[1]);
  SmallVector<int64_t> trailing;
  if (intAttr("broadcast", 0) != 0 && hasAttr("axis")) {
    FailureOr<int64_t> first = axis(intAttr("axis"), rank);
    if (llvm::failed(first))
      return failure();
    if (*first + second > rank)
      return error("expected an axis that leaves room for " + Twine(second) +
                   " dimensions in rank " + Twine(rank) + ", got " +
                   Twine(*first));
    for (int64_t i = second; i < rank - *first; ++i)
      trailing.push_back(i);
    wanted.truncate(*first + second);
  }
  FailureOr<Value> fitted = this->fitted(1, wanted, "a second operand");
  if (llvm::failed(fitted))
    return failure();
  operands[1] =
      g.broadcastTo(g.unsqueeze(*fitted, trailing), g.sizes(operands[0]));
  return success();
}

std::string NodeContext::inputLabel(size_t i) const {
  return " ('" + inputName(i).str() + "')";
}

//===-- Errors ----------------------------------------------------------===//

LogicalResult NodeContext::error(const Twine &text) {
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
