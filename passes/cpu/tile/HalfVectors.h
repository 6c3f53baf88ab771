// Half vectors of columns. Two rows of a tile share one register for them: the
// first row has the low lanes, the second the high lanes. All other code of a
// tile has its sums row by row.
#ifndef TENON_PASSES_CPU_TILE_HALFVECTORS_H
#define TENON_PASSES_CPU_TILE_HALFVECTORS_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallVector.h"

namespace tenon {

/// The low lanes of `low` followed by the high lanes of `high`.
mlir::Value blendHalves(mlir::OpBuilder &b, mlir::Location loc, mlir::Value low,
                        mlir::Value high);
/// A vector whose two halves are both `half`.
mlir::Value repeatHalf(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value half);

/// The layout of a tile's sums if two rows share each last register. First come
/// the sums of the `whole` vectors, row by row, then one register of half
/// vectors for every two rows. The last of an odd number of rows has its own
/// register.
struct SharedSums {
  int64_t rows, whole;

  int64_t count() const { return placeOfHalf(rows - 1) + 1; }
  int64_t placeOfHalf(int64_t row) const { return rows * whole + row / 2; }
  /// Converts sums that are row by row, each row with a last half vector.
  llvm::SmallVector<mlir::Value> share(mlir::OpBuilder &b, mlir::Location loc,
                                       mlir::ValueRange sums) const;
  /// Converts back. Lanes beyond half of a last vector are unspecified.
  llvm::SmallVector<mlir::Value> part(mlir::OpBuilder &b, mlir::Location loc,
                                      mlir::ValueRange shared) const;
};

} // namespace tenon

#endif // TENON_PASSES_CPU_TILE_HALFVECTORS_H
