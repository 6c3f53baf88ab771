// Applies the fusion's elementwise ops to complete sums and stores the results.
// The input is a vector or scalar of sums and its indices in the result.
#ifndef TENON_PASSES_CPU_TILE_TILEEPILOGUE_H
#define TENON_PASSES_CPU_TILE_TILEEPILOGUE_H

#include "passes/kernel/Kernel.h"

namespace tenon {

class TileEpilogue {
public:
  /// `dot` is the contraction's result, whose sums have the type `sum`. Vectors
  /// have `lanes` elements along the result's last dimension.
  TileEpilogue(Kernel &kernel, mlir::Value dot, mlir::Type sum, int64_t lanes);

  /// True if the ops can be applied to vectors. `columnIsLast` is true if the
  /// lanes are contiguous in the result.
  bool vectorizes(bool columnIsLast);
  /// True if the ops are so few that each accumulator may have a copy of them.
  bool isShort();

  /// Applies the ops to `sums` and stores the result at `place`. Lanes from
  /// `valid` on do not exist; null: all lanes exist.
  void finish(llvm::ArrayRef<mlir::Value> place, mlir::Value sums,
              mlir::Value mask, mlir::Value valid);
  void finishOne(llvm::ArrayRef<mlir::Value> place, mlir::Value sum);

private:
  bool emit(int64_t lanes, llvm::ArrayRef<mlir::Value> place, mlir::Value sums,
            mlir::Value mask, mlir::Value valid);

  Kernel &kernel;
  mlir::Value dot;
  mlir::Type element, sum;
  int64_t lanes;
};

} // namespace tenon

#endif // TENON_PASSES_CPU_TILE_TILEEPILOGUE_H
