// Half vectors of columns: two rows of a tile share one register for them, the
// first its low lanes. Sums row by row, as all the rest of a tile's code has
// them, become sums with the shared ones last, and back.
#ifndef TENON_PASSES_CPU_HALFVECTORS_H
#define TENON_PASSES_CPU_HALFVECTORS_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallVector.h"

namespace tenon {

/// The low lanes of one vector beside the high lanes of another.
mlir::Value blendHalves(mlir::OpBuilder &b, mlir::Location loc, mlir::Value low,
                        mlir::Value high);
/// Both halves of the result are `half`.
mlir::Value repeatHalf(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value half);

/// Of `rows` rows the sums of all vectors but the last, then, for each two
/// rows, of that; the last of an odd number of rows has its own.
llvm::SmallVector<mlir::Value> shareHalves(mlir::OpBuilder &b,
                                           mlir::Location loc,
                                           mlir::ValueRange sums, int64_t rows);
/// Those row by row; lanes beyond half of a last vector may hold anything.
llvm::SmallVector<mlir::Value> partHalves(mlir::OpBuilder &b,
                                          mlir::Location loc,
                                          mlir::ValueRange shared,
                                          int64_t rows);

} // namespace tenon

#endif // TENON_PASSES_CPU_HALFVECTORS_H
