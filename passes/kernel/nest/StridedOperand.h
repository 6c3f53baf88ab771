// An operand that a kernel reads without a copy: slices and the order of its
// dimensions become an origin and strides.
#ifndef TENON_PASSES_KERNEL_NEST_STRIDEDOPERAND_H
#define TENON_PASSES_KERNEL_NEST_STRIDEDOPERAND_H

#include "passes/kernel/Kernel.h"

#include <optional>

namespace tenon {

struct StridedOperand {
  mlir::Value memory; ///< rank 1, all elements
  mlir::Type element; ///< of the tenon tensor
  mlir::Value origin; ///< the offset of the first element
  llvm::SmallVector<mlir::Value> extents, strides; ///< in elements

  /// The offset of the element at `indices`, which index the first dimensions.
  mlir::Value at(IndexBuilder index, llvm::ArrayRef<mlir::Value> indices) const;
};

/// A strided view of `tensor`, which must be a kernel argument or a slice of
/// one; nullopt if it is computed. Dimension i of the view is dimension
/// `order[i]` of the tensor.
std::optional<StridedOperand> stridedOperand(Kernel &kernel, mlir::Value tensor,
                                             llvm::ArrayRef<int64_t> order);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_NEST_STRIDEDOPERAND_H
