// Copies a block of columns that lie across memory into a panel whose vectors
// can be loaded: element (k, c) goes to k * width + c.
#ifndef TENON_PASSES_CPU_PANELPACKER_H
#define TENON_PASSES_CPU_PANELPACKER_H

#include "passes/cpu/ContractionNest.h"

namespace tenon {

/// Packs sums [0, depth) of columns [first, first + packed) of rhs into
/// `panel`; `origin` is the offset of (0, column 0). Columns from `end` on
/// repeat the last one. `last` is the innermost sum dimension.
void emitPack(Kernel &kernel, const ContractionNest &nest, mlir::Value panel,
              mlir::Value origin, mlir::Value first, mlir::Value end,
              mlir::Value depth, int64_t width, int64_t packed, int64_t lanes);

} // namespace tenon

#endif // TENON_PASSES_CPU_PANELPACKER_H
