// Partial sums of a contraction, on the stack: those of one panel for each row,
// until more products are added.
#ifndef TENON_PASSES_CPU_GEMM_PARTIALSUMS_H
#define TENON_PASSES_CPU_GEMM_PARTIALSUMS_H

#include "passes/cpu/tile/KernelLoops.h"

namespace tenon {

class PartialSums : KernelLoops {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  PartialSums(Kernel &kernel, mlir::Type element, int64_t lanes, int64_t width)
      : KernelLoops(kernel), type(mlir::VectorType::get({lanes}, element)),
        width(width) {}

  /// Room for so many rows, before anything else.
  void reserve(int64_t rows);
  mlir::Value load(mlir::Value row, int64_t vector);
  void store(mlir::Value sum, mlir::Value row, int64_t vector);
  /// So many vectors of `count` rows from `row` on, row by row.
  Values loadRows(int64_t vectors, mlir::Value row, int64_t count);
  void storeRows(int64_t vectors, mlir::Value row,
                 llvm::ArrayRef<mlir::Value> sums);
  /// Zeros for the first `count` rows, and for those that repeat the last one
  /// in a tile of `tileRows`.
  void clear(int64_t vectors, mlir::Value count, int64_t tileRows);
  /// So many vectors, in registers.
  Values zeros(int64_t count);

  mlir::Value memory; ///< rank 1, once reserved

private:
  mlir::Value placeOf(mlir::Value row, int64_t vector);

  mlir::VectorType type;
  int64_t width;
};

} // namespace tenon

#endif // TENON_PASSES_CPU_GEMM_PARTIALSUMS_H
