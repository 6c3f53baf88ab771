// Masks the padding of tensors.
#ifndef TENON_PASSES_SHAPE_PADDINGMASK_H
#define TENON_PASSES_SHAPE_PADDINGMASK_H

#include "dialects/tenon/TenonDialect.h"

#include "mlir/IR/Builders.h"

namespace tenon {

/// A rank-0 constant.
mlir::Value scalarConstant(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Type element, double value);

/// The identity of a reduction of `kind` for this element type; nullopt if no
/// mask is supported.
std::optional<double> identityOf(ReduceKind kind, mlir::Type element);

/// `value` with `identity` wherever an index along one of `dims` is not below
/// `size`. `sizes` are the dynamic extents of `value`.
mlir::Value maskPadding(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value, llvm::ArrayRef<int64_t> dims,
                        mlir::Value size, llvm::ArrayRef<mlir::Value> sizes,
                        double identity);

} // namespace tenon

#endif // TENON_PASSES_SHAPE_PADDINGMASK_H
