// One function for each op maps a position of its result to a position of an
// operand.
#include "compiler/import/sizes/ElementSources.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tenon {

using Sources = std::optional<SmallVector<ElementSource>>;
using Position = SmallVector<int64_t>;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static bool hasStaticShape(Value value) {
  return cast<RankedTensorType>(value.getType()).hasStaticShape();
}

/// The row-major number of a position.
static int64_t placeOf(const Position &at, ArrayRef<int64_t> shape) {
  return linearize(at, computeStrides(shape));
}

/// The sources of all elements of `op`'s result. The function maps a position
/// in the result to an operand and a position in it.
static SmallVector<ElementSource> sourcesBy(
    Operation *op,
    llvm::function_ref<std::pair<unsigned, Position>(Position)> sourceOf) {
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  SmallVector<int64_t> strides = computeStrides(shape);
  SmallVector<ElementSource> sources;
  for (int64_t i = 0, n = computeProduct(shape); i < n; ++i) {
    auto [operand, at] = sourceOf(delinearize(i, strides));
    sources.push_back({operand, placeOf(at, shapeOf(op->getOperand(operand)))});
  }
  return sources;
}

static SmallVector<ElementSource>
sourcesInFirst(Operation *op, llvm::function_ref<void(Position &)> move) {
  return sourcesBy(op, [&](Position at) {
    move(at);
    return std::pair(0u, at);
  });
}

static SmallVector<ElementSource> broadcastSources(BroadcastInDimOp op) {
  ArrayRef<int64_t> from = shapeOf(op.getOperand());
  return sourcesInFirst(op, [&](Position &at) {
    Position source;
    for (auto [d, dim] : llvm::enumerate(op.getDims()))
      source.push_back(from[d] == 1 ? 0 : at[dim]);
    at = source;
  });
}

static SmallVector<ElementSource> transposeSources(TransposeOp op) {
  return sourcesInFirst(op, [&](Position &at) {
    Position source(at.size());
    for (auto [d, from] : llvm::enumerate(op.getPermutation()))
      source[from] = at[d];
    at = source;
  });
}

static SmallVector<ElementSource> reverseSources(ReverseOp op) {
  ArrayRef<int64_t> shape = op.getType().getShape();
  return sourcesInFirst(op, [&](Position &at) {
    for (int64_t dim : op.getDims())
      at[dim] = shape[dim] - 1 - at[dim];
  });
}

static Sources sliceSources(SliceOp op) {
  ArrayRef<int64_t> offsets = op.getStaticOffsets(),
                    strides = op.getStaticStrides();
  if (ShapedType::isDynamicShape(offsets) ||
      ShapedType::isDynamicShape(strides))
    return std::nullopt;
  return sourcesInFirst(op, [&](Position &at) {
    for (auto [place, offset, stride] : llvm::zip(at, offsets, strides))
      place = offset + place * stride;
  });
}

static Sources padSources(PadOp op) {
  if (ShapedType::isDynamicShape(op.getStaticLow()))
    return std::nullopt;
  ArrayRef<int64_t> from = shapeOf(op.getOperand());
  return sourcesBy(op, [&](Position at) -> std::pair<unsigned, Position> {
    for (auto [place, low, gap, extent] :
         llvm::zip(at, op.getStaticLow(), op.getInterior(), from)) {
      place -= low;
      if (place < 0 || place % (gap + 1) != 0 || place / (gap + 1) >= extent)
        return {1, Position()};
      place /= gap + 1;
    }
    return {0, at};
  });
}

static SmallVector<ElementSource> concatenateSources(ConcatenateOp op) {
  int64_t dim = op.getDim();
  return sourcesBy(op, [&](Position at) {
    unsigned operand = 0;
    for (; at[dim] >= shapeOf(op->getOperand(operand))[dim]; ++operand)
      at[dim] -= shapeOf(op->getOperand(operand))[dim];
    return std::pair(operand, at);
  });
}

Sources elementSources(Operation *op) {
  if (!isa<ReshapeOp, BroadcastInDimOp, TransposeOp, ReverseOp, SliceOp, PadOp,
           ConcatenateOp>(op) ||
      !llvm::all_of(op->getOperands(),
                    [](Value operand) {
                      return !isa<RankedTensorType>(operand.getType()) ||
                             hasStaticShape(operand);
                    }) ||
      !hasStaticShape(op->getResult(0)))
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, Sources>(op)
      .Case([](ReshapeOp reshape) {
        SmallVector<ElementSource> sources;
        for (int64_t i = 0, n = reshape.getType().getNumElements(); i < n; ++i)
          sources.push_back({0, i});
        return sources;
      })
      .Case([](BroadcastInDimOp broadcast) {
        return broadcastSources(broadcast);
      })
      .Case([](TransposeOp transpose) { return transposeSources(transpose); })
      .Case([](ReverseOp reverse) { return reverseSources(reverse); })
      .Case([](SliceOp slice) { return sliceSources(slice); })
      .Case([](PadOp pad) { return padSources(pad); })
      .Case([](ConcatenateOp concatenate) {
        return concatenateSources(concatenate);
      });
}

Sources gatherSources(GatherOp op, ArrayRef<int64_t> indices) {
  ArrayRef<int64_t> from = shapeOf(op.getOperand()),
                    indexShape = shapeOf(op.getIndices());
  if (!op.getOperandBatchingDims().empty() ||
      !hasStaticShape(op.getOperand()) || !hasStaticShape(op.getIndices()) ||
      !hasStaticShape(op.getResult()))
    return std::nullopt;
  int64_t vectorDim = op.getIndexVectorDim();
  SmallVector<int64_t> strides = computeStrides(indexShape);
  return sourcesInFirst(op, [&](Position &at) {
    Position batch, offsets;
    for (auto [d, place] : llvm::enumerate(at))
      (llvm::is_contained(op.getOffsetDims(), d) ? offsets : batch)
          .push_back(place);
    bool hasVectors = vectorDim < int64_t(indexShape.size());
    if (hasVectors)
      batch.insert(batch.begin() + vectorDim, 0);
    Position source(from.size(), 0);
    for (auto [k, dim] : llvm::enumerate(op.getStartIndexMap())) {
      if (hasVectors)
        batch[vectorDim] = k;
      int64_t size = op.getSliceSizes()[dim];
      int64_t last = size == -1 ? 0 : from[dim] - size;
      source[dim] =
          std::clamp<int64_t>(indices[linearize(batch, strides)], 0, last);
    }
    size_t next = 0;
    for (auto [dim, place] : llvm::enumerate(source))
      if (!llvm::is_contained(op.getCollapsedDims(), dim))
        place += offsets[next++];
    at = source;
  });
}

} // namespace tenon
