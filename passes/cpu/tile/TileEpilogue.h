// What happens to sums once they are complete: the fusion's elementwise ops on
// them, and the store. Comes in: a vector or scalar of sums and its place in
// the result.
#ifndef TENON_PASSES_CPU_TILE_TILEEPILOGUE_H
#define TENON_PASSES_CPU_TILE_TILEEPILOGUE_H

#include "passes/kernel/Kernel.h"

namespace tenon {

class TileEpilogue {
public:
  /// `dot` is the contraction's result, summed in `sum`; vectors have `lanes`
  /// elements along the result's last dimension.
  TileEpilogue(Kernel &kernel, mlir::Value dot, mlir::Type sum, int64_t lanes);

  /// The ops can be applied to vectors; `columnIsLast` says whether lanes stand
  /// side by side in the result.
  bool vectorizes(bool columnIsLast);
  /// So few ops that they may stand once for every accumulator.
  bool isShort();

  /// Stores `sums` at `place`. Lanes from `valid` on do not exist; null: all
  /// do.
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
