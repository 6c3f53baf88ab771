// Results whose sizes are counted at run time. Memory for them is planned by an
// upper bound.
#ifndef TENON_COMPILER_IMPORT_SIZES_COUNTEDSIZES_H
#define TENON_COMPILER_IMPORT_SIZES_COUNTEDSIZES_H

#include "compiler/import/graph/GraphBuilder.h"

namespace tenon {

/// The number of true elements, with the upper bound `bound`.
Size countTrue(GraphBuilder &g, mlir::Value flags, Size bound);
/// The index vectors of the `count` true elements in row-major order, as a
/// [count, rank] tensor.
mlir::Value placesOf(GraphBuilder &g, mlir::Value flags, Size count);
/// The positions of the `count` true elements of a vector, as a [count] tensor.
mlir::Value positionsOf(GraphBuilder &g, mlir::Value flags, Size count);
/// An i64 vector of `count` zeros into which `updates` are scattered at
/// `positions`.
mlir::Value scatterVector(GraphBuilder &g, ScatterKind kind, Size count,
                          mlir::Value positions, mlir::Value updates);

/// The distinct items among given items.
struct UniqueItems {
  mlir::Value items;   ///< each distinct item once
  mlir::Value firsts;  ///< i64: the first position of each distinct item
  mlir::Value inverse; ///< i64: for each given item its position in `items`
  mlir::Value counts;  ///< i64: the number of occurrences of each distinct item
};

/// The distinct slices of `value` along `axis`. With `sorted` they are in the
/// lexicographic order of their elements (row-major), else in the order of
/// their first occurrence.
UniqueItems uniqueItems(GraphBuilder &g, mlir::Value value, int64_t axis,
                        bool sorted);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_SIZES_COUNTEDSIZES_H
