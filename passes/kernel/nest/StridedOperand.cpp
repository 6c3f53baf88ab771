// Computes origins and strides of kernel arguments and of their slices.
#include "passes/kernel/nest/StridedOperand.h"

#include "passes/kernel/element/ElementEmitter.h"
#include "passes/kernel/element/FlatMemory.h"
#include "passes/kernel/nest/ContractionNest.h"

using namespace mlir;

namespace tenon {

Value StridedOperand::at(IndexBuilder index, ArrayRef<Value> indices) const {
  Value place = origin;
  for (auto [i, stride] : llvm::zip(indices, strides))
    place = index.add(place, index.mul(i, stride));
  return place;
}

/// The operand with its dimensions in their own order.
static std::optional<StridedOperand> inPlace(Kernel &kernel, Value tensor) {
  IndexBuilder at{kernel.builder, kernel.loc()};
  ElementEmitter sizes(kernel, 1);
  if (auto slice = tensor.getDefiningOp<SliceOp>()) {
    std::optional<StridedOperand> result = inPlace(kernel, slice.getOperand());
    if (!result)
      return std::nullopt;
    OpBuilder &b = kernel.builder;
    auto offsets =
        getMixedValues(slice.getStaticOffsets(), slice.getOffsets(), b);
    auto steps =
        getMixedValues(slice.getStaticStrides(), slice.getStrides(), b);
    for (auto [d, stride] : llvm::enumerate(result->strides)) {
      result->origin =
          at.add(result->origin, at.mul(sizes.index(offsets[d]), stride));
      stride = at.mul(stride, sizes.index(steps[d]));
      result->extents[d] = sizes.extent(tensor, d);
    }
    return result;
  }
  Value memory = kernel.arguments.lookup(tensor);
  if (!memory)
    return std::nullopt;
  auto type = cast<RankedTensorType>(tensor.getType());
  StridedOperand result{flattened(kernel, memory),
                        type.getElementType(),
                        at.constant(0),
                        {},
                        SmallVector<Value>(type.getRank())};
  for (int64_t d = 0; d < type.getRank(); ++d)
    result.extents.push_back(sizes.extent(memory, d));
  Value stride = at.constant(1);
  for (int64_t d = type.getRank() - 1; d >= 0; --d) {
    result.strides[d] = stride;
    stride = at.mul(stride, result.extents[d]);
  }
  return result;
}

std::optional<StridedOperand> stridedOperand(Kernel &kernel, Value tensor,
                                             ArrayRef<int64_t> order) {
  std::optional<StridedOperand> found = inPlace(kernel, tensor);
  if (!found)
    return std::nullopt;
  StridedOperand ordered = *found;
  for (auto [i, dim] : llvm::enumerate(order)) {
    ordered.extents[i] = found->extents[dim];
    ordered.strides[i] = found->strides[dim];
  }
  return ordered;
}

} // namespace tenon
