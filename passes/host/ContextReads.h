// What functions read of the context that they run in.
#ifndef TENON_PASSES_HOST_CONTEXTREADS_H
#define TENON_PASSES_HOST_CONTEXTREADS_H

#include "mlir/IR/BuiltinOps.h"

namespace tenon {

/// Replaces each `tenon.get_extent` and `tenon.state_offset` by a load from the
/// call, which is the first argument of every function. Requires that extents
/// and states are numbered.
void readContext(mlir::ModuleOp module);

} // namespace tenon

#endif // TENON_PASSES_HOST_CONTEXTREADS_H
