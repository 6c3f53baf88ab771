// Multiplies pairs of bf16: AVX-512's vdpbf16ps adds two products in each lane.
// The pairs are the 32-bit words of a row and of a vector of columns.
#ifndef TENON_PASSES_CPU_TILE_PRODUCTPAIRS_H
#define TENON_PASSES_CPU_TILE_PRODUCTPAIRS_H

#include "mlir/IR/Builders.h"

namespace tenon {

/// The bf16 elements of words that hold two each.
mlir::Value asPairs(mlir::OpBuilder &b, mlir::Location loc, mlir::Value words);

/// The two elements of `memory` (rank 1, bf16) from `place` on, repeated
/// `lanes` times.
mlir::Value repeatedPair(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value memory, mlir::Value place, int64_t lanes);

/// `sum` plus the two products of each lane; the second product is added first.
mlir::Value emitPairs(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                      mlir::Value y, mlir::Value sum);

} // namespace tenon

#endif // TENON_PASSES_CPU_TILE_PRODUCTPAIRS_H
