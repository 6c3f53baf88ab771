// Rows of a product with four-bit weights as integers of 24 bits: each group of
// a row is whole multiples of one power of two, and a multiple is two numbers
// of twelve bits, so that one instruction sums two products exactly.
#ifndef TENON_PASSES_CPU_FIXEDPOINTROWS_H
#define TENON_PASSES_CPU_FIXEDPOINTROWS_H

#include "passes/cpu/ContractionNest.h"
#include "passes/cpu/KernelLoops.h"

namespace tenon {

/// The numbers of a multiple: 4096 * High + Low, each in [-2048, 2048].
enum class Digit { High, Low };
constexpr int64_t digitBase = 4096;

class FixedPointRows : KernelLoops {
public:
  FixedPointRows(Kernel &kernel, const ContractionNest &nest);

  /// Room for so many rows, before anything else.
  void reserve(int64_t rows);
  /// Makes row number `row` here of the row that starts at `start` in lhs.
  void split(mlir::Value start, mlir::Value row);
  /// The digits of two elements of group number `group`, in all 32-bit lanes:
  /// of those that stand at `nibble` and `nibble` + 4 of word `word`.
  mlir::Value pair(mlir::Value row, mlir::Value group, mlir::Value word,
                   int64_t nibble, Digit digit, int64_t lanes);
  /// What one of the digit stands for in the group, as f32 in all lanes; NaN
  /// where an element is not finite.
  mlir::Value unit(mlir::Value row, mlir::Value group, Digit digit,
                   int64_t lanes);

private:
  void splitGroup(mlir::Value elements, mlir::Value place, mlir::Value units);
  mlir::Value whole(mlir::Value start, mlir::Value group);
  mlir::Value rest(mlir::Value start, int64_t count);
  mlir::Value element(mlir::Value start, mlir::Value k);
  mlir::Value placeOf(mlir::Value row, mlir::Value group);
  mlir::Value splat(mlir::Value memory, mlir::Value place, int64_t lanes);

  const ContractionNest &nest;
  int64_t depth, groups;
  mlir::Value pairs; ///< i32: [row][group][digit][word][nibble]
  mlir::Value units; ///< f32: [row][group][digit]
  mlir::Value line;  ///< f32: a group that is not read as one vector
};

} // namespace tenon

#endif // TENON_PASSES_CPU_FIXEDPOINTROWS_H
