// Loads columns of weights that are stored in fewer bits than they are summed
// in, and the scales of their groups.
#ifndef TENON_PASSES_KERNEL_ELEMENT_STOREDCOLUMNS_H
#define TENON_PASSES_KERNEL_ELEMENT_STOREDCOLUMNS_H

#include "passes/kernel/Kernel.h"

namespace tenon {

/// The scales of a weight that is stored in panels, as an operand of the
/// kernel.
struct GroupScales {
  mlir::Value memory;      ///< rank 1
  mlir::Type element;      ///< f32 or bf16
  mlir::Value panelStride; ///< elements between panels
  int64_t width;           ///< elements between groups of a panel
};

/// The scales that a tile reads: those of group g and vector v begin at element
/// base + g * width + places[v].
struct ScaleSource {
  mlir::Value memory;
  mlir::Type element;
  int64_t width;
  mlir::Value base;
  llvm::SmallVector<mlir::Value> places;
};

/// The signed four-bit integer number `which` (0 to 7, from the lowest bits) of
/// each word, as f32. `words` is a scalar or vector of i32. `inRegister` uses
/// AVX-512's permutation with a table of sixteen values; it needs a vector of
/// 16 words.
mlir::Value emitNibbles(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value words, int64_t which, bool inRegister);

/// Same as emitNibbles without a table, for a `which` that is an index computed
/// at run time.
mlir::Value emitNibble(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value words, mlir::Value which);

/// The scales of group `group` for the vector number `vector` of the tile,
/// converted to f32.
mlir::Value emitScales(mlir::OpBuilder &b, mlir::Location loc,
                       const ScaleSource &scales, mlir::Value group,
                       int64_t vector, int64_t lanes);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_ELEMENT_STOREDCOLUMNS_H
