// Fourier transforms as products with matrices of roots of unity. Angles are
// computed in f64 from integer remainders, so that long transforms stay
// accurate.
#ifndef TENON_COMPILER_IMPORT_GRAPH_FOURIER_H
#define TENON_COMPILER_IMPORT_GRAPH_FOURIER_H

#include "compiler/import/graph/GraphBuilder.h"

namespace tenon {

/// Complex numbers as two tensors of one shape.
struct ComplexPair {
  mlir::Value real, imaginary; ///< `imaginary` is null for real numbers
};

/// The transform of length `length` along `dim`. The dimension is cut or padded
/// with zeros to that length. With `oneSided`, only the first length / 2 + 1
/// elements of the result.
ComplexPair fourierTransform(GraphBuilder &g, ComplexPair x, int64_t dim,
                             Size length, bool inverse, bool oneSided);

/// The real signal of `length` samples whose one-sided transform is `x`. The
/// dimension is cut or padded with zeros to length / 2 + 1 elements first.
mlir::Value inverseOfRealTransform(GraphBuilder &g, ComplexPair x, int64_t dim,
                                   Size length);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_GRAPH_FOURIER_H
