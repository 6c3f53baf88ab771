// Where weights and states lie: offsets within the weight blob and within the
// memory of the state, as attributes that the artifact obeys.
#ifndef TENON_PASSES_BUFFER_BLOBLAYOUT_H
#define TENON_PASSES_BUFFER_BLOBLAYOUT_H

#include "mlir/IR/BuiltinOps.h"

namespace tenon {

/// Gives the states in use and the weights in use, first values of states
/// among them, their `offset`, in module order, and the module
/// `tenon.weight_bytes` and `tenon.state_bytes`. First values that are
/// constants become weights.
void layOutBlobs(mlir::ModuleOp module);

} // namespace tenon

#endif // TENON_PASSES_BUFFER_BLOBLAYOUT_H
