// Results whose sizes are found in the run: counted there, planned for by a
// bound.
#ifndef TENON_COMPILER_IMPORT_SIZES_RUNSIZED_H
#define TENON_COMPILER_IMPORT_SIZES_RUNSIZED_H

#include "compiler/import/graph/GraphBuilder.h"

namespace tenon {

/// The number of true elements, bounded by `bound`.
Size countTrue(GraphBuilder &g, mlir::Value flags, Size bound);
/// Index vectors [count, rank] of the `count` true elements, in order.
mlir::Value placesOf(GraphBuilder &g, mlir::Value flags, Size count);
/// The same of a vector, [count].
mlir::Value positionsOf(GraphBuilder &g, mlir::Value flags, Size count);
/// A vector of `count` elements of i64, zeros but for `updates` at `positions`.
mlir::Value scatterVector(GraphBuilder &g, ScatterKind kind, Size count,
                          mlir::Value positions, mlir::Value updates);

/// What is different among items.
struct UniqueItems {
  mlir::Value items;   ///< each once
  mlir::Value firsts;  ///< where each stands first, i64
  mlir::Value inverse; ///< per given item its place in `items`, i64
  mlir::Value counts;  ///< how often each is there, i64
};

/// The slices of `value` along `axis`, in the lexicographic order of their
/// elements (row by row) or in the order of their first appearance.
UniqueItems uniqueItems(GraphBuilder &g, mlir::Value value, int64_t axis,
                        bool sorted);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_SIZES_RUNSIZED_H
