// Running error analysis: a bound for each result element on its distance from
// any evaluation that rounds as docs/numerics.md allows. Private to the oracle.
#ifndef TENON_COMPILER_ORACLE_ERRORBOUNDS_H
#define TENON_COMPILER_ORACLE_ERRORBOUNDS_H

#include "compiler/oracle/OpInstance.h"

namespace tenon {

/// The largest error of rounding a value of size `magnitude` to a float type:
/// half a unit in the last place, plus the oracle's own rounding to double.
double roundingError(mlir::Type element, double magnitude);

/// |a - b|; infinite if it is not a number.
double difference(double a, double b);

/// The type in which elements are summed: f32 for 16-bit floats.
mlir::Type sumElement(mlir::Type element);

/// The error bound of a reduction of elements that holds for any order of the
/// steps.
class FoldBound {
public:
  explicit FoldBound(ReduceKind kind);
  void add(double value, double error);
  /// The bound for the reduction's value `result`, stored as an `element`. Each
  /// step is rounded to `sum`.
  double of(double result, mlir::Type element, mlir::Type sum) const;
  double count() const { return terms; }
  double of(double result, mlir::Type element) const {
    return of(result, element, sumElement(element));
  }

private:
  ReduceKind kind;
  double terms = 0;
  double low, high; ///< the reduction with all errors down, and all up
  double exact;     ///< the reduction of the magnitudes
  double magnitude; ///< the reduction of magnitudes, each plus its error
};

/// Fills in the error bounds of an elementwise op's result.
llvm::Error boundElementwise(const OpInstance &at, HostTensor &result);

} // namespace tenon

#endif // TENON_COMPILER_ORACLE_ERRORBOUNDS_H
