// The static facts of a contraction that its plan depends on: extents and
// strides as far as they are known, element types, how the operands lie.
#ifndef TENON_PASSES_CPU_TILE_NESTFACTS_H
#define TENON_PASSES_CPU_TILE_NESTFACTS_H

#include "passes/cpu/tile/RegisterTile.h"

namespace tenon {
struct ContractionNest;

struct NestFacts {
  ContractionSize size;
  /// One unguarded dimension is summed over.
  bool isChain = true;
  /// Its innermost extent, and what one step along it moves in lhs.
  std::optional<int64_t> depth, lhsStep;
  /// Products of a block of the innermost sum; 0: all are one chain.
  int64_t block = 0;

  int64_t sumBytes = 4; ///< of an element of the sums
  bool sumIsF32 = true;
  int64_t rhsBits = 32;                ///< of an element of rhs in memory
  int64_t sumsPerElement = 1;          ///< that such an element holds
  bool pairs = false;                  ///< products are pairs of bf16
  bool scaled = false;                 ///< rhs has scales
  bool converted = false;              ///< rhs is converted where it is read
  int64_t lhsParts = 3, rhsParts = 3;  ///< bf16 numbers that an element is the
                                       ///< sum of; 0: it cannot be split
  std::optional<int64_t> panelWidth{}; ///< columns of a panel of weights
  bool columnsSideBySide = true;
  bool columnIsLast = true; ///< in the result
  bool hasRowStride = true; ///< all rows lie in lhs at one distance

  /// Bytes that `count` columns of one sum take in rhs.
  int64_t storedBytes(int64_t count) const {
    return count * rhsBits / 8 / sumsPerElement;
  }
};

NestFacts factsOf(const ContractionNest &nest);

} // namespace tenon

#endif // TENON_PASSES_CPU_TILE_NESTFACTS_H
