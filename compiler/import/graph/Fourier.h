// Fourier transforms as products with matrices of roots of unity. Angles are
// computed in f64 from remainders of integers, so that long transforms stay
// exact.
#ifndef TENON_COMPILER_IMPORT_GRAPH_FOURIER_H
#define TENON_COMPILER_IMPORT_GRAPH_FOURIER_H

#include "compiler/import/graph/GraphBuilder.h"

namespace tenon {

/// Complex numbers as two tensors of one shape.
struct ComplexPair {
  mlir::Value real, imaginary; ///< the latter null for real numbers
};

/// The transform of length `length` along `dim`, which is cut or filled with
/// zeros to it. One-sided: the first length / 2 + 1 places alone.
ComplexPair fourierTransform(GraphBuilder &g, ComplexPair x, int64_t dim,
                             Size length, bool inverse, bool oneSided);

/// The real signal of `length` samples whose one-sided transform is `x`, cut or
/// filled with zeros to length / 2 + 1 places.
mlir::Value inverseOfRealTransform(GraphBuilder &g, ComplexPair x, int64_t dim,
                                   Size length);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_GRAPH_FOURIER_H
