// Two products of bf16 a lane, by AVX-512's vdpbf16ps: what multiplies the
// words of a row and of a vector of columns.
#ifndef TENON_PASSES_CPU_TILE_PRODUCTPAIRS_H
#define TENON_PASSES_CPU_TILE_PRODUCTPAIRS_H

#include "mlir/IR/Builders.h"

namespace tenon {

/// Words of two bf16 as the elements they hold.
mlir::Value asPairs(mlir::OpBuilder &b, mlir::Location loc, mlir::Value words);

/// The two elements of `memory` (rank 1, bf16) from `place` on, `lanes` times.
mlir::Value repeatedPair(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value memory, mlir::Value place, int64_t lanes);

/// `sum` plus the products of each lane's two elements, the second product
/// first.
mlir::Value emitPairs(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                      mlir::Value y, mlir::Value sum);

} // namespace tenon

#endif // TENON_PASSES_CPU_TILE_PRODUCTPAIRS_H
