// Normal forms of extents: two extents with one form are equal in every run.
#ifndef TENON_PASSES_SHAPE_EXTENTFORMS_H
#define TENON_PASSES_SHAPE_EXTENTFORMS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon {

class ExtentForms {
public:
  explicit ExtentForms(mlir::func::FuncOp func) : func(func), builder(func) {}

  /// The form of an extent: a number, its name in the inputs, or a value; null
  /// if it is none of these.
  mlir::OpFoldResult ofExtent(mlir::Value tensor, int64_t dim);
  /// The form of a size.
  mlir::OpFoldResult ofSize(mlir::OpFoldResult size);

  /// True if both lists of forms have equal products in every run.
  static bool isSameProduct(llvm::ArrayRef<mlir::OpFoldResult> a,
                            llvm::ArrayRef<mlir::OpFoldResult> b);

private:
  mlir::func::FuncOp func;
  mlir::OpBuilder builder;
};

} // namespace tenon

#endif // TENON_PASSES_SHAPE_EXTENTFORMS_H
