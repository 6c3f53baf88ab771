// Combines the lanes of vectors: all of them to one number, or those of each
// vector to one lane of the result.
#ifndef TENON_PASSES_KERNEL_NUMERICS_LANEFOLDS_H
#define TENON_PASSES_KERNEL_NUMERICS_LANEFOLDS_H

#include "mlir/IR/Builders.h"

namespace tenon {

using Combine = llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)>;

/// All lanes of `vectors` combined to one scalar by a tree. Each step combines
/// vector i with vector i + n / 2 until one vector is left, then lane i with
/// lane i + n / 2. The number of vectors and of lanes is a power of two.
mlir::Value foldLanes(mlir::OpBuilder &b, mlir::Location loc,
                      llvm::SmallVector<mlir::Value> vectors, Combine combine);

/// A vector whose lane r is the combination of all lanes of `rows[r]`, in an
/// unspecified order. A lane without a row is the combination of the lanes of
/// `neutral`.
mlir::Value foldRows(mlir::OpBuilder &b, mlir::Location loc,
                     llvm::ArrayRef<mlir::Value> rows, mlir::Value neutral,
                     Combine combine);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_NUMERICS_LANEFOLDS_H
