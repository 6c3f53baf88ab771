// Values in the place of padding.
#ifndef TENON_PASSES_SHAPE_PADDINGMASK_H
#define TENON_PASSES_SHAPE_PADDINGMASK_H

#include "dialects/tenon/TenonDialect.h"

#include "mlir/IR/Builders.h"

namespace tenon {

/// A constant of rank 0.
mlir::Value scalarConstant(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Type element, double value);

/// The number under which a reduction of `kind` does not see an element of this
/// type; nothing where no mask is made.
std::optional<double> identityOf(ReduceKind kind, mlir::Type element);

/// `value` with `identity` wherever an index along one of `dims` is not below
/// `size`. `sizes` are its dynamic extents.
mlir::Value maskPadding(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value, llvm::ArrayRef<int64_t> dims,
                        mlir::Value size, llvm::ArrayRef<mlir::Value> sizes,
                        double identity);

} // namespace tenon

#endif // TENON_PASSES_SHAPE_PADDINGMASK_H
