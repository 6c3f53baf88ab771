// The innermost loops of products with four-bit weights: sums of integers, two
// products at a time, which become floats once a group.
#ifndef TENON_PASSES_CPU_NIBBLETILE_H
#define TENON_PASSES_CPU_NIBBLETILE_H

#include "passes/cpu/FixedPointRows.h"
#include "passes/cpu/TileKernel.h"

namespace tenon {

class NibbleTile {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  NibbleTile(Kernel &kernel, TileKernel &tiles, FixedPointRows &fixed,
             int64_t lanes)
      : b(kernel.builder), loc(kernel.loc()), tiles(tiles), fixed(fixed),
        lanes(lanes) {}

  /// The sums before, of rows number `rows` of the fixed-point ones, and the
  /// products [first, first + extent); `first` is the first of a group.
  Values run(llvm::ArrayRef<mlir::Value> rows, const ColumnSource &columns,
             mlir::Value first, mlir::Value extent, Values sums);

private:
  Values addGroup(llvm::ArrayRef<mlir::Value> rows, const ColumnSource &columns,
                  mlir::Value group, int64_t count);
  void addWord(llvm::ArrayRef<mlir::Value> rows, const ColumnSource &columns,
               mlir::Value group, mlir::Value word, Values &sums);
  Values join(llvm::ArrayRef<mlir::Value> rows, const ColumnSource &columns,
              mlir::Value group, llvm::ArrayRef<mlir::Value> sums,
              Values former);
  mlir::Value nibbles(mlir::Value words, int64_t number);
  mlir::Value addProducts(mlir::Value pairs, mlir::Value row, mlir::Value sum);
  IndexBuilder at() { return {b, loc}; }

  mlir::OpBuilder &b;
  mlir::Location loc;
  TileKernel &tiles;
  FixedPointRows &fixed;
  int64_t lanes;
};

} // namespace tenon

#endif // TENON_PASSES_CPU_NIBBLETILE_H
