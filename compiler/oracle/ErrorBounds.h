// Running error analysis beside the oracle's values: how far any evaluation
// may be from an element that rounds as docs/numerics.md says. Private to the
// oracle.
#ifndef TENON_COMPILER_ORACLE_ERRORBOUNDS_H
#define TENON_COMPILER_ORACLE_ERRORBOUNDS_H

#include "compiler/oracle/OpInstance.h"

namespace tenon {

/// How far a rounding moves a value of a float type that is `magnitude` large:
/// half a unit in the last place, and the oracle's own rounding to double.
double roundingError(mlir::Type element, double magnitude);

/// |a - b|; infinite where one of them is no number.
double difference(double a, double b);

/// What sums of an element type are kept in: f32 for 16-bit floats.
mlir::Type sumElement(mlir::Type element);

/// The bound of a fold of elements, in whatever order they are combined.
class FoldBound {
public:
  explicit FoldBound(ReduceKind kind);
  void add(double value, double error);
  /// Of the fold's value `result`, stored as an `element`; each step is
  /// rounded to `sum`.
  double of(double result, mlir::Type element, mlir::Type sum) const;
  double count() const { return terms; }
  double of(double result, mlir::Type element) const {
    return of(result, element, sumElement(element));
  }

private:
  ReduceKind kind;
  double terms = 0;
  double low, high; ///< the fold with every element moved down, and up
  double exact;     ///< the fold of magnitudes
  double magnitude; ///< with every element as large as it may be
};

/// Fills in the errors of an elementwise op's result.
llvm::Error boundElementwise(const OpInstance &at, HostTensor &result);

} // namespace tenon

#endif // TENON_COMPILER_ORACLE_ERRORBOUNDS_H
