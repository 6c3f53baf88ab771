// Recognizes causal masks: constants by their elements, computed masks by their
// comparison of positions.
#include "passes/graph/Attention.h"

#include "dialects/tenon/TenonDialect.h"

using namespace mlir;

namespace tenon {
namespace {

/// The linear form row * rows + key * keys + constant.
struct Position {
  int64_t rows = 0, keys = 0, constant = 0;
};

/// `value` as a linear form of row and key. `keyDim` is the dimension of keys
/// in `value`; rows are the dimension before.
std::optional<Position> positionOf(Value value, int64_t keyDim) {
  if (auto iota = value.getDefiningOp<IotaOp>()) {
    int64_t dim = iota.getDim();
    if (dim == keyDim)
      return Position{0, 1, 0};
    if (dim == keyDim - 1)
      return Position{1, 0, 0};
    return std::nullopt;
  }
  if (auto constant = value.getDefiningOp<ConstantOp>()) {
    auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
    if (!splat || !splat.getElementType().isInteger(64))
      return std::nullopt;
    return Position{0, 0, splat.getSplatValue<APInt>().getSExtValue()};
  }
  if (auto broadcast = value.getDefiningOp<BroadcastInDimOp>()) {
    ArrayRef<int64_t> dims = broadcast.getDims();
    Value source = broadcast.getOperand();
    if (dims.empty())
      return positionOf(source, keyDim);
    // The source's dimensions must be rows or keys. A source extent of one must
    // not be broadcast there, because the position would not change along it.
    auto from = cast<RankedTensorType>(source.getType());
    for (auto [i, dim] : llvm::enumerate(dims))
      if (dim >= keyDim - 1 &&
          (from.getDimSize(i) != broadcast.getType().getDimSize(dim) ||
           from.isDynamicDim(i)))
        return std::nullopt;
    int64_t shift = dims.back() - (int64_t(dims.size()) - 1);
    for (auto [i, dim] : llvm::enumerate(dims))
      if (dim != int64_t(i) + shift)
        return std::nullopt;
    return positionOf(source, keyDim - shift);
  }
  auto combined = [&](Operation *op, int64_t sign) -> std::optional<Position> {
    auto a = positionOf(op->getOperand(0), keyDim),
         b = positionOf(op->getOperand(1), keyDim);
    if (!a || !b)
      return std::nullopt;
    return Position{a->rows + sign * b->rows, a->keys + sign * b->keys,
                    a->constant + sign * b->constant};
  };
  if (auto add = value.getDefiningOp<AddOp>())
    return combined(add, 1);
  if (auto subtract = value.getDefiningOp<SubtractOp>())
    return combined(subtract, -1);
  return std::nullopt;
}

/// The causal offset of a comparison of positions.
std::optional<int64_t> offsetOf(CompareOp op, int64_t keyDim) {
  auto left = positionOf(op.getLhs(), keyDim),
       right = positionOf(op.getRhs(), keyDim);
  if (!left || !right)
    return std::nullopt;
  CompareDirection direction = op.getDirection();
  bool greater =
      direction == CompareDirection::GE || direction == CompareDirection::GT;
  if (!greater && direction != CompareDirection::LE &&
      direction != CompareDirection::LT)
    return std::nullopt;
  if (!greater)
    std::swap(left, right);
  bool strict =
      direction == CompareDirection::GT || direction == CompareDirection::LT;
  // left - right >= 0 must mean row - key + constant >= 0.
  if (left->rows - right->rows != 1 || left->keys - right->keys != -1)
    return std::nullopt;
  return left->constant - right->constant - strict;
}

/// The causal offset of a constant mask. Its last two dimensions are rows and
/// keys; the others must be one.
std::optional<int64_t> offsetOf(DenseElementsAttr bools) {
  ArrayRef<int64_t> shape = bools.getType().getShape();
  if (shape.size() < 2 || bools.isSplat() ||
      llvm::any_of(shape.drop_back(2), [](int64_t d) { return d != 1; }))
    return std::nullopt;
  int64_t rows = shape[shape.size() - 2], keys = shape.back();
  SmallVector<bool> values(bools.getValues<bool>());
  // The first row that is neither all false nor all true determines the offset.
  std::optional<int64_t> offset;
  for (int64_t r = 0; r < rows && !offset; ++r) {
    int64_t seen = 0;
    while (seen < keys && values[r * keys + seen])
      ++seen;
    if (seen > 0 && seen < keys)
      offset = seen - 1 - r;
  }
  for (int64_t r = 0; r < rows && offset; ++r)
    for (int64_t k = 0; k < keys; ++k)
      if (values[r * keys + k] != (k <= r + *offset))
        return std::nullopt;
  return offset;
}
} // namespace

std::optional<int64_t> causalOffset(Value mask) {
  int64_t keyDim = cast<RankedTensorType>(mask.getType()).getRank() - 1;
  while (auto broadcast = mask.getDefiningOp<BroadcastInDimOp>()) {
    // The last two dimensions must keep their places and have static extents.
    ArrayRef<int64_t> dims = broadcast.getDims();
    auto from = cast<RankedTensorType>(broadcast.getOperand().getType());
    if (dims.size() < 2 || dims.back() != keyDim ||
        dims[dims.size() - 2] != keyDim - 1)
      return std::nullopt;
    for (int64_t i : {1, 2})
      if (from.getDimSize(from.getRank() - i) !=
              broadcast.getType().getDimSize(keyDim + 1 - i) ||
          from.isDynamicDim(from.getRank() - i))
        return std::nullopt;
    mask = broadcast.getOperand();
    keyDim = from.getRank() - 1;
  }
  if (auto compare = mask.getDefiningOp<CompareOp>())
    return offsetOf(compare, keyDim);
  if (auto constant = mask.getDefiningOp<ConstantOp>())
    if (auto bools = dyn_cast<DenseElementsAttr>(constant.getValue());
        bools && bools.getElementType().isInteger(1))
      return offsetOf(bools);
  return std::nullopt;
}

} // namespace tenon
