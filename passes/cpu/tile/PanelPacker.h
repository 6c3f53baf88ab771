// Copies a block of columns into a panel that lies in one piece: element (k, c)
// goes to k * width + c.
#ifndef TENON_PASSES_CPU_TILE_PANELPACKER_H
#define TENON_PASSES_CPU_TILE_PANELPACKER_H

#include "passes/kernel/nest/ContractionNest.h"

namespace tenon {

/// Which columns of rhs go where.
struct PanelBlock {
  mlir::Value panel;  ///< scratch of rank 1
  int64_t width;      ///< its elements per sum
  mlir::Value origin; ///< the offset in rhs of the first sum's column 0
  mlir::Value first, end, depth;     ///< columns [first, end) of `depth` sums
  llvm::ArrayRef<mlir::Value> masks; ///< per vector; null: all lanes exist
};

/// Transposes as many vectors as each has lanes.
void transposeSquare(mlir::OpBuilder &b, mlir::Location loc,
                     llvm::SmallVectorImpl<mlir::Value> &lines);

/// Packs a block along the innermost sum dimension. Lanes of columns from `end`
/// on are filled with something.
void emitPack(Kernel &kernel, const ContractionNest &nest,
              const PanelBlock &block, int64_t lanes);

} // namespace tenon

#endif // TENON_PASSES_CPU_TILE_PANELPACKER_H
