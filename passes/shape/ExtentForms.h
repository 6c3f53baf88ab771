// What extents of tensors are known as, so that two can be seen to be one
// whatever the sizes are.
#ifndef TENON_PASSES_SHAPE_EXTENTFORMS_H
#define TENON_PASSES_SHAPE_EXTENTFORMS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon {

class ExtentForms {
public:
  explicit ExtentForms(mlir::func::FuncOp func) : func(func), builder(func) {}

  /// An extent as a number, the name that inputs have for it, or a value; null
  /// where it is none of these.
  mlir::OpFoldResult ofExtent(mlir::Value tensor, int64_t dim);
  /// The same of a size.
  mlir::OpFoldResult ofSize(mlir::OpFoldResult size);

  /// Whether both lists of forms have one product, whatever the sizes are.
  static bool isSameProduct(llvm::ArrayRef<mlir::OpFoldResult> a,
                            llvm::ArrayRef<mlir::OpFoldResult> b);

private:
  mlir::func::FuncOp func;
  mlir::OpBuilder builder;
};

} // namespace tenon

#endif // TENON_PASSES_SHAPE_EXTENTFORMS_H
