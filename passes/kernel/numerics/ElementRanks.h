// Ranks: integers of 32 bits in the order of a sort's elements, the first of
// the sort has the greatest. Equal elements have equal ranks: -0 and +0, and
// every NaN. Comparing elements costs less than making ranks, so a kernel
// compares with the value of a rank first.
#ifndef TENON_PASSES_KERNEL_NUMERICS_ELEMENTRANKS_H
#define TENON_PASSES_KERNEL_NUMERICS_ELEMENTRANKS_H

#include "mlir/IR/Builders.h"

namespace tenon {

/// All values are scalars or vectors of the kernel type of `compared()`.
class ElementRanks {
public:
  /// For elements of a tenon type, sorted in descending order unless
  /// `ascending`.
  ElementRanks(mlir::Type element, bool ascending);

  /// True if the elements have at most 32 bits.
  static bool covers(mlir::Type element);

  /// The tenon type of 32 bits that holds the elements exactly.
  mlir::Type compared() const { return wide; }

  /// The rank of each element, as i32.
  mlir::Value emitRank(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value elements) const;

  /// A value for the comparison with elements of at least this rank. It is NaN
  /// if no number has the rank.
  mlir::Value emitValue(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value rank) const;

  /// True for all elements whose rank is that of `limit` or above, and for NaN
  /// and if the limit is NaN.
  mlir::Value emitReaches(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Value elements, mlir::Value limit) const;

  /// One of two elements. It is the first of the sort, unless one is NaN.
  mlir::Value emitFirst(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value element, mlir::Value first) const;

  /// The element of `type` that is the last of every sort. Ranks of
  /// `emitFirst`, started with it, are never above the first element's.
  mlir::Value emitLast(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Type type) const;

private:
  mlir::Type wide;
  bool ascending;
};

} // namespace tenon

#endif // TENON_PASSES_KERNEL_NUMERICS_ELEMENTRANKS_H
