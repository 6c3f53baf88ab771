// Divides the columns of a contraction's task into panels as wide as a register
// tile and finds them in rhs.
#ifndef TENON_PASSES_CPU_TILE_TILEPANELS_H
#define TENON_PASSES_CPU_TILE_TILEPANELS_H

#include "passes/cpu/tile/TileKernel.h"
#include "passes/kernel/KernelLoops.h"
#include "passes/kernel/nest/ContractionNest.h"

namespace tenon {

/// The columns [first, end) of one panel in `vectors` vectors. A vector that is
/// not full has a mask and the number of its valid lanes.
struct TilePanel {
  mlir::Value first, end;
  int64_t vectors;
  llvm::SmallVector<mlir::Value> masks, valid; ///< null: all lanes
};

class TilePanels : KernelLoops {
public:
  /// The panels are `width` columns wide, in whole vectors of `lanes`.
  TilePanels(Kernel &kernel, const ContractionNest &nest, int64_t width,
             int64_t lanes)
      : KernelLoops(kernel), nest(nest), width(width), lanes(lanes) {}

  /// Calls `body` for each panel of the columns [first, end).
  void forEach(mlir::Value first, mlir::Value end,
               llvm::function_ref<void(const TilePanel &)> body);
  /// The source of the panel's columns in rhs. `rhsOffset` is the offset in rhs
  /// of column 0.
  ColumnSource columnsOf(const TilePanel &panel, mlir::Value rhsOffset);

private:
  const ContractionNest &nest;
  int64_t width, lanes;
};

} // namespace tenon

#endif // TENON_PASSES_CPU_TILE_TILEPANELS_H
