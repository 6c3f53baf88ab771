// Questions about products and convolutions as such.
#ifndef TENON_DIALECTS_TENON_CONTRACTION_H
#define TENON_DIALECTS_TENON_CONTRACTION_H

#include "mlir/IR/Operation.h"

namespace tenon {

/// The products and convolutions under `root` that ask for `products pairs`.
llvm::SmallVector<mlir::Operation *> productsOfPairs(mlir::Operation *root);

} // namespace tenon

#endif // TENON_DIALECTS_TENON_CONTRACTION_H
