// Offsets that are equal but count as different.
#ifndef TENON_PASSES_CPU_TILE_DISTINCTOFFSET_H
#define TENON_PASSES_CPU_TILE_DISTINCTOFFSET_H

#include "mlir/IR/Builders.h"

namespace tenon {

/// The index `offset`, which LLVM takes for another one. Loads at both stay two
/// loads, and each becomes a part of the only instruction that uses it.
mlir::Value distinctOffset(mlir::OpBuilder &b, mlir::Location loc,
                           mlir::Value offset);

} // namespace tenon

#endif // TENON_PASSES_CPU_TILE_DISTINCTOFFSET_H
