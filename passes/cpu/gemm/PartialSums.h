// The partial sums of a contraction on the stack. They hold one panel for each
// row between two pieces of the products.
#ifndef TENON_PASSES_CPU_GEMM_PARTIALSUMS_H
#define TENON_PASSES_CPU_GEMM_PARTIALSUMS_H

#include "passes/kernel/KernelLoops.h"

namespace tenon {

class PartialSums : KernelLoops {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  PartialSums(Kernel &kernel, mlir::Type element, int64_t lanes, int64_t width)
      : KernelLoops(kernel), type(mlir::VectorType::get({lanes}, element)),
        width(width) {}

  /// Allocates memory for `rows` rows. Must be called before the other
  /// functions.
  void reserve(int64_t rows);
  mlir::Value load(mlir::Value row, int64_t vector);
  void store(mlir::Value sum, mlir::Value row, int64_t vector);
  /// Loads `vectors` vectors of each of `count` rows from `row` on, row by row.
  Values loadRows(int64_t vectors, mlir::Value row, int64_t count);
  void storeRows(int64_t vectors, mlir::Value row,
                 llvm::ArrayRef<mlir::Value> sums);
  /// Stores zeros for the first `count` rows, rounded up to full tiles of
  /// `tileRows` rows: a tile's missing rows repeat its last row.
  void clear(int64_t vectors, mlir::Value count, int64_t tileRows);
  /// `count` vectors of zeros, in registers.
  Values zeros(int64_t count);

  mlir::Value memory; ///< rank 1; null before reserve()

private:
  mlir::Value placeOf(mlir::Value row, int64_t vector);

  mlir::VectorType type;
  int64_t width;
};

} // namespace tenon

#endif // TENON_PASSES_CPU_GEMM_PARTIALSUMS_H
