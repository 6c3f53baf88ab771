// Copies a block of columns into a contiguous panel: element (k, c) is stored
// at k * width + c.
#ifndef TENON_PASSES_CPU_TILE_PANELPACKER_H
#define TENON_PASSES_CPU_TILE_PANELPACKER_H

#include "passes/kernel/nest/ContractionNest.h"

namespace tenon {

/// The columns of rhs that are packed, and the panel that receives them.
struct PanelBlock {
  mlir::Value panel;                 ///< scratch of rank 1
  int64_t width;                     ///< elements of the panel for each k
  mlir::Value origin;                ///< the offset in rhs of column 0 at k = 0
  mlir::Value first, end, depth;     ///< columns [first, end), k in [0, depth)
  llvm::ArrayRef<mlir::Value> masks; ///< per vector; null: all lanes exist
};

/// Packs a block along the innermost sum dimension. The values in lanes of
/// columns from `end` on are unspecified.
void emitPack(Kernel &kernel, const ContractionNest &nest,
              const PanelBlock &block, int64_t lanes);

} // namespace tenon

#endif // TENON_PASSES_CPU_TILE_PANELPACKER_H
