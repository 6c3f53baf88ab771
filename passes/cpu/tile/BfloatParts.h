// f32 numbers as sums of bf16 numbers, for units that multiply bf16 alone.
#ifndef TENON_PASSES_CPU_TILE_BFLOATPARTS_H
#define TENON_PASSES_CPU_TILE_BFLOATPARTS_H

#include "mlir/IR/Builders.h"

#include <utility>

namespace tenon {

/// Splits `floats`, a vector of f32, into `count` bf16 parts, at most three,
/// the greatest first. A part is the high half of a 32-bit word whose low half
/// is zero. The first part is the nearest bf16. The second of two parts is the
/// bf16 nearest to the rest; with three parts the rest is truncated. Three
/// parts add up to the number exactly if it is zero or its magnitude is from
/// 2^-102 to 2^126. One part of an infinity or a NaN is infinite or a NaN.
llvm::SmallVector<mlir::Value> emitParts(mlir::OpBuilder &b, mlir::Location loc,
                                         mlir::Value floats, int64_t count);

/// The pairs of parts (of lhs, of rhs) that are multiplied. Each pair differs
/// from the one before in one part, so this order loads the fewest tiles. Pairs
/// with a greater sum of numbers are too small to matter.
inline constexpr std::pair<int64_t, int64_t> partPairs[] = {
    {0, 2}, {0, 1}, {1, 1}, {1, 0}, {2, 0}, {0, 0}};

/// Joins the high halves of `low` and `high` to pairs of bf16. Precondition:
/// the low halves are zero.
mlir::Value joinHalves(mlir::OpBuilder &b, mlir::Location loc, mlir::Value low,
                       mlir::Value high);

/// The magnitudes of some numbers, in each lane, as i32. `greatest` is twice
/// the bits of the greatest number. `least` is twice the bits of the least
/// nonzero number, minus one; all ones if there is none.
struct Magnitudes {
  mlir::Value least, greatest;
};
Magnitudes emitNoMagnitudes(mlir::OpBuilder &b, mlir::Location loc,
                            int64_t lanes);
Magnitudes emitUpdate(mlir::OpBuilder &b, mlir::Location loc,
                      Magnitudes magnitudes, mlir::Value floats);

} // namespace tenon

#endif // TENON_PASSES_CPU_TILE_BFLOATPARTS_H
