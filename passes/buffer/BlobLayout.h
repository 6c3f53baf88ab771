// The layout of weights and states: offsets in the weight blob and in the
// state's memory, as attributes. The artifact writer follows them.
#ifndef TENON_PASSES_BUFFER_BLOBLAYOUT_H
#define TENON_PASSES_BUFFER_BLOBLAYOUT_H

#include "mlir/IR/BuiltinOps.h"

namespace tenon {

/// Sets the attribute `offset` of all used states and weights, in module order.
/// Initial values of states count as used. A state with context extents gets no
/// offset. Sets `tenon.weight_bytes` and `tenon.state_bytes` of the module.
/// Initial values that are constants become weights. Used states and context
/// extents are numbered, others are erased.
void layOutBlobs(mlir::ModuleOp module);

} // namespace tenon

#endif // TENON_PASSES_BUFFER_BLOBLAYOUT_H
