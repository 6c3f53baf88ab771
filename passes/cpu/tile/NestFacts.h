// The static facts of a contraction that its plan depends on: known extents and
// strides, element types, and the layout of the operands.
#ifndef TENON_PASSES_CPU_TILE_NESTFACTS_H
#define TENON_PASSES_CPU_TILE_NESTFACTS_H

#include "passes/cpu/tile/RegisterTile.h"

namespace tenon {
struct ContractionNest;

struct NestFacts {
  ContractionSize size;
  /// True if the sum has one dimension and no guard.
  bool isChain = true;
  /// True if all sum dimensions together have one stride in rhs.
  bool sumsAreOneRun = true;
  /// The extent of the innermost sum dimension and its stride in lhs.
  std::optional<int64_t> depth, lhsStep;
  /// Products of a block of the innermost sum; 0: all products are one chain.
  int64_t block = 0;

  int64_t sumBytes = 4; ///< of an element of the sums
  bool sumIsF32 = true;
  int64_t rhsBits = 32;               ///< of an element of rhs in memory
  int64_t sumsPerElement = 1;         ///< that one element of rhs holds
  bool pairs = false;                 ///< products are pairs of bf16
  bool quads = false;                 ///< products are quads of bytes
  bool scaled = false;                ///< rhs has scales
  bool converted = false;             ///< rhs is converted when it is loaded
  bool onlyRhsConverted = false;      ///< ContractionNest::convertsOnlyRhs
  int64_t lhsParts = 3, rhsParts = 3; ///< bf16 numbers whose sum is an element;
                                      ///< 0: it cannot be split
  std::optional<int64_t> panelWidth{}; ///< columns of a panel of weights
  bool columnsContiguous = true;
  bool columnIsLast = true; ///< in the result
  bool hasRowStride = true; ///< all rows have one stride in lhs

  /// True if a row takes less than a microsecond and the number of rows is open
  /// but not that of an image's positions: the code is made small, not fast, as
  /// for a few features of each image.
  bool isTiny() const {
    return !size.rows && !size.isOpenImage && size.rowFactor == 1 &&
           size.columns && size.sum && *size.columns * *size.sum <= 1 << 15;
  }
  /// Bytes of rhs that `count` columns of one sum take.
  int64_t storedBytes(int64_t count) const {
    return count * rhsBits / 8 / sumsPerElement;
  }
};

NestFacts factsOf(const ContractionNest &nest);

} // namespace tenon

#endif // TENON_PASSES_CPU_TILE_NESTFACTS_H
