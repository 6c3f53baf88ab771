// Half vectors of columns: two rows of a tile share one register for them, the
// first its low lanes. All the rest of a tile's code has sums row by row.
#ifndef TENON_PASSES_CPU_TILE_HALFVECTORS_H
#define TENON_PASSES_CPU_TILE_HALFVECTORS_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallVector.h"

namespace tenon {

/// The low lanes of one vector beside the high lanes of another.
mlir::Value blendHalves(mlir::OpBuilder &b, mlir::Location loc, mlir::Value low,
                        mlir::Value high);
/// Both halves of the result are `half`.
mlir::Value repeatHalf(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value half);

/// The sums of a tile of which two rows share each last register: row by row
/// those of the `whole` vectors, then one of half vectors for each two rows;
/// the last of an odd number of rows has its own.
struct SharedSums {
  int64_t rows, whole;

  int64_t count() const { return placeOfHalf(rows - 1) + 1; }
  int64_t placeOfHalf(int64_t row) const { return rows * whole + row / 2; }
  /// From sums row by row, a last half vector each.
  llvm::SmallVector<mlir::Value> share(mlir::OpBuilder &b, mlir::Location loc,
                                       mlir::ValueRange sums) const;
  /// Back; lanes beyond half of a last vector may hold anything.
  llvm::SmallVector<mlir::Value> part(mlir::OpBuilder &b, mlir::Location loc,
                                      mlir::ValueRange shared) const;
};

} // namespace tenon

#endif // TENON_PASSES_CPU_TILE_HALFVECTORS_H
