// The lanes of vectors combined to one number, or to one of each vector.
#ifndef TENON_PASSES_KERNEL_NUMERICS_LANEFOLDS_H
#define TENON_PASSES_KERNEL_NUMERICS_LANEFOLDS_H

#include "mlir/IR/Builders.h"

namespace tenon {

using Combine = llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)>;

/// All lanes combined by a tree: vector i meets vector i + half of them, until
/// there is one; then lane i meets lane i + half.
mlir::Value foldLanes(mlir::OpBuilder &b, mlir::Location loc,
                      llvm::SmallVector<mlir::Value> vectors, Combine combine);

/// Lane r: the lanes of `rows[r]` combined, in no promised order. Lanes without
/// a row hold `neutral`'s.
mlir::Value foldRows(mlir::OpBuilder &b, mlir::Location loc,
                     llvm::ArrayRef<mlir::Value> rows, mlir::Value neutral,
                     Combine combine);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_NUMERICS_LANEFOLDS_H
