// The reductions that a row kernel computes.
#ifndef TENON_PASSES_FUSE_ROWREDUCTION_H
#define TENON_PASSES_FUSE_ROWREDUCTION_H

#include "mlir/IR/Operation.h"

namespace tenon {

/// True if the op reduces exactly the innermost dimension, in vectors along it.
bool reducesRows(mlir::Operation *op);

} // namespace tenon

#endif // TENON_PASSES_FUSE_ROWREDUCTION_H
