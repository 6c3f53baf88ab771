// Removes transposes from values: from transposes, from broadcasts, which have
// any order at no cost, and from constants and weights.
#include "passes/graph/TransposedValue.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace tenon {

RankedTensorType typeBefore(Value value, ArrayRef<int64_t> permutation) {
  RankedTensorType type = cast<RankedTensorType>(value.getType());
  return type.clone(beforeTranspose(type.getShape(), permutation));
}

bool movesOnlyOnes(RankedTensorType type, ArrayRef<int64_t> permutation) {
  int64_t last = -1;
  for (int64_t dim : permutation) {
    if (type.getDimSize(dim) == 1)
      continue;
    if (dim < last)
      return false;
    last = dim;
  }
  return true;
}

bool isKnownTensor(Value value) {
  return isa_and_nonnull<GetWeightOp, ConstantOp>(value.getDefiningOp());
}

namespace {
/// A broadcast with its result's dimensions in another order.
struct Redimensioned {
  Value source;
  Permutation order; ///< of the source's dimensions
  SmallVector<int64_t> dims;

  Redimensioned(BroadcastInDimOp op, ArrayRef<int64_t> permutation)
      : source(op.getOperand()) {
    for (int64_t dim : op.getDims())
      dims.push_back(permutation[dim]);
    for (size_t i = 0; i < dims.size(); ++i)
      order.push_back(i);
    llvm::sort(order, [&](int64_t a, int64_t b) { return dims[a] < dims[b]; });
    llvm::sort(dims);
    if (auto transpose = source.getDefiningOp<TransposeOp>()) {
      source = transpose.getOperand();
      order = applyPermutation(transpose.getPermutation(), order);
    }
  }

  /// True if no element of the source moves at run time.
  bool isCheap() const {
    return isKnownTensor(source) ||
           movesOnlyOnes(cast<RankedTensorType>(source.getType()), order);
  }
};

} // namespace

bool canStripTranspose(Value value, ArrayRef<int64_t> permutation) {
  if (auto transpose = value.getDefiningOp<TransposeOp>())
    return transpose.getPermutation() == permutation;
  if (auto broadcast = value.getDefiningOp<BroadcastInDimOp>())
    return Redimensioned(broadcast, permutation).isCheap();
  return isKnownTensor(value);
}

Value stripTranspose(OpBuilder &builder, Value value,
                     ArrayRef<int64_t> permutation) {
  Location loc = value.getLoc();
  Operation *op = value.getDefiningOp();
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return transpose.getOperand();
  if (auto broadcast = dyn_cast<BroadcastInDimOp>(op)) {
    Redimensioned changed(broadcast, permutation);
    Value source =
        builder.createOrFold<TransposeOp>(loc, changed.source, changed.order);
    SmallVector<Value> dynamic;
    SmallVector<int64_t> sizes;
    dispatchIndexOpFoldResults(
        beforeTranspose(getMixedValues(broadcast.getStaticSizes(),
                                       broadcast.getSizes(), builder),
                        permutation),
        dynamic, sizes);
    return BroadcastInDimOp::create(builder, loc,
                                    typeBefore(value, permutation), source,
                                    changed.dims, dynamic, sizes);
  }
  if (auto constant = dyn_cast<ConstantOp>(op))
    if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
      return ConstantOp::create(
          builder, loc,
          DenseElementsAttr::get(typeBefore(value, permutation),
                                 splat.getSplatValue<Attribute>()));
  return TransposeOp::create(builder, loc, value,
                             invertPermutationVector(permutation));
}

} // namespace tenon
