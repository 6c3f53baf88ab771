// Elements of rows in order, as a stable sort has them.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_RANKING_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_RANKING_H

#include "compiler/import/graph/GraphBuilder.h"

namespace tenon::hf {

enum class Order { Descending, Ascending };

/// Elements of the rows of a tensor, in order, and the columns that they come
/// from: both [rows, n].
struct Ranking {
  Order order;
  mlir::Value elements, columns;

  /// The first `count` elements of each row of `x`, [rows, columns].
  static Ranking of(GraphBuilder &g, mlir::Value x, Size count, Order order);

  /// The element of each row at place `place`, as [rows, 1].
  Ranking at(GraphBuilder &g, Size place) const;
  /// The same with a place for each row, i64 [rows, 1].
  Ranking at(GraphBuilder &g, mlir::Value places) const;

  /// True for the elements of `x` that come after this ranking's only element.
  mlir::Value isBefore(GraphBuilder &g, mlir::Value x) const;
};

/// The column of each row's greatest element, i64 [rows]; the first of equal
/// ones.
mlir::Value greatestColumn(GraphBuilder &g, mlir::Value x);

/// `x` at the columns `columns`, i64 [rows, n], of its rows.
mlir::Value takeColumns(GraphBuilder &g, mlir::Value x, mlir::Value columns);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_RANKING_H
