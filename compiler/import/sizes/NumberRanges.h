// Infers the range of a tensor's numbers from its ops. It bounds the sizes that
// the run reads from the tensor.
#ifndef TENON_COMPILER_IMPORT_SIZES_NUMBERRANGES_H
#define TENON_COMPILER_IMPORT_SIZES_NUMBERRANGES_H

#include "compiler/import/graph/GraphBuilder.h"

#include <limits>

namespace tenon {

/// Every number is within [low, high] or NaN.
struct NumberRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

class NumberRanges {
public:
  /// The range of a tensor of integers or floats.
  NumberRange of(mlir::Value tensor) { return of(tensor, 0); }

  /// `element` of `tensor`, a size read at run time, clamped to the tensor's
  /// range. Memory is planned by this range, which the clamp enforces even for
  /// a converted NaN.
  Size limit(GraphBuilder &g, Size element, mlir::Value tensor);

private:
  NumberRange of(mlir::Value tensor, int depth);
  NumberRange infer(mlir::Value tensor, int depth);

  llvm::DenseMap<mlir::Value, NumberRange> known;
};

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_SIZES_NUMBERRANGES_H
