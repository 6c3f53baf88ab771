// Lists of tensors of one shape, which loops fill and read. A list is one dense
// tensor with the list along its first dimension. The tensor arrays of
// TensorFlow 1 are also lists: their flow operand has the tensors, and their
// handle is not used.
#include "compiler/import/tensorflow/graph/TfNodeContext.h"

using namespace mlir;

namespace tenon::tf {
namespace {

/// The operand that is the list: operand 0, or the flow of a tensor array,
/// which is the last operand.
enum class Holder { List, Flow };

template <Holder holder> const Result &listOf(NodeContext &c) {
  return c.operand(holder == Holder::List ? 0 : c.numInputs() - 1);
}

template <Holder holder>
LogicalResult expectList(NodeContext &c, bool reserved = false) {
  Result::Kind kind = listOf<holder>(c).kind;
  if (kind == Result::Kind::List ||
      (reserved && kind == Result::Kind::Reserved))
    return success();
  return c.unsupported(kind == Result::Kind::Reserved
                           ? "a list that is read before it is written"
                           : "a variant that is no list of tensors");
}

Size lengthOf(GraphBuilder &g, const Result &list) {
  return list.kind == Result::Kind::List ? g.size(list.value, 0) : list.count;
}

/// A list of `count` zero tensors with the extents `sizes`.
Value zeros(GraphBuilder &g, mlir::Type element, Size count,
            ArrayRef<Size> sizes) {
  Sizes all = {count};
  llvm::append_range(all, sizes);
  return g.splat(element, all, 0);
}

/// Operand 1 as a checked position in the list.
FailureOr<Size> place(NodeContext &c, Size count) {
  GraphBuilder &g = c.g;
  FailureOr<Sizes> at = c.sizesInput(1);
  if (failed(at))
    return failure();
  if (at->size() != 1)
    return c.error("expected one index, got " + Twine(at->size()));
  return g.clamp(at->front(), g.index(0), g.sub(count, g.index(1)));
}

template <Holder holder> LogicalResult getItem(NodeContext &c) {
  GraphBuilder &g = c.g;
  if (failed(expectList<holder>(c)))
    return failure();
  Value list = listOf<holder>(c).value;
  FailureOr<Size> at = place(c, g.size(list, 0));
  if (failed(at))
    return failure();
  c.set(0, g.squeeze(g.sliceDim(list, 0, *at, g.index(1)), {0}));
  return success();
}

template <Holder holder> LogicalResult setItem(NodeContext &c) {
  GraphBuilder &g = c.g;
  if (failed(expectList<holder>(c, true)))
    return failure();
  const Result &from = listOf<holder>(c);
  Value item = c.input(2), list = from.value;
  if (from.kind == Result::Kind::Reserved)
    list = zeros(g, g.elementOf(item), from.count, g.sizes(item));
  if (g.rankOf(list) != g.rankOf(item) + 1 ||
      g.elementOf(list) != g.elementOf(item))
    return c.error("expected an element of a list " + textOf(list) + ", got " +
                   textOf(item));
  FailureOr<Size> at = place(c, g.size(list, 0));
  if (failed(at))
    return failure();
  Sizes offsets(g.rankOf(list), g.index(0)), sizes = g.sizes(list);
  offsets[0] = *at;
  Value updated = g.dynamicUpdateSlice(list, g.unsqueeze(item, {0}), offsets);
  g.recordSizes(updated, sizes);
  c.set(0, Result::list(updated));
  return success();
}

template <Holder holder> LogicalResult length(NodeContext &c) {
  if (failed(expectList<holder>(c, true)))
    return failure();
  c.set(0,
        c.g.fromSize(lengthOf(c.g, listOf<holder>(c)), c.g.ops.getI32Type()));
  return success();
}

LogicalResult fromTensor(NodeContext &c) {
  if (failed(c.expectMinRank(0, 1)))
    return failure();
  c.set(0, Result::list(c.input(0)));
  return success();
}

/// A list of tensors without values; operand `i` gives their number.
FailureOr<Result> reserved(NodeContext &c, size_t i, StringRef type) {
  FailureOr<Sizes> count = c.sizesInput(i);
  Result list;
  list.kind = Result::Kind::Reserved;
  list.element = c.elementAttr(type, DataType::Invalid);
  if (failed(count) || !list.element)
    return failure();
  if (count->size() != 1)
    return c.error("expected one number of elements");
  list.count = c.g.max(count->front(), c.g.index(0));
  return list;
}

LogicalResult reserve(NodeContext &c) {
  GraphBuilder &g = c.g;
  FailureOr<Result> list = reserved(c, 1, "element_dtype");
  if (failed(list))
    return failure();
  std::optional<SmallVector<int64_t>> shape = c.shapes.constants(c.input(0));
  if (shape && g.rankOf(c.input(0)) == 1 &&
      llvm::all_of(*shape, [](int64_t extent) { return extent >= 0; }))
    list =
        Result::list(zeros(g, list->element, list->count, g.indices(*shape)));
  c.set(0, *list);
  return success();
}

LogicalResult stack(NodeContext &c) {
  if (failed(expectList<Holder::List>(c)))
    return failure();
  c.set(0, c.input(0));
  return success();
}

LogicalResult tensorArray(NodeContext &c) {
  FailureOr<Result> list = reserved(c, 0, "dtype");
  if (failed(list))
    return failure();
  c.set(0, *list);
  c.set(1, *list);
  return success();
}

/// True if `indices` are 0, 1, ..., count - 1.
bool isWhole(NodeContext &c, Value indices, Size count) {
  if (c.g.rankOf(indices) != 1 ||
      !GraphBuilder::same(c.g.size(indices, 0), count))
    return false;
  if (auto known = c.shapes.constants(indices))
    return llvm::equal(*known, llvm::seq<int64_t>(0, known->size()));
  return indices.getDefiningOp<IotaOp>() != nullptr;
}

LogicalResult scatter(NodeContext &c) {
  if (failed(expectList<Holder::Flow>(c, true)) ||
      failed(c.expectMinRank(2, 1)))
    return failure();
  if (!isWhole(c, c.input(1), lengthOf(c.g, listOf<Holder::Flow>(c))))
    return c.unsupported("scattering into a part of a tensor array");
  c.set(0, Result::list(c.input(2)));
  return success();
}

LogicalResult gather(NodeContext &c) {
  if (failed(expectList<Holder::Flow>(c)))
    return failure();
  const Result &list = listOf<Holder::Flow>(c);
  if (!isWhole(c, c.input(1), lengthOf(c.g, list)))
    return c.unsupported("gathering a part of a tensor array");
  c.set(0, list.value);
  return success();
}

} // namespace

void registerListOps(OpRegistry &r) {
  r.add("TensorListFromTensor", 2, fromTensor);
  r.add("TensorListReserve", 2, reserve);
  r.add("TensorListGetItem", 3, getItem<Holder::List>);
  r.add("TensorListSetItem", 3, setItem<Holder::List>);
  r.add("TensorListStack", 2, stack);
  r.add("TensorListLength", 1, length<Holder::List>);
  r.add("TensorArrayV3", 1, tensorArray, {"handle", "flow"});
  r.add("TensorArrayScatterV3", 4, scatter);
  r.add("TensorArrayGatherV3", 3, gather);
  r.add("TensorArrayReadV3", 3, getItem<Holder::Flow>);
  r.add("TensorArrayWriteV3", 4, setItem<Holder::Flow>);
  r.add("TensorArraySizeV3", 2, length<Holder::Flow>);
}

} // namespace tenon::tf
