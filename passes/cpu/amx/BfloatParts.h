// f32 numbers as sums of bf16 numbers, for units that multiply bf16 alone.
#ifndef TENON_PASSES_CPU_AMX_BFLOATPARTS_H
#define TENON_PASSES_CPU_AMX_BFLOATPARTS_H

#include "mlir/IR/Builders.h"

namespace tenon {

/// The first `count` parts, at most three, of `floats` (a vector of f32), the
/// greatest first, as the high halves of 32-bit words whose low halves are
/// zero. The first is the nearest bf16, one of two the nearest to what is left;
/// of three, what is left is cut, and they are the number itself where it is
/// zero or its magnitude is within 2^-102 and 2^126. Of an infinity or a NaN
/// one part is a NaN or infinite.
llvm::SmallVector<mlir::Value> emitParts(mlir::OpBuilder &b, mlir::Location loc,
                                         mlir::Value floats, int64_t count);

/// Pairs of bf16, the high halves of `low` and `high`, whose low halves are
/// zero.
mlir::Value joinHalves(mlir::OpBuilder &b, mlir::Location loc, mlir::Value low,
                       mlir::Value high);

/// The greatest and the least magnitude of some numbers, in each lane, as i32:
/// twice the bits of the greatest, and of the least that is not zero, less one
/// (all ones: none).
struct Magnitudes {
  mlir::Value least, greatest;
};
Magnitudes emitNoMagnitudes(mlir::OpBuilder &b, mlir::Location loc,
                            int64_t lanes);
Magnitudes emitUpdate(mlir::OpBuilder &b, mlir::Location loc,
                      Magnitudes magnitudes, mlir::Value floats);

} // namespace tenon

#endif // TENON_PASSES_CPU_AMX_BFLOATPARTS_H
