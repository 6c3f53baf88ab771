// An operand that a kernel reads where it lies: slices and the order of its
// dimensions are folded into an origin and strides.
#ifndef TENON_PASSES_KERNEL_NEST_STRIDEDOPERAND_H
#define TENON_PASSES_KERNEL_NEST_STRIDEDOPERAND_H

#include "passes/kernel/Kernel.h"

#include <optional>

namespace tenon {

struct StridedOperand {
  mlir::Value memory; ///< rank 1, all elements
  mlir::Type element; ///< of the tenon tensor
  mlir::Value origin; ///< where the first element lies
  llvm::SmallVector<mlir::Value> extents, strides; ///< in elements

  /// The element at `indices`, one for each of the first dimensions.
  mlir::Value at(IndexBuilder index, llvm::ArrayRef<mlir::Value> indices) const;
};

/// `tensor`, what has memory among the kernel's arguments or slices of such,
/// with its dimension `order[i]` as the i-th; nothing where it is computed.
std::optional<StridedOperand> stridedOperand(Kernel &kernel, mlir::Value tensor,
                                             llvm::ArrayRef<int64_t> order);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_NEST_STRIDEDOPERAND_H
