// The range of a tensor's numbers, as far as its ops show. It bounds the sizes
// that the run reads from the tensor.
#ifndef TENON_COMPILER_IMPORT_SIZES_NUMBERRANGES_H
#define TENON_COMPILER_IMPORT_SIZES_NUMBERRANGES_H

#include "compiler/import/graph/GraphBuilder.h"

#include <limits>

namespace tenon {

/// Every number is within [low, high], but NaN, which may be there too.
struct NumberRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

class NumberRanges {
public:
  /// The range of a tensor of integers or floats.
  NumberRange of(mlir::Value tensor) { return of(tensor, 0); }

  /// An element of `tensor` as a size, with what bounds it in its arithmetic:
  /// memory is planned by that, also for what NaN became.
  Size limit(GraphBuilder &g, Size element, mlir::Value tensor);

private:
  NumberRange of(mlir::Value tensor, int depth);
  NumberRange infer(mlir::Value tensor, int depth);

  llvm::DenseMap<mlir::Value, NumberRange> known;
};

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_SIZES_NUMBERRANGES_H
