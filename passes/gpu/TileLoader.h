// One operand of a contraction in tiles, on its way to shared memory.
#ifndef TENON_PASSES_GPU_TILELOADER_H
#define TENON_PASSES_GPU_TILELOADER_H

#include "dialects/tenon/KernelPlan.h"
#include "passes/gpu/BlockKernel.h"
#include "passes/kernel/nest/ContractionNest.h"

namespace tenon {

/// Copies lines of an operand, which are rows of lhs or columns of rhs, to a
/// tile: the lines of one product are neighbours there. A thread loads four
/// products of one line, or one product of four lines if these are neighbours
/// in memory. It does so at once where they are aligned. Of int4 it loads a
/// word, which has eight products of one line.
class TileLoader : BlockKernel {
public:
  static TileLoader ofRows(Kernel &kernel, const ContractionNest &nest,
                           BlockTilePlanAttr plan, mlir::Value thread);
  static TileLoader ofColumns(Kernel &kernel, const ContractionNest &nest,
                              BlockTilePlanAttr plan, mlir::Value thread);

  /// The line of the tile that the thread loads, or the first of four.
  mlir::Value line() const { return ownLine; }
  /// True if the thread loads four lines, which then all exist or are in a
  /// panel.
  bool takesNeighbours() const { return neighbours; }

  /// Copies the products [first, first + count). The thread's line begins at
  /// `offset`, and one product is `stride` elements after the other.
  void load(mlir::Value stride, mlir::Value offset, mlir::Value first,
            mlir::Value count);
  /// Four neighbouring lines of product `k` in the tile.
  Values read(mlir::Value k, mlir::Value line);

private:
  TileLoader(Kernel &kernel, mlir::Value memory, mlir::Type element,
             int64_t lines, int64_t depth, int64_t productsPerElement = 1)
      : BlockKernel(kernel), memory(memory), element(element), lines(lines),
        depth(depth), productsPerElement(productsPerElement) {}
  void place(llvm::StringRef name, mlir::Value thread);
  Values loadFour(mlir::Value from, mlir::Value step);
  void loadProducts(mlir::Value stride, mlir::Value offset, mlir::Value first,
                    mlir::Value count, int64_t round);
  void loadLines(mlir::Value stride, mlir::Value offset, mlir::Value first,
                 mlir::Value count, int64_t round);
  void loadWords(mlir::Value stride, mlir::Value offset, mlir::Value first,
                 mlir::Value count, int64_t round);
  mlir::Value inTile(mlir::Value k, mlir::Value line);

  mlir::Value memory;
  mlir::Type element;
  int64_t lines, depth, productsPerElement;
  bool neighbours = false;
  mlir::Value aligned; ///< quads are; null: they are loaded one by one
  mlir::Value tile, ownLine, ownProduct;
};

} // namespace tenon

#endif // TENON_PASSES_GPU_TILELOADER_H
