// Tells which tensors of a function have the same extents in every run. A type
// does not: two dynamic extents look the same and may differ.
#ifndef TENON_PASSES_FUSE_EXTENTNUMBERS_H
#define TENON_PASSES_FUSE_EXTENTNUMBERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/IntEqClasses.h"

namespace tenon {

class ExtentNumbers {
public:
  /// Numbers all tensors of `func`. Values that are made later are not known.
  explicit ExtentNumbers(mlir::func::FuncOp func);

  /// True if `a` has the extents of `b` without its last `dropped` ones, in
  /// every run.
  bool areEqual(mlir::Value a, mlir::Value b, int64_t dropped = 0) const;

private:
  using Extents = llvm::SmallVector<unsigned, 4>;

  llvm::DenseMap<mlir::Value, Extents> numbers;
  llvm::IntEqClasses equal; ///< numbers of equal extents
};

} // namespace tenon

#endif // TENON_PASSES_FUSE_EXTENTNUMBERS_H
