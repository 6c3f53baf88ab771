// Multiplies quads of bytes, which are the 32-bit words of a row and of a
// vector of columns. The sums are exact modulo 2^32 on every machine: VNNI's
// vpdpbusd adds four products in each lane; machines without it widen the bytes
// to 16 bits and add two products at a time.
#ifndef TENON_PASSES_CPU_TILE_PRODUCTQUADS_H
#define TENON_PASSES_CPU_TILE_PRODUCTQUADS_H

#include "dialects/tenon/Machine.h"

#include "mlir/IR/Builders.h"

namespace tenon {

/// The four elements of `memory` (rank 1, bytes) from `place` on, as one word
/// that is repeated in `lanes` lanes.
mlir::Value repeatedQuad(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value memory, mlir::Value place, int64_t lanes);

/// `sum` (i32) plus the four products of each lane. `x` and `y` are words of
/// four bytes; those of `x` are unsigned, those of `y` signed. The vectors are
/// as wide as the machine's.
mlir::Value emitQuads(mlir::OpBuilder &b, mlir::Location loc,
                      MachineAttr machine, mlir::Value x, mlir::Value y,
                      mlir::Value sum);

} // namespace tenon

#endif // TENON_PASSES_CPU_TILE_PRODUCTQUADS_H
