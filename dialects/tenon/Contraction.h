// A query on dot_general and convolution ops.
#ifndef TENON_DIALECTS_TENON_CONTRACTION_H
#define TENON_DIALECTS_TENON_CONTRACTION_H

#include "mlir/IR/Operation.h"

namespace tenon {

/// All dot_general and convolution ops under `root` that have `products pairs`.
llvm::SmallVector<mlir::Operation *> productsOfPairs(mlir::Operation *root);

} // namespace tenon

#endif // TENON_DIALECTS_TENON_CONTRACTION_H
