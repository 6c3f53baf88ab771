// Lists of tensors of one shape, as loops fill and read them: one dense tensor,
// the list along its first dimension.
#include "compiler/import/tensorflow/TfNodeContext.h"

using namespace mlir;

namespace tenon::tf {
namespace {

LogicalResult expectList(NodeContext &c, bool reserved = false) {
  Result::Kind kind = c.operand(0).kind;
  if (kind == Result::Kind::List ||
      (reserved && kind == Result::Kind::Reserved))
    return success();
  return c.unsupported(kind == Result::Kind::Reserved
                           ? "a list that is read before it is written"
                           : "a variant that is no list of tensors");
}

/// A list of zeros with elements of `sizes`.
Value zeros(GraphBuilder &g, mlir::Type element, Size count,
            ArrayRef<Size> sizes) {
  Sizes all = {count};
  llvm::append_range(all, sizes);
  return g.splat(element, all, 0);
}

/// Operand 1 as a place in the list.
FailureOr<Size> place(NodeContext &c, Size count) {
  GraphBuilder &g = c.g;
  FailureOr<Sizes> at = c.sizesInput(1);
  if (failed(at))
    return failure();
  if (at->size() != 1)
    return c.error("expected one index, got " + Twine(at->size()));
  return g.clamp(at->front(), g.index(0), g.sub(count, g.index(1)));
}

LogicalResult fromTensor(NodeContext &c) {
  if (failed(c.expectMinRank(0, 1)))
    return failure();
  c.set(0, Result::list(c.input(0)));
  return success();
}

LogicalResult reserve(NodeContext &c) {
  GraphBuilder &g = c.g;
  FailureOr<Sizes> count = c.sizesInput(1);
  mlir::Type element = c.elementAttr("element_dtype", DataType::Invalid);
  if (failed(count) || !element)
    return failure();
  if (count->size() != 1)
    return c.error("expected one number of elements");
  Result result;
  result.kind = Result::Kind::Reserved;
  result.count = g.max(count->front(), g.index(0));
  result.element = element;
  std::optional<SmallVector<int64_t>> shape = c.shapes.constants(c.input(0));
  if (shape && g.rankOf(c.input(0)) == 1 &&
      llvm::all_of(*shape, [](int64_t extent) { return extent >= 0; }))
    result = Result::list(zeros(g, element, result.count, g.indices(*shape)));
  c.set(0, result);
  return success();
}

LogicalResult getItem(NodeContext &c) {
  GraphBuilder &g = c.g;
  if (failed(expectList(c)))
    return failure();
  Value list = c.input(0);
  FailureOr<Size> at = place(c, g.size(list, 0));
  if (failed(at))
    return failure();
  c.set(0, g.squeeze(g.sliceDim(list, 0, *at, g.index(1)), {0}));
  return success();
}

LogicalResult setItem(NodeContext &c) {
  GraphBuilder &g = c.g;
  if (failed(expectList(c, true)))
    return failure();
  const Result &from = c.operand(0);
  Value item = c.input(2);
  Value list = from.value;
  if (from.kind == Result::Kind::Reserved)
    list = zeros(g, g.elementOf(item), from.count, g.sizes(item));
  if (g.rankOf(list) != g.rankOf(item) + 1 ||
      g.elementOf(list) != g.elementOf(item))
    return c.error("expected an element of a list " + spell(list) + ", got " +
                   spell(item));
  FailureOr<Size> at = place(c, g.size(list, 0));
  if (failed(at))
    return failure();
  Sizes offsets(g.rankOf(list), g.index(0));
  offsets[0] = *at;
  Sizes sizes = g.sizes(list);
  Value updated = g.dynamicUpdateSlice(list, g.unsqueeze(item, {0}), offsets);
  g.recordSizes(updated, sizes);
  c.set(0, Result::list(updated));
  return success();
}

LogicalResult stack(NodeContext &c) {
  if (failed(expectList(c)))
    return failure();
  c.set(0, c.input(0));
  return success();
}

LogicalResult length(NodeContext &c) {
  GraphBuilder &g = c.g;
  if (failed(expectList(c, true)))
    return failure();
  const Result &list = c.operand(0);
  Size count =
      list.kind == Result::Kind::List ? g.size(list.value, 0) : list.count;
  c.set(0, g.fromSize(count, g.ops.getI32Type()));
  return success();
}

} // namespace

void registerListOps(OpRegistry &r) {
  r.add("TensorListFromTensor", 2, fromTensor);
  r.add("TensorListReserve", 2, reserve);
  r.add("TensorListGetItem", 3, getItem);
  r.add("TensorListSetItem", 3, setItem);
  r.add("TensorListStack", 2, stack);
  r.add("TensorListLength", 1, length);
}

} // namespace tenon::tf
