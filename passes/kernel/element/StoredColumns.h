// Columns of weights that are stored in fewer bits than they are summed in:
// from memory to floats in registers, and the scales of groups of sums.
#ifndef TENON_PASSES_KERNEL_ELEMENT_STOREDCOLUMNS_H
#define TENON_PASSES_KERNEL_ELEMENT_STOREDCOLUMNS_H

#include "passes/kernel/Kernel.h"

namespace tenon {

/// Scales of a weight in panels, as an operand of the kernel.
struct GroupScales {
  mlir::Value memory;      ///< rank 1
  mlir::Type element;      ///< f32 or bf16
  mlir::Value panelStride; ///< between panels
  int64_t width;           ///< between groups of a panel
};

/// Where a tile reads its scales: that of group g and vector v at base + g *
/// width + places[v].
struct ScaleSource {
  mlir::Value memory;
  mlir::Type element;
  int64_t width;
  mlir::Value base;
  llvm::SmallVector<mlir::Value> places;
};

/// The four-bit integers number `which` of `words` (a scalar or vector of i32)
/// as f32; `inRegister`: by AVX-512's permutation, which is a table of sixteen.
mlir::Value emitNibbles(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value words, int64_t which, bool inRegister);

/// The same where `which` is known in the run: an index.
mlir::Value emitNibble(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value words, mlir::Value which);

/// The scales of group `group` for one vector of columns, as f32.
mlir::Value emitScales(mlir::OpBuilder &b, mlir::Location loc,
                       const ScaleSource &scales, mlir::Value group,
                       int64_t vector, int64_t lanes);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_ELEMENT_STOREDCOLUMNS_H
